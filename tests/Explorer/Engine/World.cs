using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Engine;

/// <summary>What a body is put together from: threads, invariants, and a judgement at the end.</summary>
internal sealed class World(Model model)
{
    private Action? _atEnd;

    /// <summary>A thread of the test. The execution ends with the last of them.</summary>
    public void Thread(string name, Action body) => model.Spawn(name, body, isBody: true);

    /// <summary>The same with an async method.</summary>
    public void Thread(string name, Func<Task> body) => Thread(name, () => body().Wait());

    /// <summary>Looked at after every step; says what is wrong, or null.</summary>
    public void Invariant(Func<string?> broken) => model.Invariant = broken;

    /// <summary>Looked at when every thread of the test has ended.</summary>
    public void AtEnd(Action check) => _atEnd += check;

    internal Action? Judgement => _atEnd;

    /// <summary>The calling thread works for so long; others may go on meanwhile.</summary>
    public static void Passes(long nanoseconds) => Model.Current.Yield(Model.Me!, nanoseconds);

    /// <summary>Holds the thread until <paramref name="until"/> holds, which depends on modelled or on the body's own state.</summary>
    public static void Until(Func<bool> until, string what)
    {
        ModelThread me = Model.Me!;
        Model.Current.Point(me);
        Model.Current.Block(me, until, what);
    }

    public static void Check(bool holds, string otherwise)
    {
        if (holds) return;
        // In a handler an exception would go to the stage's policy, and might be taken for the ring's own.
        if (Model.Me is not null) Model.Current.Fail(otherwise);
        throw new BodyFailed(otherwise);
    }

    public static void Equal<T>(T expected, T actual, string what) =>
        Check(EqualityComparer<T>.Default.Equals(expected, actual), $"{what}: expected {expected}, was {actual}");

    /// <summary>Marks the slots that <paramref name="publish"/> computes as written by this thread.</summary>
    public static void Writing(Action publish)
    {
        ModelThread? me = Model.Me;
        if (me is null)
        {
            publish();
            return;
        }

        me.Writes = true;
        try
        {
            publish();
        }
        finally
        {
            me.Writes = false;
        }
    }

    /// <summary>A handler reads <paramref name="slot"/>.</summary>
    public static unsafe void Reads<T>(ref readonly T slot)
    {
        if (Model.Me is { } me) Model.Current.Touch(me, (nint)Unsafe.AsPointer(in slot), write: false);
    }

    /// <summary>A handler, or a claim's owner, writes <paramref name="slot"/>.</summary>
    public static unsafe void Wrote<T>(ref readonly T slot)
    {
        if (Model.Me is { } me) Model.Current.Touch(me, (nint)Unsafe.AsPointer(in slot), write: true);
    }
}

/// <summary>A small program over the shipped sources, whose executions are explored.</summary>
/// <param name="Name">Group and what it is about, by a slash.</param>
/// <param name="Build">Puts it together.</param>
internal sealed record Body(string Name, Action<World> Build)
{
    /// <summary>The modes it is explored in.</summary>
    public MemoryMode[] Modes { get; init; } = [MemoryMode.Sequential, MemoryMode.StoreBuffers, MemoryMode.ReleaseAcquire];

    /// <summary>How much of the effort it gets: more where what it is about takes several things at once.</summary>
    public int Weight { get; init; } = 1;

    /// <summary>Preemptions of the exhaustive search.</summary>
    public int Preemptions { get; init; } = 2;
}
