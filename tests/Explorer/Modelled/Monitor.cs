using System.Runtime.CompilerServices;
using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Modelled;

/// <summary>Modelled <c>System.Threading.Monitor</c>: entering is an acquire, leaving a release.</summary>
internal static class Monitor
{
    public static void Enter(object gate, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
    {
        if (Model.Me is not { } me) return;
        Model model = Model.Current;
        model.Point(me);
        model.DrainBuffer(me);
        Lock held = model.LockOf(gate);
        if (held.Owner == me)
        {
            held.Depth++;
            return;
        }

        Acquire(model, me, held, interruptible: true);
        if (model.Trace is not null) model.Note(me, $"enters lock {held.Id} at {Path.GetFileName(file)}:{line}");
    }

    public static void Exit(object gate)
    {
        if (Model.Me is not { } me) return;
        Model model = Model.Current;
        model.Point(me);
        Lock held = model.LockOf(gate);
        if (held.Owner != me) model.Fail($"{me.Name} leaves a lock that it does not hold.");
        if (--held.Depth > 0) return;
        Release(model, me, held);
        if (model.Trace is not null) model.Note(me, $"leaves lock {held.Id}");
    }

    public static bool IsEntered(object gate) => Model.Me is not { } me || Model.Current.LockOf(gate).Owner == me;

    public static void Pulse(object gate)
    {
        if (Model.Me is not { } me) return;
        Model model = Model.Current;
        model.Point(me);
        if (model.LockOf(gate).Waiters.TryDequeue(out Sleeper? first)) first.Pulsed = true;
        model.Note(me, "pulses");
    }

    public static bool Wait(object gate) => Wait(gate, Timeout.Infinite);

    public static bool Wait(object gate, int milliseconds)
    {
        Model model = Model.Current;
        ModelThread me = Model.Me ?? throw new InvalidOperationException("A wait outside the model never ends.");
        model.Point(me);
        Lock held = model.LockOf(gate);
        if (held.Owner != me) model.Fail($"{me.Name} waits on a lock that it does not hold.");
        int depth = held.Depth;
        var sleeper = new Sleeper();
        held.Waiters.Enqueue(sleeper);
        Release(model, me, held);
        long deadline = milliseconds == Timeout.Infinite ? long.MaxValue : model.Now + milliseconds * 1_000_000L;
        model.Block(me, () => sleeper.Pulsed, "asleep in a monitor", deadline, interruptible: true);
        bool interrupted = !sleeper.Pulsed && me.Interrupted;
        if (!sleeper.Pulsed) held.Remove(sleeper);
        Acquire(model, me, held, interruptible: false);
        held.Depth = depth;
        model.Note(me, interrupted ? "wakes: interrupted" : sleeper.Pulsed ? "wakes: pulsed" : "wakes: time is up");
        if (!interrupted) return sleeper.Pulsed;
        me.Interrupted = false;
        throw new ThreadInterruptedException();
    }

    private static void Acquire(Model model, ModelThread me, Lock held, bool interruptible)
    {
        while (held.Owner is not null)
        {
            if (model.Block(me, () => held.Owner is null, "for a lock", interruptible: interruptible)) continue;
            if (!interruptible || !me.Interrupted) continue;
            me.Interrupted = false;
            throw new ThreadInterruptedException();
        }

        (held.Owner, held.Depth) = (me, 1);
        model.Learn(me, held.Known);
    }

    private static void Release(Model model, ModelThread me, Lock held)
    {
        // The next owner sees all of it: what waits in the buffer comes before the release.
        model.DrainBuffer(me);
        held.Owner = null;
        model.Teach(me, ref held.Known);
    }
}

/// <summary>The state of one monitor.</summary>
internal sealed class Lock(int id)
{
    public int Id { get; } = id;

    public ModelThread? Owner;
    public int Depth;
    public int[]? Known;
    public Queue<Sleeper> Waiters = new();

    public void Remove(Sleeper sleeper) => Waiters = new Queue<Sleeper>(Waiters.Where(other => other != sleeper));
}

internal sealed class Sleeper
{
    public bool Pulsed;
}
