using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Stages behind and beside each other, of every kind of handler, over every layout.</summary>
internal static class TopologyBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            foreach (ProducerKind kind in (ProducerKind[])[ProducerKind.Single, ProducerKind.Multi, ProducerKind.Sharded])
            {
                string name = kind.ToString().ToLowerInvariant();
                yield return new Body($"stages/chain-{name}", world => Chain(world, kind));
                yield return new Body($"stages/broadcast-{name}", world => Broadcast(world, kind));
            }

            yield return new Body("stages/diamond", Diamond);
            yield return new Body("stages/columns", Columns);
            yield return new Body("stages/events-single", world => Events(world, Dispatch.Single));
            yield return new Body("stages/events-each", world => Events(world, Dispatch.Each(progressInterval: 1)));
            yield return new Body("stages/delegate", world => Delegates(world, Dispatch.Each(progressInterval: 1)));
            yield return new Body("stages/delegate-single", world => Delegates(world, Dispatch.Single));
            yield return new Body("stages/batches-marked", Marked);
            yield return new Body("stages/fused", Fused);
            yield return new Body("stages/manual-driver", Manual);
            yield return new Body("stages/two-rings", TwoRings);
        }
    }

    // What the first writes into the slot the second reads, and the producer writes over neither.
    private static void Chain(World world, ProducerKind kind)
    {
        RingBuffer<Item> ring = Parts.Ring(2, kind, maxProducers: 1);
        var log = new Log();
        Stage first = ring.Slots.Subscribe(new Doubler(), Parts.Stepped());
        Stage second = ring.Slots.Subscribe(new Reader(log), Parts.Stepped(after: first));
        ring.Start();
        Publish(world, ring, 4);
        world.Thread("first", () => Parts.StepTo(first, 3));
        world.Thread("second", () => Parts.StepTo(second, 3));
        world.AtEnd(() => log.IsExactly(0, 2, 4, 6));
    }

    private static void Broadcast(World world, ProducerKind kind)
    {
        RingBuffer<Item> ring = Parts.Ring(4, kind);
        (Log one, Log other) = (new Log(), new Log());
        Stage left = ring.Slots.Subscribe(new Reader(one), Parts.Stepped());
        Stage right = ring.Slots.Subscribe(new Reader(other), Parts.Stepped());
        ring.Start();
        int producers = kind == ProducerKind.Single ? 1 : 2;
        int each = kind == ProducerKind.Single ? 6 : 3;
        for (int p = 0; p < producers; p++)
        {
            int own = p;
            Producer<Item> producer = Parts.Producer(ring);
            world.Thread($"producer {p}", () =>
            {
                for (int n = 0; n < each; n++) producer.Put(own * 100 + n);
            });
        }

        world.Thread("left", () => Parts.StepUntil(left, one, producers * each));
        world.Thread("right", () => Parts.StepUntil(right, other, producers * each));
        world.AtEnd(() =>
        {
            one.IsOfEach(producers, each);
            other.IsExactly([.. one.Values]);
        });
    }

    private static void Diamond(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2);
        (Log one, Log log) = (new Log(), new Log());
        Stage left = ring.Slots.Subscribe(new Reader(one), Parts.Stepped());
        Stage right = ring.Slots.Subscribe((ref Item item) => World.Reads(in item), Parts.Stepped());
        Stage join = ring.Slots.Subscribe(
            (ref Item item) =>
            {
                World.Wrote(in item);
                item.Value++;
                log.Add(in item);
            },
            Parts.Stepped(after: [left, right]));
        ring.Start();
        Publish(world, ring, 3);
        world.Thread("left", () => Parts.StepTo(left, 2));
        world.Thread("right", () => Parts.StepTo(right, 2));
        world.Thread("join", () => Parts.StepTo(join, 2));
        world.AtEnd(() =>
        {
            one.IsExactly(0, 1, 2);
            log.IsExactly(1, 2, 3);
        });
    }

    // The second reads what the first has written into a column beside the items.
    private static void Columns(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2);
        Slots<Item> results = ring.AddColumn<Item>();
        var log = new Log();
        Stage map = ring.Slots.Subscribe(new Map(), results, Parts.Stepped());
        Stage reads = results.Subscribe(new Reader(log), Parts.Stepped(after: map));
        ring.Start();
        Publish(world, ring, 4);
        world.Thread("maps", () => Parts.StepTo(map, 3));
        world.Thread("reads", () => Parts.StepTo(reads, 3));
        world.AtEnd(() => log.IsExactly(100, 101, 102, 103));
    }

    private static void Events(World world, Dispatch dispatch)
    {
        RingBuffer<Item> ring = Parts.Ring(2);
        (Log one, Log other) = (new Log(), new Log());
        Stage first = ring.Slots.Subscribe(new Event(one), Parts.Stepped(dispatch));
        Stage second = ring.Slots.SubscribeEvents(new StructEvent(other), Parts.Stepped(dispatch, after: first));
        ring.Start();
        Publish(world, ring, 4);
        world.Thread("first", () => Parts.StepTo(first, 3));
        world.Thread("second", () => Parts.StepTo(second, 3));
        world.AtEnd(() =>
        {
            one.IsExactly(0, 1, 2, 3);
            other.IsExactly(0, 1, 2, 3);
        });
    }

    private static void Delegates(World world, Dispatch dispatch)
    {
        RingBuffer<Item> ring = Parts.Ring(2, ProducerKind.Multi, maxProducers: 1);
        (Log one, Log other) = (new Log(), new Log());
        Stage first = ring.Slots.Subscribe((ref Item item) => one.Add(in item), Parts.Stepped(dispatch));
        Stage second = ring.Slots.Subscribe((ref Item item) => other.Add(in item), Parts.Stepped(dispatch, after: first));
        ring.Start();
        Publish(world, ring, 4);
        world.Thread("first", () => Parts.StepTo(first, 3));
        world.Thread("second", () => Parts.StepTo(second, 3));
        world.AtEnd(() =>
        {
            one.IsExactly(0, 1, 2, 3);
            other.IsExactly(0, 1, 2, 3);
        });
    }

    // What is marked within a batch is the next stage's at once, and the slots the producer's.
    private static void Marked(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2);
        var log = new Log();
        Stage first = ring.Slots.Subscribe(new Marks(), Parts.Stepped());
        Stage second = ring.Slots.SubscribeBatches(new StructReader(log), Parts.Stepped(Dispatch.Each(progressInterval: 1), after: first));
        ring.Start();
        Publish(world, ring, 4);
        world.Thread("first", () => Parts.StepTo(first, 3));
        world.Thread("second", () => Parts.StepTo(second, 3));
        world.AtEnd(() => log.IsExactly(0, 2, 4, 6));
    }

    private static void Fused(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2, ProducerKind.Multi);
        var log = new Log();
        Stage first = ring.Slots.Subscribe(new Doubler(), new StageOptions { InGroup = true });
        Stage second = ring.Slots.Subscribe(new Reader(log), new StageOptions { InGroup = true, After = [first] });
        var both = new FusedStages([first, second]);
        ring.Start();
        for (int p = 0; p < 2; p++)
        {
            Producer<Item> producer = Parts.Producer(ring);
            world.Thread($"producer {p}", () =>
            {
                producer.Put(1);
                producer.Put(2);
            });
        }

        world.Thread("both", () =>
        {
            while (log.Count < 4)
                if (both.StepOnce().Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
        });
        world.AtEnd(() => World.Check(log.Values.Order().SequenceEqual([2L, 2, 4, 4]), "not each item twice its value"));
    }

    private static void Manual(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2);
        var log = new Log();
        Stage first = ring.Slots.Subscribe(new Doubler(), Parts.Stepped());
        Stage second = ring.Slots.Subscribe(new Reader(log), Parts.Stepped(after: first));
        var driver = new ManualDriver([first, second], seed: 7);
        ring.Start();
        Publish(world, ring, 4);
        world.Thread("driver", () =>
        {
            driver.StepAny(1);
            while (log.Count < 4)
                if (driver.RunUntilIdle() == 0) Modelled.Thread.SpinWait(1);
        });
        world.AtEnd(() => log.IsExactly(0, 2, 4, 6));
    }

    // A handler publishes into the next ring, which is full now and then: it waits there, and its own producer for it.
    private static void TwoRings(World world)
    {
        (RingBuffer<Item> near, RingBuffer<Item> far) = (Parts.Ring(2), Parts.Ring(2));
        var log = new Log();
        Producer<Item> onward = Parts.Producer(far);
        Stage relay = near.Slots.Subscribe(
            (ref Item item) =>
            {
                World.Reads(in item);
                onward.Put(item.Value);
            },
            Parts.Stepped());
        Stage last = far.Slots.Subscribe(new Reader(log), Parts.Stepped());
        near.Start();
        far.Start();
        Publish(world, near, 4);
        world.Thread("relay", () => Parts.StepTo(relay, 3));
        world.Thread("last", () => Parts.StepUntil(last, log, 4));
        world.AtEnd(() => log.IsExactly(0, 1, 2, 3));
    }

    private static void Publish(World world, RingBuffer<Item> ring, int count)
    {
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < count; n++) producer.Put(n);
        });
    }

    private sealed class Event(Log log) : IEventHandler<Item>
    {
        public void OnEvent(ref Item item, long sequence, bool endOfBatch) => log.Add(in item);
    }

    private readonly struct StructEvent(Log log) : IEventHandler<Item>
    {
        public void OnEvent(ref Item item, long sequence, bool endOfBatch) => log.Add(in item);
    }

    private readonly struct StructReader(Log log) : IBatchHandler<Item>
    {
        public void OnBatch(Batch<Item> batch)
        {
            foreach (ref Item item in batch) log.Add(in item);
        }
    }

    private sealed class Marks : IBatchHandler<Item>
    {
        public void OnBatch(Batch<Item> batch)
        {
            for (int i = 0; i < batch.Count; i++)
            {
                World.Wrote(in batch[i]);
                batch[i].Value *= 2;
                batch.Complete(i + 1);
            }
        }
    }

    private sealed class Map : IMapHandler<Item, Item>
    {
        public void OnBatch(Batch<Item> source, Batch<Item> results)
        {
            for (int i = 0; i < source.Count; i++)
            {
                World.Reads(in source[i]);
                World.Wrote(in results[i]);
                results[i].Value = source[i].Value + 100;
            }
        }
    }
}
