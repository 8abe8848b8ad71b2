using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Producers that wait, or are about to, for room that never comes: the end of the ring reaches each of them.</summary>
internal static class BlockedBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("blocked/complete", world => End<RingStoppedException>(world, ProducerKind.Single, static ring => ring.Complete()));
            yield return new Body("blocked/halt-multi", world => End<RingStoppedException>(world, ProducerKind.Multi, static ring => ring.HaltAsync().Wait()));
            yield return new Body("blocked/dispose", world => End<ObjectDisposedException>(world, ProducerKind.Single, static ring => ring.DisposeAsync().AsTask().Wait()));
            yield return new Body("blocked/fault", world => End<RingFaultedException>(world, ProducerKind.Single, static ring => ring.Fail(new NotSupportedException(), null)));
            yield return new Body("blocked/complete-sharded", world => End<RingStoppedException>(world, ProducerKind.Sharded, static ring => ring.Complete()));
            yield return new Body("blocked/async-complete", AsyncComplete);
            yield return new Body("blocked/async-step", AsyncStep);
            yield return new Body("blocked/cancel-step", CancelAgainstStep);
            yield return new Body("blocked/timed-step", TimedAgainstStep);
            yield return new Body("blocked/interrupt", Interrupt);
            yield return new Body("blocked/credits-back", CreditsBack);
        }
    }

    private static void End<TRefusal>(World world, ProducerKind kind, Action<Ring> end)
        where TRefusal : Exception
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Full(ledger, kind, out Producer<Item> producer);
        world.Thread("producer", () => World.Check(!ledger.Put(producer, 9), "published into a full ring"));
        world.Thread("closer", () => end(ring));
        world.AtEnd(() =>
        {
            World.Equal(1, ledger.Refusals.Count, "refusals");
            ledger.AreRefusals<TRefusal>();
        });
    }

    private static void AsyncComplete(World world)
    {
        RingBuffer<Item> ring = Full(new Ledger(), ProducerKind.Single, out Producer<Item> producer);
        world.Thread("producer", async () =>
        {
            bool room = await producer.WaitForRoomAsync();
            World.Check(!room, "room in a full ring");
            World.Check(!producer.TryPut(9), "published into a ring that is closed");
        });
        world.Thread("closer", ring.Complete);
    }

    // Whoever makes room does not run what was waiting for it.
    private static void AsyncStep(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Full(ledger, ProducerKind.Single, out Producer<Item> producer, out Stage stage);
        int stepper = 0;
        world.Thread("producer", async () =>
        {
            World.Check(await producer.WaitForRoomAsync(), "closed");
            World.Check(Modelled.Environment.CurrentManagedThreadId != stepper, "a continuation has run on the thread of a stage");
            World.Check(ledger.TryPut(producer, 9), "no room after all");
        });
        world.Thread("stage", () =>
        {
            stepper = Modelled.Environment.CurrentManagedThreadId;
            Parts.StepUntil(stage, ledger.Handled, 3);
        });
    }

    // A cancelled wait owns nothing; one that found room has claimed.
    private static void CancelAgainstStep(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Full(ledger, ProducerKind.Multi, out Producer<Item> producer, out Stage stage);
        var cancel = new CancellationTokenSource();
        world.Thread("producer", () =>
        {
            try
            {
                Claim<Item> claim = producer.Claim(1, cancel.Token);
                Ledger.Write(ref claim.Slot, 9);
                ledger.Commit(ref claim, 9);
            }
            catch (OperationCanceledException)
            {
                World.Check(cancel.IsCancellationRequested, "cancelled by nobody");
            }

            // A wake that came late must not be left for this.
            ledger.Put(producer, 10);
        });
        world.Thread("canceller", cancel.Cancel);
        world.Thread("stage", () =>
        {
            while (!ledger.Handled.Values.Contains(10))
                if (stage.Step(1).Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
        });
        world.AtEnd(() => ledger.Balance(ring));
    }

    private static void TimedAgainstStep(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Full(ledger, ProducerKind.Single, out Producer<Item> producer, out Stage stage);
        bool done = false;
        world.Thread("producer", () =>
        {
            ClaimStatus status = producer.TryClaim(1, TimeSpan.FromMilliseconds(3), out Claim<Item> claim);
            if (status == ClaimStatus.Done)
            {
                Ledger.Write(ref claim.Slot, 9);
                ledger.Commit(ref claim, 9);
            }
            else
            {
                World.Equal(ClaimStatus.TimedOut, status, "a wait for a while");
            }

            done = true;
        });
        world.Thread("stage", () =>
        {
            World.Until(() => true, "a moment");
            stage.Step(1);
            World.Until(() => done, "for the producer");
            Parts.StepUntil(stage, ledger.Handled, ledger.Accepted);
        });
        world.AtEnd(() => ledger.Balance(ring));
    }

    private static void Interrupt(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Full(ledger, ProducerKind.Single, out Producer<Item> producer, out Stage stage);
        Modelled.Thread? victim = null;
        bool over = false;
        world.Thread("producer", () =>
        {
            victim = Modelled.Thread.CurrentThread;
            try
            {
                ledger.Put(producer, 9);
            }
            catch (ThreadInterruptedException)
            {
                World.Check(!over, "interrupted twice");
            }

            over = true;
        });
        world.Thread("other", () =>
        {
            World.Until(() => victim is not null, "for a thread to interrupt");
            if (!over) victim!.Interrupt();
            if (!over) stage.Step(1);
            World.Until(() => over, "for the producer");
            Parts.StepUntil(stage, ledger.Handled, ledger.Accepted);
        });
        world.AtEnd(() => ledger.Balance(ring));
    }

    // Room that one producer has taken and not used comes back to another that waits for it.
    private static void CreditsBack(World world)
    {
        var log = new Log();
        RingBuffer<Item> ring = Parts.Ring(8, ProducerKind.Multi, Wait.Park());
        Stage stage = ring.Subscribe(new Reader(log), Parts.Stepped());
        MultiProducer<Item> idle = ring.CreateMultiProducer();
        MultiProducer<Item> busy = ring.CreateMultiProducer();
        // The first claim of each takes room for two.
        idle.Put(0);
        for (int n = 0; n < 6; n++) busy.Put(100 + n);
        world.Thread("busy", () => busy.Put(106));
        world.Thread("idle", idle.Dispose);
        world.AtEnd(() =>
        {
            while (stage.Step().Kind == StepKind.Progressed)
            {
            }

            log.IsExactly(0, 100, 101, 102, 103, 104, 105, 106);
        });
    }

    private static RingBuffer<Item> Full(Ledger ledger, ProducerKind kind, out Producer<Item> producer) =>
        Full(ledger, kind, out producer, out _);

    private static RingBuffer<Item> Full(Ledger ledger, ProducerKind kind, out Producer<Item> producer, out Stage stage)
    {
        RingBuffer<Item> ring = Parts.Ring(kind == ProducerKind.Sharded ? 4 : 2, kind, Wait.Park(), take: ledger.Take, drainMilliseconds: 30);
        stage = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        ring.Start();
        producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        ledger.Put(producer, 1);
        return ring;
    }
}
