namespace Raceway.Rings;

/// <summary>Something that does a bounded piece of work without blocking, and says what it did.</summary>
/// <remarks>
/// A driver steps it: a thread with a wait strategy, the thread pool, or the user's own loop (<see cref="Stage.Step"/>).
/// </remarks>
public abstract class Steppable
{
    private protected Steppable()
    {
    }

    /// <summary>One step, by the driver alone: nothing checks that calls do not overlap. Never waits.</summary>
    /// <param name="quantum">The most items, 1 or more.</param>
    internal abstract StepResult StepOnce(int quantum = int.MaxValue);

    /// <summary>Whether its step is over but for the report of what it has done: nothing of the user's is called any more.</summary>
    internal virtual bool Settles => false;

    /// <summary>Whether a step that finds nothing may call the user's <see cref="IIdleHandler"/>, and take long.</summary>
    internal virtual bool HasIdleHook => false;

    /// <summary>The fewest items that a driver should allow a step: fewer would cut a batch below its minimum.</summary>
    internal virtual int LeastStep => 1;

    /// <summary>The most items of a step that its driver allows <paramref name="quantum"/> of.</summary>
    internal virtual int MostOf(int quantum) => quantum;

    /// <summary>The most items of a step that is soon done, see <see cref="Quantum"/>.</summary>
    internal virtual int MostShort => Quantum.Most;

    /// <summary>For how many steps that find nothing it may stay ready on the thread pool, see <see cref="Staying"/>.</summary>
    internal virtual int MostStays => Staying.MostSteps;

    /// <summary>How its last step has gone, told by its driver on the thread pool; nothing was called of it since.</summary>
    /// <param name="result">What it did: items were handled, or it found nothing.</param>
    /// <param name="from">When it began, in <see cref="MachineClock"/> ticks.</param>
    /// <param name="now">When it ended.</param>
    internal virtual void Stepped(in StepResult result, long from, long now)
    {
    }

    /// <summary>What it belongs to, and ends with: the ring, for a stage.</summary>
    internal abstract IUnitOwner Owner { get; }

    /// <summary>What to wait for after a step that found nothing to do.</summary>
    internal abstract WaitTarget NextTarget();

    /// <summary>True where the first stage waits for producers, not for other stages.</summary>
    internal abstract bool LeadsChain { get; }

    /// <summary>True where handlers go on after an await, and so are known by their execution context.</summary>
    internal virtual bool MarksContext => false;

    /// <summary>Binds the calling thread, which is its own, to the processors asked for. Before <see cref="Begin"/>.</summary>
    internal virtual void PlaceThread()
    {
    }

    /// <summary>Says why the processors asked for are not used.</summary>
    internal virtual void CannotPlace(string reason)
    {
    }

    /// <summary>Before the first step, on the driving thread.</summary>
    internal virtual void Begin()
    {
    }

    /// <summary>After the last step, on the driving thread.</summary>
    internal virtual void End()
    {
    }

    /// <summary>Makes the next step return <see cref="StepKind.Stopped"/>, whatever the ring does.</summary>
    internal virtual void LeaveAll()
    {
    }

    /// <summary>Another driver steps it from now on.</summary>
    /// <param name="waiting">How that one waits; for the statistics.</param>
    /// <param name="inGroup">Whether it is stepped by a <see cref="PoolGroup"/>, together with others.</param>
    internal virtual void Attend(Waiting waiting, bool inGroup = false)
    {
    }
}
