using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Stages that poll, or are asleep or about to be, against whoever publishes.</summary>
internal static class WaitingBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            foreach (Wait wait in Wait.All)
                yield return new Body($"wait/{wait.Name}-single", world => Stage(world, wait, ProducerKind.Single, 1, 2));
            foreach (Wait wait in (Wait[])[Wait.Park(), Wait.Async()])
            {
                yield return new Body($"wait/{wait.Name}-multi", world => Stage(world, wait, ProducerKind.Multi, 2, 1));
                yield return new Body($"wait/{wait.Name}-sharded", world => Stage(world, wait, ProducerKind.Sharded, 2, 1));
                yield return new Body($"wait/{wait.Name}-chain", world => Chain(world, wait, 1));
                yield return new Body($"wait/{wait.Name}-join", world => Join(world, wait));
            }

            foreach (Wait wait in (Wait[])[Wait.Park(), Wait.TimedPark(TimeSpan.FromMilliseconds(1))])
                yield return new Body($"wait/{wait.Name}-asleep-at-once", world => AsleepAtOnce(world, wait));
            yield return new Body("wait/park-stamps-in-slots", world => InSlots(world, Wait.Park()));
            yield return new Body("wait/async-open-producer", world => Open(world, Wait.Async()));
            yield return new Body("wait/async-single-dispatch", world => Dispatched(world, Dispatch.Single));
            yield return new Body("wait/async-progress-interval", world => Dispatched(world, Dispatch.Each(progressInterval: 1)));
            yield return new Body("wait/everybody-parked", world => Everybody(world, Wait.Park()));
            yield return new Body("wait/everybody-async", world => Everybody(world, Wait.Async()));
            yield return new Body("wait/interrupt-a-stage", InterruptStage);
            yield return new Body("wait/two-groups-of-stages", world => Fused(world, Wait.Park()));
        }
    }

    // The stage sleeps, or nearly, when the first is published; with what follows it may sleep again or not.
    private static void Stage(World world, Wait wait, ProducerKind kind, int producers, int each)
    {
        RingBuffer<Item> ring = Parts.Ring(kind == ProducerKind.Sharded ? 4 : 2, kind, wait, maxProducers: producers);
        var log = new Log();
        ring.Slots.Subscribe(new Reader(log));
        _ = ring.StartAsync();
        for (int p = 0; p < producers; p++)
        {
            int own = p;
            Producer<Item> producer = Parts.Producer(ring);
            world.Thread($"producer {p}", () =>
            {
                Parts.AfterPolls(wait);
                for (int n = 0; n < each; n++) producer.Put(own * 100 + n);
            });
        }

        world.Thread("end", () => World.Until(() => log.Count == producers * each, "for all to be seen"));
        world.AtEnd(() => log.IsOfEach(producers, each));
    }

    // By itself, and without polls: so few steps that every interleaving of going to sleep and advancing is met.
    private static void AsleepAtOnce(World world, Wait wait)
    {
        RingBuffer<Item> ring = Parts.Ring(2);
        Progress cell = ring.Sequencer.NewProgress(0);
        Waiting waiting = wait.Create(new WaitContext(LeadsChain: true, Capacity: 2, HasStamps: false, IsProducer: false));
        world.Thread("advances", () => cell.Advance(1));
        world.Thread("waits", () =>
        {
            var target = new WaitTarget(cell, 1, Clock.Never, ring.Control, ring.Control.Word) { IsFar = true };
            while (!cell.IsReached(1)) waiting.Idle(target);
        });
    }

    private static void InSlots(World world, Wait wait)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: wait, stamps: StampLayout.InSlot, slotStride: 16);
        var log = new Log();
        ring.Slots.Subscribe(new Reader(log));
        _ = ring.StartAsync();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            Parts.AfterPolls(wait);
            producer.Put(0);
            producer.Put(1);
        });
        world.Thread("end", () => World.Until(() => log.Count == 2, "for both to be seen"));
        world.AtEnd(() => log.IsExactly(0, 1));
    }

    private static void Open(World world, Wait wait)
    {
        RingBuffer<Item> ring = Parts.Ring(4, wait: wait);
        var log = new Log();
        ring.Slots.Subscribe(new Reader(log));
        _ = ring.StartAsync();
        SingleProducer<Item> producer = ring.CreateProducer();
        world.Thread("producer", () => World.Writing(() =>
        {
            using OpenProducer<Item> open = producer.Open();
            open.Publish(new Item { Value = 0 });
            open.Claim().Value = 1;
            open.Commit();
            foreach (ref Item item in open.Claim(2)) item.Value = 2;
            open.Commit(1);
        }));
        world.Thread("end", () => World.Until(() => log.Count == 3, "for all to be seen"));
        world.AtEnd(() => log.IsExactly(0, 1, 2));
    }

    // The second stage follows a first that reports after each item.
    private static void Dispatched(World world, Dispatch dispatch)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: Wait.Async());
        var log = new Log();
        Stage first = ring.Slots.Subscribe((ref Item item) =>
        {
            World.Wrote(in item);
            item.Value += 10;
        }, Parts.Stepped(dispatch));
        ring.Slots.Subscribe(new Reader(log), new StageOptions { After = [first] });
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(0);
        producer.Put(1);
        _ = ring.StartAsync();
        world.Thread("first", () => first.Step());
        world.Thread("end", () => World.Until(() => log.Count == 2, "for both to be seen"));
        world.AtEnd(() => log.IsExactly(10, 11));
    }

    private static void Chain(World world, Wait wait, int items)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: wait);
        var log = new Log();
        Stage first = ring.Slots.Subscribe(new Doubler());
        ring.Slots.Subscribe(new Reader(log), new StageOptions { After = [first] });
        _ = ring.StartAsync();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            Parts.AfterPolls(wait, sleepers: 2);
            for (int n = 1; n <= items; n++) producer.Put(n);
        });
        world.Thread("end", () => World.Until(() => log.Count == items, "for all to be seen"));
        world.AtEnd(() => log.IsExactly([.. Enumerable.Range(1, items).Select(n => 2L * n)]));
    }

    // Two stages that their callers step, and one behind both, asleep on whichever lags.
    private static void Join(World world, Wait wait)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: wait);
        var (left, right, log) = (new Log(), new Log(), new Log());
        Stage one = ring.Slots.Subscribe(new Reader(left), Parts.Stepped());
        Stage other = ring.Slots.Subscribe(new Reader(right), Parts.Stepped());
        ring.Slots.Subscribe(new Reader(log), new StageOptions { After = [one, other] });
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(7);
        _ = ring.StartAsync();
        foreach (Stage stage in (Stage[])[one, other])
        {
            world.Thread(stage.Name, () =>
            {
                Parts.AfterPolls(wait);
                stage.Step();
            });
        }

        world.Thread("end", () => World.Until(() => log.Count == 1, "for the join"));
        world.AtEnd(() => World.Check(left.Count == 1 && right.Count == 1, "joined too early"));
    }

    // Two stages asleep in a chain, and then the producer too: twice as many items as there is room for.
    private static void Everybody(World world, Wait wait)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: wait);
        var log = new Log();
        bool held = true;
        Stage first = ring.Slots.Subscribe((ref Item item) =>
        {
            World.Reads(in item);
            // Everybody else has gone to sleep by then.
            if (held) Parts.Pause(Parts.Polls(2));
            held = false;
        });
        ring.Slots.Subscribe(new Reader(log), new StageOptions { After = [first] });
        _ = ring.StartAsync();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 4; n++) producer.Put(n);
        });
        world.Thread("end", () => World.Until(() => log.Count == 4, "for all to be seen"));
        world.AtEnd(() => log.IsExactly(0, 1, 2, 3));
    }

    // Counted, and nothing else: it sleeps on, and is woken by the item.
    private static void InterruptStage(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: Wait.Park());
        var started = new Started();
        ring.Slots.Subscribe(started);
        _ = ring.StartAsync();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("interrupter", () =>
        {
            Parts.AfterPolls(Wait.Park());
            World.Until(() => started.Thread is not null, "for the stage's thread");
            started.Thread!.Interrupt();
        });
        world.Thread("producer", () =>
        {
            Parts.AfterPolls(Wait.Park());
            producer.Put(1);
        });
        world.Thread("end", () => World.Until(() => started.Log.Count == 1, "for the item"));
        world.AtEnd(() => World.Equal(RingState.Running, ring.State, "state"));
    }

    // Two stages on one thread sleep on what producers publish; a third follows on its own.
    private static void Fused(World world, Wait wait)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: wait);
        var log = new Log();
        Stage first = ring.Slots.Subscribe(new Doubler(), new StageOptions { InGroup = true });
        Stage second = ring.Slots.Subscribe(new Doubler(), new StageOptions { InGroup = true, After = [first] });
        ring.DriveTogether(new FusedStages([first, second]), wait, "both");
        ring.Slots.Subscribe(new Reader(log), new StageOptions { After = [second], Wait = Wait.Async() });
        _ = ring.StartAsync();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            Parts.AfterPolls(wait);
            for (int n = 1; n <= 3; n++) producer.Put(n);
        });
        world.Thread("end", () => World.Until(() => log.Count == 3, "for all to be seen"));
        world.AtEnd(() => log.IsExactly(4, 8, 12));
    }

    private sealed class Started : IBatchHandler<Item>, IStageLifetime
    {
        public Log Log { get; } = new();

        public Modelled.Thread? Thread { get; private set; }

        public void OnStart() => Thread = Modelled.Thread.CurrentThread;

        public void OnStop()
        {
        }

        public void OnBatch(Batch<Item> batch)
        {
            foreach (ref Item item in batch) Log.Add(in item);
        }
    }
}
