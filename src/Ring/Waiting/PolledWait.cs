namespace Raceway.Rings;

/// <summary>Base of a wait strategy of your own: it looks, and pauses, yields or sleeps in between for a bounded time.</summary>
/// <remarks>
/// <para><b>What it must keep</b>: each <see cref="PolledWaiter.Wait"/> returns after a bounded time, whatever happens. It may
/// return too early: its caller looks again. So no wake-up can be missed, and nothing wakes it. A strategy that sleeps until
/// it is woken is <see cref="Wait.Park"/>.</para>
/// <para><b>Bound</b>: the end of a ring, a cancelled call and a time-out are noticed between two calls: they may come late by
/// as long as one call takes.</para>
/// <para><b>Errors</b>: what it throws ends the ring with that fault where a stage waits. Where a producer waits, it
/// leaves the call that publishes, and nothing is claimed.</para>
/// <para>The package Raceway.Testing has <c>WaitContract</c>, which checks a strategy in a whole ring.</para>
/// </remarks>
/// <example>
/// <code>
/// internal sealed class Napping() : PolledWait("Napping")
/// {
///     protected override PolledWaiter CreateWaiter(bool isProducer, int capacity) => new Waiter();
///
///     private sealed class Waiter : PolledWaiter
///     {
///         public override void Wait(WaitView target)
///         {
///             if (!target.IsOver) Thread.Sleep(1);
///         }
///     }
/// }
/// </code>
/// </example>
public abstract class PolledWait : Wait
{
    /// <summary>A strategy with a name for tools and tables.</summary>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    protected PolledWait(string name)
        : base(name) => ArgumentException.ThrowIfNullOrWhiteSpace(name);

    /// <summary>Makes the state of one thread that waits: a stage's, or a producer's. Called once for each, by any thread.</summary>
    /// <param name="isProducer">A producer waits for room; else a stage waits for items.</param>
    /// <param name="capacity">Slots of the ring.</param>
    protected abstract PolledWaiter CreateWaiter(bool isProducer, int capacity);

    internal sealed override Waiting Create(in WaitContext context) => new Adapted(
        CreateWaiter(context.IsProducer, context.Capacity) ?? throw WaitErrors.NoWaiter(Name));

    private sealed class Adapted(PolledWaiter waiter) : Waiting
    {
        public override void Progressed(int count, bool more) => waiter.Progressed(count, more);

        protected override bool WaitFor(in WaitTarget target)
        {
            waiter.Wait(new WaitView(in target));
            return target.IsOver;
        }
    }
}

/// <summary>How one thread waits under a <see cref="PolledWait"/>.</summary>
/// <remarks><b>Threads</b>: one at a time.</remarks>
public abstract class PolledWaiter
{
    /// <summary>Waits a while for <paramref name="target"/>, and returns after a bounded time, there or not.</summary>
    public abstract void Wait(WaitView target);

    /// <summary>A step handled items, or a producer found room: the wait before it is over.</summary>
    /// <param name="count">How many.</param>
    /// <param name="more">Whether more are known to be there.</param>
    public virtual void Progressed(int count, bool more)
    {
    }
}

/// <summary>What a thread waits for.</summary>
public readonly ref struct WaitView
{
    private readonly ref readonly WaitTarget _target;
    private readonly bool _isGiven;

    internal WaitView(ref readonly WaitTarget target)
    {
        _target = ref target;
        _isGiven = true;
    }

    /// <summary>Whether it is there, or the ring's state has changed: then <see cref="PolledWaiter.Wait"/> should return.</summary>
    /// <remarks><b>Cost</b>: two loads. The first takes the line from the thread that writes it.</remarks>
    public bool IsOver => !_isGiven || _target.IsOver;

    /// <summary>Whether the time is up at which the caller must look in any case: an age, a time-out, an idle hook.</summary>
    public bool IsDue => !_isGiven || _target.IsDue;
}
