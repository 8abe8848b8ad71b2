using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Rings that end while producers publish: what was accepted is handled or counted, what was refused is neither.</summary>
internal static class LifecycleBodies
{
    private static readonly TimeSpan s_ample = TimeSpan.FromSeconds(5);

    public static IEnumerable<Body> All
    {
        get
        {
            foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
            {
                string name = kind.ToString().ToLowerInvariant();
                yield return new Body($"lifecycle/drain-{name}", world => Against(world, kind, true, Drain));
                yield return new Body($"lifecycle/halt-{name}", world => Against(world, kind, false, Halt));
                yield return new Body($"lifecycle/dispose-{name}", world => Against(world, kind, false, Dispose));
                yield return new Body($"lifecycle/drain-claims-{name}", world => DrainClaims(world, kind));
                yield return new Body($"lifecycle/halt-claim-late-{name}", world => HaltClaim(world, kind, commit: true));
            }

            yield return new Body("lifecycle/complete-halt-at-once", world => Against(world, ProducerKind.Single, false, Complete, Halt));
            yield return new Body("lifecycle/drain-halt-at-once", world => Against(world, ProducerKind.Single, false, static ring => ring.DrainAsync(s_ample).Wait(), Halt));
            yield return new Body("lifecycle/dispose-twice-at-once", world => Against(world, ProducerKind.Single, false, Dispose, Dispose));
            yield return new Body("lifecycle/halt-claim-aborted", world => HaltClaim(world, ProducerKind.Multi, commit: false));
            yield return new Body("lifecycle/drain-open-producer", DrainOpenProducer);
            yield return new Body("lifecycle/halt-behind-hole", HaltBehindHole);
            yield return new Body("lifecycle/halt-step", HaltStep);
            yield return new Body("lifecycle/drain-timeout", DrainTimeout);
            yield return new Body("lifecycle/drain-cancelled", DrainCancelled);
        }
    }

    private static void Complete(Ring ring) => ring.Complete();

    private static void Halt(Ring ring) => ring.HaltAsync().Wait();

    private static void Dispose(Ring ring) => ring.DisposeAsync().AsTask().Wait();

    private static void Drain(Ring ring)
    {
        DrainResult result = ring.DrainAsync(s_ample).Result;
        World.Check(result.IsDrained, result.ToString());
    }

