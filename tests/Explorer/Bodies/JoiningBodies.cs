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
            yield return new Body("join/gates-and-room", Gates);
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
            while (joined.Position < 3)
                if (joined.Step().Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
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
        world.Thread("first", () => StepTo(first, 2));
        world.Thread("joins", () => StepTo(ring.Slots.Subscribe(new Reader(late), Parts.Stepped(after: first)), 2));
        world.AtEnd(() => late.IsExactly([.. Enumerable.Range(3 - late.Count, late.Count).Select(n => 2L * n)]));
    }

    // A gate added while another thread computes room: no room is found beyond where the new gate starts.
    private static void Gates(World world)
    {
        const int Capacity = 2;
        RingBuffer<Item> ring = Parts.Ring(Capacity);
        Sequencer sequencer = ring.Sequencer;
        Progress old = sequencer.NewProgress(-1);
        Progress late = sequencer.NewProgress(-1);
        sequencer.AddGate(old);
        long started = 0;
        world.Thread("moves", () =>
        {
            for (int n = 0; n < 2; n++)
            {
                // The cursor first: no gate is ahead of what is published.
                sequencer.Cursor.Advance(n);
                old.Advance(n);
            }
        });
        // Gates come and go one at a time, as under the ring's own gate.
        object gate = new();
        world.Thread("joins", () =>
        {
            Gate.Enter(gate);
            late.Reposition(sequencer.ReleasedThrough());
            sequencer.AddGate(late);
            started = sequencer.PublishedThrough(except: late);
            late.Advance(started);
            Gate.Exit(gate);
        });
        world.Thread("claims", () =>
        {
            long released = sequencer.ReleasedThrough();
            Gate.Enter(gate);
            sequencer.RemoveGate(old);
            Gate.Exit(gate);
            long kept = sequencer.ReleasedThrough();
            World.Check(kept >= released, $"{released} were released, then {kept}");
        });
        world.AtEnd(() => World.Check(started >= sequencer.ReleasedThrough() - Capacity, "joined behind what is released"));
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
        world.Thread("first", () => StepTo(first, 3));
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
                if (kind == StepKind.Idle) Modelled.Thread.SpinWait(1);
        });
    }

    private static void StepTo(Stage stage, long sequence)
    {
        while (stage.Position < sequence)
            if (stage.Step().Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
    }
}
