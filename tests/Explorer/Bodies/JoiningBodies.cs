using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Stages that come and go while the ring runs, and claims against its closing.</summary>
internal static class JoiningBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("join/live-single", world => Live(world, ProducerKind.Single));
            yield return new Body("join/live-multi", world => Live(world, ProducerKind.Multi));
            yield return new Body("join/live-sharded", world => Live(world, ProducerKind.Sharded));
            yield return new Body("join/live-behind-another", Behind);
            // Not where loads are stale: a fence on one side suffices where all see stores in one order, and the model then has none.
            yield return new Body("join/one-thread-does-all", OneThread);
            yield return new Body("join/gates-and-room", Gates) { Modes = [MemoryMode.Sequential, MemoryMode.StoreBuffers] };
            yield return new Body("leave/last-gate", LastGate);
            yield return new Body("leave/blocked-producer", world => Leave(world, Wait.Park(), others: true));
            yield return new Body("leave/the-only-stage", world => Leave(world, Wait.Park(), others: false));
            yield return new Body("leave/follower", Follower);
            yield return new Body("close/claim-held-open", world => Close(world, ProducerKind.Single));
            yield return new Body("close/claim-multi", world => Close(world, ProducerKind.Multi));
            yield return new Body("close/open-producer", CloseOpen);
        }
    }

    // It sees all that is published after it has joined, without a gap, and its slots are kept for it.
    private static void Live(World world, ProducerKind kind)
    {
        RingBuffer<Item> ring = Parts.Ring(2, kind, maxProducers: 1);
        (Log old, Log late) = (new Log(), new Log());
        Stage stage = ring.Slots.Subscribe(new Reader(old), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 4; n++) producer.Put(n);
        });
        world.Thread("stage", () => Parts.StepUntil(stage, old, 4));
        world.Thread("joins", () =>
        {
            Stage joined = ring.Slots.Subscribe(new Reader(late), Parts.Stepped());
            Parts.StepTo(joined, 3);
        });
        world.AtEnd(() =>
        {
            old.IsExactly(0, 1, 2, 3);
            late.IsExactly([.. Enumerable.Range(4 - late.Count, late.Count).Select(n => (long)n)]);
        });
    }

    private static void Behind(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2);
        var late = new Log();
        Stage first = ring.Slots.Subscribe(new Doubler(), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 3; n++) producer.Put(n);
        });
        world.Thread("first", () => Parts.StepTo(first, 2));
        world.Thread("joins", () => Parts.StepTo(ring.Slots.Subscribe(new Reader(late), Parts.Stepped(after: first)), 2));
        world.AtEnd(() => late.IsExactly([.. Enumerable.Range(3 - late.Count, late.Count).Select(n => 2L * n)]));
    }

    // What others take for released, by the old set or the new one, is nothing that the joining stage starts at.
    private static void Gates(World world)
    {
        Sequencer sequencer = Parts.Ring(2).Sequencer;
        Progress old = sequencer.NewProgress(-1);
        Progress late = sequencer.NewProgress(-1);
        sequencer.AddGate(old);
        long started = 0;
        long released = 0;
        world.Thread("moves", () =>
        {
            for (int n = 0; n < 2; n++)
            {
                sequencer.Cursor.Advance(n);
                old.Advance(n);
            }
        });
        world.Thread("joins", () =>
        {
            late.Reposition(sequencer.ReleasedThrough());
            sequencer.AddGate(late);
            started = sequencer.PublishedThrough(except: late);
            late.Advance(started);
        });
        world.Thread("claims", () => released = sequencer.ReleasedThrough());
        world.AtEnd(() => World.Check(released <= started, $"{released} taken for released, but a stage starts behind {started}"));
    }

    // One thread publishes, steps and looks for room, so what it has published may still be in its store buffer.
    private static void OneThread(World world)
    {
        Sequencer sequencer = Parts.Ring(2).Sequencer;
        Progress old = sequencer.NewProgress(-1);
        Progress late = sequencer.NewProgress(-1);
        sequencer.AddGate(old);
        (long released, long started) = (-1, -1);
        world.Thread("all", () =>
        {
            sequencer.Cursor.Advance(0);
            old.Advance(0);
            released = sequencer.ReleasedThrough();
        });
        world.Thread("joins", () =>
        {
            late.Reposition(sequencer.ReleasedThrough());
            sequencer.AddGate(late);
            started = sequencer.PublishedThrough(except: late);
            late.Advance(started);
        });
        world.AtEnd(() => World.Check(released <= started, $"{released} taken for released, but a stage starts behind {started}"));
    }

    // The last gate goes: what it has passed is what was released, and never less than that.
    private static void LastGate(World world)
    {
        Sequencer sequencer = Parts.Ring(2).Sequencer;
        Progress last = sequencer.NewProgress(-1);
        sequencer.AddGate(last);
        last.Advance(1);
        world.Thread("leaves", () => sequencer.RemoveGate(last));
        for (int n = 0; n < 2; n++)
            world.Thread("claims", () => World.Equal(1, sequencer.ReleasedThrough(), "released"));
    }

    // Asleep for room that only the leaving stage holds back.
    private static void Leave(World world, Wait wait, bool others)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: wait);
        var log = new Log();
        Stage leaves = ring.Slots.Subscribe(new Reader(new Log()), Parts.Stepped());
        Stage? stays = others ? ring.Slots.Subscribe(new Reader(log), Parts.Stepped()) : null;
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(0);
        producer.Put(1);
        stays?.Step();
        Task? left = null;
        world.Thread("producer", () => producer.Put(2));
        world.Thread("leaves", async () =>
        {
            Parts.AfterPolls(wait);
            await (left = ring.DetachAsync(leaves));
            // Without any stage there is room for what was released by then, and no more.
            if (stays is null) ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        });
        world.AtEnd(() =>
        {
            if (stays is null) return;
            stays.Step();
            log.IsExactly(0, 1, 2);
        });
    }

    // What it followed holds slots back itself again.
    private static void Follower(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2);
        (Log one, Log other) = (new Log(), new Log());
        Stage first = ring.Slots.Subscribe(new Reader(one), Parts.Stepped());
        Stage second = ring.Slots.Subscribe(new Reader(other), Parts.Stepped(after: first));
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(0);
        producer.Put(1);
        world.Thread("producer", () =>
        {
            producer.Put(2);
            producer.Put(3);
        });
        world.Thread("first", () => Parts.StepTo(first, 3));
        world.Thread("leaves", () =>
        {
            second.Step();
            return ring.DetachAsync(second);
        });
        world.AtEnd(() => one.IsExactly(0, 1, 2, 3));
    }

    // A claim that a closing ring has let in is waited for: its commit is never refused, and its item is seen.
    private static void Close(World world, ProducerKind kind)
    {
        RingBuffer<Item> ring = Parts.Ring(2, kind);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        int accepted = 0;
        world.Thread("producer", () =>
        {
            if (producer.TryClaim(1, out Claim<Item> claim) != ClaimStatus.Done) return;
            World.Wrote(in claim.Slot);
            claim.Slot.Value = 0;
            claim.Commit();
            accepted++;
        });
        Drain(world, ring, stage);
        world.AtEnd(() => World.Equal(accepted, log.Count, "items handled of those accepted"));
    }

    private static void CloseOpen(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        SingleProducer<Item> producer = ring.CreateProducer();
        int accepted = 0;
        world.Thread("producer", () =>
        {
            using OpenProducer<Item> open = producer.Open();
            try
            {
                ref Item slot = ref open.Claim();
                World.Wrote(in slot);
                slot.Value = 0;
            }
            catch (RingStoppedException)
            {
                return;
            }

            open.Commit();
            accepted++;
        });
        Drain(world, ring, stage);
        world.AtEnd(() => World.Equal(accepted, log.Count, "items handled of those accepted"));
    }

    private static void Drain(World world, RingBuffer<Item> ring, Stage stage)
    {
        world.Thread("drains", async () =>
        {
            DrainResult result = await ring.DrainAsync(TimeSpan.FromSeconds(5));
            World.Equal(DrainStatus.Drained, result.Status, "drained");
        });
        world.Thread("stage", () =>
        {
            for (StepKind kind = StepKind.Idle; kind != StepKind.Stopped; kind = stage.Step().Kind)
                if (kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
        });
    }
}
