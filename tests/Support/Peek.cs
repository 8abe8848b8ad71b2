using System.Runtime.CompilerServices;

namespace Raceway.Tests.Support;

/// <summary>Looks into the cells, so that a test knows that somebody sleeps instead of guessing it by the clock.</summary>
internal static unsafe class Peek
{
    /// <summary>Whether somebody is armed on <paramref name="cell"/>.</summary>
    public static bool IsArmed(Progress cell) => Volatile.Read(ref *cell.NearestCell) is not (0 or long.MaxValue);

    /// <summary>Whether a producer waits for room behind one of the stages.</summary>
    public static bool IsProducerAsleep(Ring ring) => ring.Stages.Any(stage => IsArmed(stage.Done));

    public static bool IsCalm(Progress cell) => Volatile.Read(ref *cell.NearestCell) == 0;

    /// <summary>Whether the queue has asked the pool for a thread that has not begun yet.</summary>
    public static bool HasAsked(ReadyQueue queue) => Volatile.Read(ref Asked(queue));

    /// <summary>As if it had or had not: where it has, what becomes ready is left to the thread that is on its way.</summary>
    public static void SetAsked(ReadyQueue queue, bool value) => Volatile.Write(ref Asked(queue), value);

    /// <summary>What the units that wait in it may take.</summary>
    public static long Work(ReadyQueue queue) => Volatile.Read(ref WorkOf(queue));

    /// <summary>How many threads others wait for.</summary>
    public static int BackSoon(ReadyQueue queue) => Volatile.Read(ref BackSoonOf(queue));

    /// <summary>Whether something keeps its threads apart.</summary>
    public static bool HasSpread(ReadyQueue queue) => Spread(queue) is not null;

    /// <summary>When a producer has blocked until there was room, as it noted last, in <see cref="MachineClock"/> ticks; 0: never.</summary>
    public static long ProducerBlockedAt(ReadyQueue queue) => BlockedAt(Spread(queue)!).Max();

    /// <summary>Who waits there, for a dump.</summary>
    public static string Waiters(Progress cell)
    {
        long nearest = Volatile.Read(ref *cell.NearestCell);
        string waiters = nearest switch
        {
            0 => "calm",
            long.MaxValue => "parking regime, nobody waits or only for a change",
            _ => $"awaited {nearest - 1}..{Volatile.Read(ref *(cell.NearestCell + 1))}",
        };
        return $"at {*cell.ValueCell}, {waiters}, {cell.RegimeChanges} regime changes";
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_spread")]
    private static extern ref PoolSpread? Spread(ReadyQueue queue);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_blockedAt")]
    private static extern ref long[] BlockedAt(PoolSpread spread);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_work")]
    private static extern ref long WorkOf(ReadyQueue queue);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_backSoon")]
    private static extern ref int BackSoonOf(ReadyQueue queue);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_asked")]
    private static extern ref bool Asked(ReadyQueue queue);
}
