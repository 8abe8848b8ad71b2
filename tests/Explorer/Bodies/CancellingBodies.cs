using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Waits for room that end without it: cancelled, timed out, interrupted. They own nothing.</summary>
internal static class CancellingBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            foreach (ProducerKind kind in (ProducerKind[])[ProducerKind.Single, ProducerKind.Multi, ProducerKind.Sharded])
            {
                string name = kind.ToString().ToLowerInvariant();
                yield return new Body($"cancel/parked-{name}", world => Cancelled(world, kind, Wait.Park()));
                yield return new Body($"cancel/timed-{name}", world => TimedOut(world, kind));
            }

            yield return new Body("cancel/polling-single", world => Cancelled(world, ProducerKind.Single, Wait.BusySpin()));
            yield return new Body("cancel/async-single", world => CancelledAsync(world, ProducerKind.Single));
            yield return new Body("cancel/async-multi", world => CancelledAsync(world, ProducerKind.Multi));
            yield return new Body("cancel/interrupted", Interrupted);
            yield return new Body("cancel/deadline-signal", DeadlineSignal);
            yield return new Body("cancel/wake-park", WakePark);
        }
    }

    // Cancelled, or published; then it publishes what it still has, asleep again where it must.
    private static void Cancelled(World world, ProducerKind kind, Wait wait)
    {
        (RingBuffer<Item> ring, Stage stage, Log log, Producer<Item> producer) = Full(kind, wait);
        var source = new CancellationTokenSource();
        bool first = false;
        world.Thread("producer", () =>
        {
            first = TryClaimed(producer, 2, Timeout.InfiniteTimeSpan, source.Token);
            producer.Put(3);
        });
        world.Thread("cancels", () =>
        {
            Parts.AfterPolls(wait);
            source.Cancel();
        });
        world.Thread("stage", () =>
        {
            Parts.AfterPolls(wait);
            StepUntil(stage, log, 3);
        });
        world.AtEnd(() => IsConsistent(stage, log, first));
    }

    private static void TimedOut(World world, ProducerKind kind)
    {
        (RingBuffer<Item> ring, Stage stage, Log log, Producer<Item> producer) = Full(kind, Wait.Park());
        bool first = false;
        world.Thread("producer", () =>
        {
            first = TryClaimed(producer, 2, TimeSpan.FromMilliseconds(2), CancellationToken.None);
            producer.Put(3);
        });
        world.Thread("stage", () =>
        {
            // As long as the claim may take: the room comes while it gives up.
            Parts.Pause(2_000_000);
            StepUntil(stage, log, 3);
        });
        world.AtEnd(() => IsConsistent(stage, log, first));
    }

    private static void CancelledAsync(World world, ProducerKind kind)
    {
        (RingBuffer<Item> ring, Stage stage, Log log, Producer<Item> producer) = Full(kind, Wait.BusySpin());
        var source = new CancellationTokenSource();
        world.Thread("producer", async () =>
        {
            try
            {
                World.Check(await producer.WaitForRoomAsync(1, source.Token), "the ring is closed");
            }
            catch (System.OperationCanceledException)
            {
                World.Check(await producer.WaitForRoomAsync(), "the ring is closed");
            }

            World.Check(producer.TryPut(3), "no room after waiting for it");
        });
        world.Thread("cancels", source.Cancel);
        world.Thread("stage", () => StepUntil(stage, log, 3));
        world.AtEnd(() => IsConsistent(stage, log, false));
    }

    // The interrupt goes to who publishes; the wait that it ends has claimed nothing.
    private static void Interrupted(World world)
    {
        (RingBuffer<Item> ring, Stage stage, Log log, Producer<Item> producer) = Full(ProducerKind.Single, Wait.Park());
        Thread? sleeper = null;
        bool first = false;
        bool ended = false;
        world.Thread("producer", () =>
        {
            sleeper = Thread.CurrentThread;
            try
            {
                producer.Put(2);
                first = true;
            }
            catch (ThreadInterruptedException)
            {
            }

            try
            {
                producer.Put(3);
            }
            catch (ThreadInterruptedException)
            {
                // It came after the first had been published.
                producer.Put(3);
            }

            ended = true;
        });
        world.Thread("interrupter", () =>
        {
            Parts.AfterPolls(Wait.Park());
            World.Until(() => sleeper is not null, "for the producer");
            if (!ended) sleeper!.Interrupt();
        });
        world.Thread("stage", () =>
        {
            Parts.AfterPolls(Wait.Park());
            StepUntil(stage, log, 3);
        });
        world.AtEnd(() => IsConsistent(stage, log, first));
    }

    // Its time is up while a signal is on its way: the signal must not meet the waiter's next sleep.
    private static void DeadlineSignal(World world)
    {
        var memory = new RingMemory(CellPadding.LinePair);
        (var one, var other, var control) = (new Progress(memory, 0), new Progress(memory, 0), new Control(memory));
        Waiting waiting = Wait.Park().Create(new WaitContext(LeadsChain: false, 2, HasStamps: false, IsProducer: true));
        world.Thread("owner", () =>
        {
            Parts.Pause(2_000_000);
            one.Advance(1);
        });
        world.Thread("other", () =>
        {
            Parts.Pause(3_000_000);
            other.Advance(1);
        });
        world.Thread("waits", () =>
        {
            long deadline = MachineClock.In(TimeSpan.FromMilliseconds(2));
            while (MachineClock.Now < deadline && !one.IsReached(1)) waiting.Idle(new WaitTarget(one, 1, deadline, control, 0));
            while (!other.IsReached(1)) waiting.Idle(new WaitTarget(other, 1, Clock.Never, control, 0));
        });
        world.AtEnd(() => World.Check(!one.Disarm(null!) && !other.Disarm(null!), "armed at the end"));
    }

    // A wake without a signal ends a sleep, also one that has not begun; forgotten, it ends none.
    private static void WakePark(World world)
    {
        var waiter = new ParkWaiter();
        var cell = new Progress(new RingMemory(CellPadding.LinePair), 0);
        world.Thread("wakes", waiter.Wake);
        world.Thread("owner", () => cell.Advance(1));
        world.Thread("sleeps", () =>
        {
            cell.Arm(waiter, 1);
            if (cell.IsReached(1) && cell.Disarm(waiter)) return;
            if (!waiter.Park(Timeout.Infinite, interruptible: true) && !cell.Disarm(waiter)) waiter.AwaitSignal();
            waiter.ForgetWake();
        });
    }

    private static (RingBuffer<Item> Ring, Stage Stage, Log Log, Producer<Item> Producer) Full(ProducerKind kind, Wait wait)
    {
        RingBuffer<Item> ring = Parts.Ring(2, kind, wait, maxProducers: 1);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped(Dispatch.Single));
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(0);
        producer.Put(1);
        return (ring, stage, log, producer);
    }

    private static bool TryClaimed(Producer<Item> producer, long value, TimeSpan timeout, CancellationToken cancellation)
    {
        try
        {
            if (producer.TryClaim(1, timeout, out Claim<Item> claim, cancellation) != ClaimStatus.Done) return false;
            World.Wrote(in claim.Slot);
            claim.Slot.Value = value;
            claim.Commit();
            return true;
        }
        catch (System.OperationCanceledException)
        {
            return false;
        }
    }

    // One item at a time, so that room comes in drops.
    private static void StepUntil(Stage stage, Log log, int count)
    {
        while (log.Count < count)
            if (stage.Step(1).Kind != StepKind.Progressed) Thread.SpinWait(1);
    }

    private static void IsConsistent(Stage stage, Log log, bool first)
    {
        while (stage.Step().Kind == StepKind.Progressed)
        {
        }

        if (first) log.IsExactly(0, 1, 2, 3);
        else log.IsExactly(0, 1, 3);
    }
}
