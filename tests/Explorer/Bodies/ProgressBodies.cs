using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>The cell behind all waiting, by itself: whoever arms is told, or sees for itself.</summary>
internal static class ProgressBodies
{
    private const long Missing = long.MaxValue;

    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("progress/advance-arm-calm", world => Advance(world, parking: false, 1, 1));
            yield return new Body("progress/advance-arm-parking", world => Advance(world, parking: true, 1, 1));
            yield return new Body("progress/advance-two-calm", world => Advance(world, parking: false, 1, 1, 1));
            yield return new Body("progress/advance-two-parking", world => Advance(world, parking: true, 2, 1, 2));
            yield return new Body("progress/arm-awaits-the-past", world => Advance(world, parking: false, 1, -3, 1));
            yield return new Body("progress/stamps-near-and-far", Stamps);
            yield return new Body("progress/leave-arm-advance", Leave);
            yield return new Body("progress/calm-again", CalmAgain);
            yield return new Body("progress/owner-leaves", OwnerLeaves);
            yield return new Body("progress/two-owners-leave", TwoOwnersLeave);
            yield return new Body("progress/disarm-signal", Disarm);
            yield return new Body("progress/wakeall-arm", WakeAll);
            yield return new Body("progress/release-advance", Release);
            yield return new Body("progress/release-sleeper", ReleaseSleeper);
            yield return new Body("progress/reposition-reader", Reposition);
        }
    }

    // The owner goes to the last sequence one by one; each of the others awaits one.
    private static void Advance(World world, bool parking, int last, params long[] awaited)
    {
        Progress cell = Cell(parking);
        world.Thread("owner", () =>
        {
            for (long sequence = 1; sequence <= last; sequence++) cell.Advance(sequence);
        });
        foreach (long sequence in awaited) world.Thread($"awaits {sequence}", () => Await(cell, sequence));
    }

    // Sequences that are published in any order, each with a waiter of its own.
    private static void Stamps(World world)
    {
        var stamps = new Availability(new RingMemory(CellPadding.None), 4, 0);
        var cell = new Progress(new RingMemory(CellPadding.LinePair), -1, stamps);
        foreach (long sequence in (long[])[2, 0])
        {
            world.Thread($"publisher {sequence}", () =>
            {
                stamps.Publish(sequence);
                if (Modelled.Volatile.Read(in Nearest(cell)) != 0) cell.Signal(sequence, sequence);
            });
            world.Thread($"awaits {sequence}", () => Await(cell, sequence));
        }
    }

    // Who calms the cell must not overlook who is just arming, and the next one to arm pays the barrier again.
    private static void Leave(World world)
    {
        Progress cell = Cell(parking: true);
        world.Thread("owner", () => cell.Advance(1));
        world.Thread("calms", cell.LeaveParkingRegime);
        world.Thread("awaits", () => Await(cell, 1));
    }

    // With the last fence that it counts the owner leaves, while another thread arms for what comes behind it.
    private static void OwnerLeaves(World world)
    {
        Progress cell = Cell(parking: true);
        AllButOneFence(cell);
        world.Thread("owner", () =>
        {
            cell.Advance(1);
            cell.Advance(2);
        });
        world.Thread("awaits", () => Await(cell, 2));
        world.AtEnd(() => World.Check(cell.RegimeChanges <= 2, $"{cell.RegimeChanges} barriers for one sleep"));
    }

    // Each of them may, and neither may overlook a thread that has armed for the other's.
    private static void TwoOwnersLeave(World world)
    {
        var stamps = new Availability(new RingMemory(CellPadding.None), 4, 0);
        var cell = new Progress(new RingMemory(CellPadding.LinePair), -1, stamps);
        var first = new Counted();
        cell.Arm(first, 0);
        World.Check(cell.Disarm(first), "nothing is published");
        AllButOneFence(cell);
        foreach (long sequence in (long[])[0, 1])
        {
            world.Thread($"publisher {sequence}", () =>
            {
                stamps.Publish(sequence);
                if (Modelled.Volatile.Read(in Nearest(cell)) != 0) cell.Signal(sequence, sequence);
            });
        }

        world.Thread("awaits 1", () => Await(cell, 1));
    }

    private static void CalmAgain(World world)
    {
        Progress cell = Cell(parking: false);
        var waiter = new ParkWaiter();
        world.Thread("owner", () =>
        {
            cell.Advance(1);
            cell.Advance(2);
        });
        world.Thread("awaits", () =>
        {
            Await(cell, 1, waiter);
            cell.LeaveParkingRegime();
            Await(cell, 2, waiter);
        });
        world.AtEnd(() => World.Check(cell.RegimeChanges <= 2, $"{cell.RegimeChanges} barriers for two sleeps"));
    }

    // Taken back, or signalled: exactly one of them, and a signal under way arrives before the next arming.
    private static void Disarm(World world)
    {
        Progress cell = Cell(parking: true);
        var counted = new Counted();
        int takenBack = 0;
        world.Thread("owner", () =>
        {
            cell.Advance(1);
            cell.Advance(2);
        });
        world.Thread("gives up", () =>
        {
            for (int turn = 1; turn <= 2; turn++)
            {
                int before = counted.Signals;
                cell.Arm(counted, turn);
                if (cell.Disarm(counted)) takenBack++;
                else World.Until(() => counted.Signals == before + 1, "for the signal on its way");
            }
        });
        world.AtEnd(() => World.Equal(2, takenBack + counted.Signals, "armings that ended"));
    }

    // A change of the ring's state is seen, or wakes.
    private static void WakeAll(World world)
    {
        var memory = new RingMemory(CellPadding.LinePair);
        var cell = new Progress(memory, 0);
        var control = new Control(memory);
        world.Thread("changes", () =>
        {
            control.Change(Control.Closed);
            cell.WakeAll();
        });
        world.Thread("sleeps", () =>
        {
            long seen = control.Word;
            if ((seen & Control.Closed) != 0) return;
            Sleep(new WaitTarget(cell, Progress.Never, Clock.Never, control, seen), new ParkWaiter());
            World.Check(control.IsClosed, "woken for nothing");
        });
    }

    // As when a ring is sealed: an item is in time, or its publisher is told that it is late.
    private static void Release(World world)
    {
        Progress cell = Cell(parking: false);
        bool told = false;
        long seen = Missing;
        world.Thread("publisher", () =>
        {
            Modelled.Volatile.Write(ref Value(cell), 1);
            told = Modelled.Volatile.Read(in Nearest(cell)) != 0 && !cell.Signal(long.MinValue, 1);
        });
        world.Thread("sealer", () =>
        {
            cell.Release();
            Modelled.Interlocked.MemoryBarrierProcessWide();
            seen = cell.ReadAcquire();
        });
        world.AtEnd(() => World.Check(told || seen == 1, "neither in time nor told"));
    }

    // Items that came in time still wake who sleeps for them, and nothing calms a released cell.
    private static void ReleaseSleeper(World world)
    {
        Progress cell = Cell(parking: true);
        world.Thread("owner", () => cell.Advance(1));
        world.Thread("sealer", () =>
        {
            cell.Release();
            cell.LeaveParkingRegime();
        });
        world.Thread("awaits", () => Await(cell, 1));
        world.AtEnd(() => World.Check(!cell.Signal(long.MinValue, 1), "a released cell says so"));
    }

    // What is repositioned is published as an advance is.
    private static void Reposition(World world)
    {
        Progress cell = Cell(parking: false);
        var slot = new Item[1];
        world.Thread("owner", () =>
        {
            World.Wrote(in slot[0]);
            cell.Reposition(1);
        });
        world.Thread("reader", () =>
        {
            if (cell.IsReached(1)) World.Reads(in slot[0]);
        });
    }

    private static Progress Cell(bool parking)
    {
        var cell = new Progress(new RingMemory(CellPadding.LinePair), 0);
        if (!parking) return cell;
        var first = new ParkWaiter();
        cell.Arm(first, 1);
        cell.Disarm(first);
        return cell;
    }

    private static void Await(Progress cell, long awaited, ParkWaiter? waiter = null)
    {
        var control = new Control(new RingMemory(CellPadding.LinePair));
        waiter ??= new ParkWaiter();
        do Sleep(new WaitTarget(cell, awaited, Clock.Never, control, 0), waiter);
        while (!cell.IsReached(awaited));
    }

    // The end of every wait: arm, look again, sleep.
    private static void Sleep(in WaitTarget target, ParkWaiter waiter)
    {
        target.Cell.Arm(waiter, target.Awaited);
        if (target.IsOver && target.Cell.Disarm(waiter)) return;
        waiter.Park(Modelled.Timeout.Infinite, interruptible: false);
    }

    private static unsafe ref long Nearest(Progress cell) => ref *cell.NearestCell;

    private static unsafe void AllButOneFence(Progress cell) =>
        Modelled.Volatile.Write(ref *(cell.NearestCell + 2), Progress.FencesOfABarrier - 1);

    private static unsafe ref long Value(Progress cell) => ref *cell.ValueCell;

    private sealed class Counted : Waiter
    {
        public int Signals { get; private set; }

        internal override void Signal() => Signals++;
    }
}
