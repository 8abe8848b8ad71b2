using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Claims of several, given up in part, beside other layouts and at the edges of sequences.</summary>
internal static class ClaimingBodies
{
    private const long LapEdge = 1L << 30;

    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("claim/batches-single", world => Batches(world, ProducerKind.Single));
            yield return new Body("claim/batches-sharded", world => Batches(world, ProducerKind.Sharded));
            yield return new Body("claim/tombstones-chain", Tombstones);
            yield return new Body("claim/tombstones-only", world => Aborts(world, Wait.Async()));
            yield return new Body("claim/tombstones-parked", world => Aborts(world, Wait.Park()));
            yield return new Body("claim/open-producer", Open);
            yield return new Body("claim/vectors", world => Vectors(world, 32, 19));
            yield return new Body("claim/vectors-wrap", world => Vectors(world, 16, 13, start: 9));
            yield return new Body("claim/padded-stamps", world => Layout(world, ProducerKind.Multi, StampLayout.Padded, 0));
            yield return new Body("claim/stamps-in-slots-multi", world => Layout(world, ProducerKind.Multi, StampLayout.InSlot, 16));
            yield return new Body("claim/stamps-in-slots-single", world => Layout(world, ProducerKind.Single, StampLayout.InSlot, 16));
            yield return new Body("claim/stride", world => Layout(world, ProducerKind.Single, StampLayout.Separate, 32));
            yield return new Body("claim/start-int-edge", world => Edge(world, ProducerKind.Single, int.MaxValue - 1L));
            yield return new Body("claim/start-lap-edge", world => Edge(world, ProducerKind.Multi, 2 * LapEdge - 1));
            yield return new Body("claim/start-lap-wraps", world => Edge(world, ProducerKind.Multi, 4 * 2 * LapEdge - 2));
            yield return new Body("claim/long-edge-single", world => End(world, ProducerKind.Single));
            yield return new Body("claim/long-edge-multi", world => End(world, ProducerKind.Multi));
        }
    }

    // Claims that wrap, the second of them committed in part and so rewound.
    private static void Batches(World world, ProducerKind kind)
    {
        RingBuffer<Item> ring = Parts.Ring(4, kind, maxProducers: 1);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            Parts.PutMany(producer, 0, 3, 3);
            Parts.PutMany(producer, 3, 3, 1);
            Parts.PutMany(producer, 9, 2, 0);
            Parts.PutMany(producer, 4, 4, 4);
        });
        world.Thread("stage", () => Parts.StepUntil(stage, log, 8));
        world.AtEnd(() => log.IsExactly(0, 1, 2, 3, 4, 5, 6, 7));
    }

    // A claim given up in part leaves tombstones, which two stages in a row pass over.
    private static void Tombstones(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(4, ProducerKind.Multi);
        (Log one, Log other) = (new Log(), new Log());
        Stage first = ring.Slots.Subscribe(new Reader(one), Parts.Stepped());
        Stage second = ring.Slots.Subscribe(new Reader(other), Parts.Stepped(after: first));
        ring.Start();
        for (int p = 0; p < 2; p++)
        {
            int own = p;
            Producer<Item> producer = Parts.Producer(ring);
            world.Thread($"producer {p}", () =>
            {
                Parts.PutMany(producer, own * 100, 2, own);
                if (own == 0) producer.Put(0);
            });
        }

        world.Thread("first", () => Parts.StepUntil(first, one, 2));
        world.Thread("second", () => Parts.StepUntil(second, other, 2));
        world.AtEnd(() =>
        {
            one.IsOfEach(2, 1);
            other.IsExactly([.. one.Values]);
        });
    }

    // Nothing but given-up claims, and one item after them: who sleeps at a tombstone is woken by it.
    private static void Aborts(World world, Wait wait)
    {
        RingBuffer<Item> ring = Parts.Ring(2, ProducerKind.Multi, wait);
        var log = new Log();
        ring.Slots.Subscribe(new Reader(log));
        _ = ring.StartAsync();
        (Producer<Item> gives, Producer<Item> puts) = (Parts.Producer(ring), Parts.Producer(ring));
        world.Thread("gives up", () =>
        {
            Parts.AfterPolls(wait);
            Parts.PutMany(gives, 9, 1, 0);
            Parts.PutMany(gives, 9, 1, 0);
        });
        world.Thread("puts", () =>
        {
            Parts.AfterPolls(wait);
            puts.Put(1);
        });
        world.Thread("end", () => World.Until(() => log.Count == 1, "for the item"));
        world.AtEnd(() => log.IsExactly(1));
    }

    private static void Open(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        SingleProducer<Item> producer = ring.CreateProducer();
        world.Thread("producer", () => World.Writing(() =>
        {
            using (OpenProducer<Item> open = producer.Open())
            {
                open.Publish(new Item { Value = 0 });
                foreach (ref Item item in open.Claim(2)) item.Value = 1;
                open.Commit(1);
                open.Claim().Value = 2;
                open.Commit();
            }

            producer.Publish(new Item { Value = 3 });
        }));
        world.Thread("stage", () => Parts.StepUntil(stage, log, 4));
        world.AtEnd(() => log.IsExactly(0, 1, 2, 3));
    }

    // Runs of stamps long enough for the widest vectors, which see them by plain loads.
    private static void Vectors(World world, int capacity, int most, long start = 0)
    {
        RingBuffer<Item> ring = Parts.Ring(capacity, ProducerKind.Multi, start: start);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        (Producer<Item> one, Producer<Item> other) = (Parts.Producer(ring), Parts.Producer(ring));
        for (int n = 0; n < most - 2; n++) one.Put(n);
        world.Thread("one", () => Parts.PutMany(one, most - 2, 2, 2));
        world.Thread("other", () => other.Put(100));
        world.Thread("stage", () => Parts.StepUntil(stage, log, most + 1));
        world.AtEnd(() =>
        {
            World.Check(log.Values.Where(value => value != 100).SequenceEqual(Enumerable.Range(0, most).Select(n => (long)n)), "out of order");
            World.Equal(1, log.Values.Count(value => value == 100), "items of the other");
        });
    }

    private static void Layout(World world, ProducerKind kind, StampLayout stamps, int stride)
    {
        RingBuffer<Item> ring = Parts.Ring(2, kind, stamps: stamps, slotStride: stride);
        var log = new Log();
        Stage first = ring.Slots.Subscribe(new Reader(new Log()), Parts.Stepped());
        Stage second = ring.Slots.Subscribe(new Reader(log), Parts.Stepped(after: first));
        ring.Start();
        int producers = kind == ProducerKind.Multi ? 2 : 1;
        for (int p = 0; p < producers; p++)
        {
            int own = p;
            Producer<Item> producer = Parts.Producer(ring);
            world.Thread($"producer {p}", () =>
            {
                producer.Put(own * 100);
                producer.Put(own * 100 + 1);
                if (producers == 1) producer.Put(2);
            });
        }

        int each = producers == 1 ? 3 : 2;
        world.Thread("both", () =>
        {
            while (log.Count < producers * each)
            {
                bool worked = first.Step().Kind == StepKind.Progressed;
                if (second.Step().Kind != StepKind.Progressed && !worked) Modelled.Thread.SpinWait(1);
            }
        });
        world.AtEnd(() => log.IsOfEach(producers, each));
    }

    private static void Edge(World world, ProducerKind kind, long start)
    {
        RingBuffer<Item> ring = Parts.Ring(2, kind, start: start);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 4; n++) producer.Put(n);
        });
        world.Thread("stage", () => Parts.StepUntil(stage, log, 4));
        world.AtEnd(() =>
        {
            log.IsExactly(0, 1, 2, 3);
            World.Equal(start + 3, stage.Position, "position");
        });
    }

    // The last sequences are claimed, and then none, by whichever thread comes.
    private static void End(World world, ProducerKind kind)
    {
        const int Capacity = 2;
        const int Fit = 2;
        RingBuffer<Item> ring = Parts.Ring(Capacity, kind, start: long.MaxValue - 2L * Capacity - Fit + 1);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        int producers = kind == ProducerKind.Multi ? 2 : 1;
        int exhausted = 0;
        for (int p = 0; p < producers; p++)
        {
            Producer<Item> producer = Parts.Producer(ring);
            world.Thread($"producer {p}", () =>
            {
                for (int n = 0; n < 4 / producers; n++)
                {
                    try
                    {
                        producer.Put(n);
                    }
                    catch (SequenceExhaustedException)
                    {
                        exhausted++;
                    }
                }
            });
        }

        world.Thread("stage", () => Parts.StepUntil(stage, log, Fit));
        world.AtEnd(() =>
        {
            World.Equal(4 - Fit, exhausted, "claims refused");
            World.Equal(Fit, log.Count, "items");
        });
    }
}