    /// <summary>Producers publish while each of <paramref name="closers"/> ends the ring on a thread of its own.</summary>
    private static void Against(World world, ProducerKind kind, bool handlesAll, params Action<Ring>[] closers)
    {
        var ledger = new Ledger();
        var handler = new Hooked(ledger.Handled);
        RingBuffer<Item> ring = Open(ledger, kind);
        Stage stage = ring.Subscribe(handler, Parts.Stepped());
        ring.Start();
        for (int p = 0; p < (kind == ProducerKind.Single ? 1 : 2); p++)
        {
            Producer<Item> producer = Parts.Producer(ring);
            int own = p * 100;
            world.Thread($"producer {p}", () =>
            {
                if (ledger.Put(producer, own)) ledger.Put(producer, own + 1);
            });
        }

        world.Thread("stage", () => stage.StepToTheEnd());
        foreach (Action<Ring> close in closers) world.Thread("closer", () => close(ring));
        world.Thread("end", () => ring.Completion.Wait());
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            handler.HasEnded();
            if (handlesAll) World.Equal(0, ledger.Left, "left over");
            World.Equal(RingState.Stopped, ring.State, "state");
        });
    }

    // A claim that was let in is waited for: its commit never comes too late.
    private static void DrainClaims(World world, ProducerKind kind)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Open(ledger, kind);
        Stage stage = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 2; n++)
            {
                if (producer.TryClaim(1, out Claim<Item> claim) != ClaimStatus.Done) continue;
                Ledger.Write(ref claim.Slot, n);
                if (!ledger.Commit(ref claim, n)) World.Check(false, "a claim that was let in was refused when it was committed");
            }
        });
        world.Thread("stage", () => stage.StepToTheEnd());
        world.Thread("closer", () => Drain(ring));
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            World.Equal(0, ledger.Left, "left over");
        });
    }

    private static void HaltClaim(World world, ProducerKind kind, bool commit)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Open(ledger, kind);
        Stage stage = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ledger.Claim(producer, 1, commit);
            ledger.Claim(producer, 2);
        });
        world.Thread("stage", () => stage.Step());
        world.Thread("closer", () => Halt(ring));
        world.AtEnd(() => ledger.Balance(ring));
    }

    private static void DrainOpenProducer(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Open(ledger, ProducerKind.Single);
        Stage stage = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        ring.Start();
        SingleProducer<Item> producer = ring.CreateProducer();
        world.Thread("producer", () => ledger.Book(9, () =>
        {
            using OpenProducer<Item> open = producer.Open();
            // The first claim makes room and is announced there; the second is announced and looks by itself.
            for (int n = 0; n < 2; n++)
            {
                Ledger.Write(ref open.Claim(), n);
                open.Commit();
                ledger.Book(n, static () => { });
            }

            throw new RingStoppedException("The books end here: 9 was never published.");
        }));
        world.Thread("stage", () => stage.StepToTheEnd());
        world.Thread("closer", () => Drain(ring));
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            World.Equal(0, ledger.Left, "left over");
        });
    }

    // What one publishes behind the open claim of another is counted when the ring is halted; the claim comes too late.
    private static void HaltBehindHole(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Open(ledger, ProducerKind.Multi);
        Stage stage = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        ring.Start();
        Producer<Item> slow = Parts.Producer(ring);
        Producer<Item> quick = Parts.Producer(ring);
        bool claimed = false;
        bool ended = false;
        world.Thread("slow", () =>
        {
            Claim<Item> claim = slow.Claim();
            claimed = true;
            World.Until(() => ended, "for the end of the ring");
            Ledger.Write(ref claim.Slot, 1);
            World.Check(!ledger.Commit(ref claim, 1), "a commit behind the seal was accepted");
        });
        world.Thread("quick", () =>
        {
            World.Until(() => claimed, "for the claim in front");
            ledger.Put(quick, 2);
        });
        world.Thread("stage", () => stage.Step());
        world.Thread("closer", () =>
        {
            World.Until(() => claimed, "for the claim");
            Halt(ring);
            ended = true;
        });
        world.AtEnd(() => ledger.Balance(ring));
    }

    // The ring ends a stage that its user steps: never while a step is under way, and never twice.
    private static void HaltStep(World world)
    {
        var ledger = new Ledger();
        var handler = new Hooked(ledger.Handled);
        RingBuffer<Item> ring = Open(ledger, ProducerKind.Single);
        Stage stage = ring.Subscribe(handler, Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 1);
        ledger.Put(producer, 2);
        world.Thread("stage", () =>
        {
            stage.Step(1);
            stage.Step(1);
        });
        world.Thread("closer", () =>
        {
            Halt(ring);
            handler.HasEnded();
        });
        world.AtEnd(() => ledger.Balance(ring));
    }

    private static void DrainTimeout(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Open(ledger, ProducerKind.Single);
        Stage stage = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 1);
        bool timedOut = false;
        world.Thread("closer", () =>
        {
            DrainResult result = ring.DrainAsync(TimeSpan.FromMilliseconds(10)).Result;
            World.Equal(DrainStatus.TimedOut, result.Status, result.ToString());
            timedOut = true;
            Drain(ring);
        });
        world.Thread("stage", () =>
        {
            World.Until(() => timedOut, "for the time to be up");
            stage.StepToTheEnd();
        });
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            ledger.Handled.IsExactly(1);
        });
    }

    private static void DrainCancelled(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Open(ledger, ProducerKind.Single);
        Stage stage = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        ring.Start();
        ledger.Put(Parts.Producer(ring), 1);
        var cancel = new CancellationTokenSource();
        world.Thread("closer", () =>
        {
            try
            {
                ring.DrainAsync(s_ample, cancel.Token).Wait();
            }
            catch (OperationCanceledException)
            {
                World.Check(ring.State != RingState.Running, "a cancelled wait has opened the ring again");
            }

            Drain(ring);
        });
        world.Thread("canceller", cancel.Cancel);
        world.Thread("stage", () => stage.StepToTheEnd());
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            ledger.Handled.IsExactly(1);
        });
    }

    private static RingBuffer<Item> Open(Ledger ledger, ProducerKind kind) =>
        Parts.Ring(kind == ProducerKind.Single ? 2 : 4, kind, wait: Wait.Park(), take: ledger.Take);
}
