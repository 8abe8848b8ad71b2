using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Producers that wait for room: asleep or about to be, competing, and with credits that others want.</summary>
internal static class RoomBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            foreach (Wait wait in (Wait[])[Wait.Park(), Wait.TimedPark(TimeSpan.FromMilliseconds(1)), Wait.Adaptive(), Wait.Yield()])
                yield return new Body($"room/{wait.Name}-single", world => Blocked(world, wait, ProducerKind.Single, 1));
            yield return new Body("room/park-multi", world => Blocked(world, Wait.Park(), ProducerKind.Multi, 2));
            yield return new Body("room/park-sharded", world => Blocked(world, Wait.Park(), ProducerKind.Sharded, 2));
            yield return new Body("room/park-open-producer", OpenProducer);
            yield return new Body("room/park-lagging-gate", LaggingGate);
            yield return new Body("room/async-single", world => Async(world, ProducerKind.Single));
            yield return new Body("room/async-multi", world => Async(world, ProducerKind.Multi));
            yield return new Body("room/lane-full", LaneFull);
            yield return new Body("room/multi-last-slot", LastSlot);
            yield return new Body("room/multi-batches", MultiBatches);
            yield return new Body("room/credits-given-back", CreditsGivenBack);
            yield return new Body("room/credits-disposed-at-work", DisposedAtWork);
            yield return new Body("room/nobody-yet", NobodyYet);
        }
    }

    // Full from the start: those who publish sleep until the stage has made room.
    private static void Blocked(World world, Wait wait, ProducerKind kind, int producers)
    {
        const int Each = 2;
        RingBuffer<Item> ring = Parts.Ring(2 * (kind == ProducerKind.Sharded ? producers : 1), kind, wait, maxProducers: producers);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped(Dispatch.Single));
        ring.Start();
        Producer<Item>[] all = [.. Enumerable.Range(0, producers).Select(_ => Parts.Producer(ring))];
        int filled = kind == ProducerKind.Multi ? 1 : 2;
        for (int p = 0; p < producers; p++)
        {
            int own = p;
            for (int n = 0; n < filled; n++) all[own].Put(own * 100 + n);
            world.Thread($"producer {p}", () =>
            {
                for (int n = filled; n < Each + filled - producers + 1; n++) all[own].Put(own * 100 + n);
            });
        }

        int each = Each + filled - producers + 1;
        world.Thread("stage", () =>
        {
            Parts.AfterPolls(wait, producers);
            Parts.StepUntil(stage, log, producers * each);
        });
        world.AtEnd(() => log.IsOfEach(producers, each));
    }

    private static void OpenProducer(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: Wait.Park());
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        SingleProducer<Item> producer = ring.CreateProducer();
        producer.Put(0);
        producer.Put(1);
        world.Thread("producer", () =>
        {
            using OpenProducer<Item> open = producer.Open();
            ref Item slot = ref open.Claim();
            World.Wrote(in slot);
            slot.Value = 2;
            open.Commit();
        });
        world.Thread("stage", () =>
        {
            Parts.AfterPolls(Wait.Park());
            Parts.StepUntil(stage, log, 3);
        });
        world.AtEnd(() => log.IsExactly(0, 1, 2));
    }

    // It sleeps on the gate that lags, then perhaps on the other.
    private static void LaggingGate(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: Wait.Park());
        (Log one, Log other) = (new Log(), new Log());
        Stage[] stages = [ring.Slots.Subscribe(new Reader(one), Parts.Stepped()), ring.Slots.Subscribe(new Reader(other), Parts.Stepped())];
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(0);
        producer.Put(1);
        world.Thread("producer", () => producer.Put(2));
        foreach (Stage stage in stages)
        {
            world.Thread(stage.Name, () =>
            {
                Parts.AfterPolls(Wait.Park());
                stage.Step();
            });
        }

        world.AtEnd(() =>
        {
            foreach (Stage stage in stages) stage.Step();
            one.IsExactly(0, 1, 2);
            other.IsExactly(0, 1, 2);
        });
    }

    // The producer waits for room and goes on, twice, while the stage is stepped.
    private static void Async(World world, ProducerKind kind)
    {
        RingBuffer<Item> ring = Parts.Ring(2, kind);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped(Dispatch.Single));
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(0);
        producer.Put(1);
        world.Thread("producer", async () =>
        {
            for (int n = 2; n < 4; n++)
            {
                World.Check(await producer.WaitForRoomAsync(), "the ring is closed");
                World.Check(producer.TryPut(n), "no room after waiting for it");
            }
        });
        world.Thread("stage", () => Parts.StepUntil(stage, log, 4));
        world.AtEnd(() => log.IsExactly(0, 1, 2, 3));
    }

    // A lane that is full is nobody's hindrance but its producer's.
    private static void LaneFull(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(4, ProducerKind.Sharded);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        (Producer<Item> full, Producer<Item> free) = (Parts.Producer(ring), Parts.Producer(ring));
        full.Put(0);
        full.Put(1);
        bool passed = false;
        world.Thread("full", () => full.Put(2));
        world.Thread("free", () =>
        {
            for (int n = 0; n < 2; n++) free.Put(100 + n);
            passed = true;
        });
        world.Thread("stage", () =>
        {
            World.Until(() => passed, "for the lane that is free");
            Parts.StepUntil(stage, log, 5);
        });
        world.AtEnd(() => World.Check(
            log.Values.Where(value => value < 100).SequenceEqual([0L, 1, 2]) && log.Values.Where(value => value >= 100).SequenceEqual([100L, 101]),
            "not each lane in its order"));
    }

    // One slot is free, two want it, nobody frees another: one gets it.
    private static void LastSlot(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2, ProducerKind.Multi);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        Producer<Item>[] all = [Parts.Producer(ring), Parts.Producer(ring)];
        all[0].Put(7);
        int got = 0;
        foreach (Producer<Item> producer in all)
        {
            world.Thread("producer", () =>
            {
                if (producer.TryPut(8)) got++;
            });
        }

        world.AtEnd(() =>
        {
            World.Equal(1, got, "slots given");
            stage.Step();
            log.IsExactly(7, 8);
        });
    }

    // Claims of several, while credits of the others count as taken.
    private static void MultiBatches(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(8, ProducerKind.Multi);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        int[] sizes = [5, 4];
        for (int p = 0; p < 2; p++)
        {
            int own = p;
            Producer<Item> producer = Parts.Producer(ring);
            world.Thread($"producer {p}", () =>
            {
                producer.Put(own * 100);
                Parts.PutMany(producer, own * 100 + 1, sizes[own], sizes[own]);
            });
        }

        world.Thread("stage", () => Parts.StepUntil(stage, log, 11));
        world.AtEnd(() => World.Equal(11, log.Values.Distinct().Count(), "items"));
    }

    // The last slots are credits of somebody who leaves: who sleeps for room gets them, without a stage having moved.
    private static void CreditsGivenBack(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(16, ProducerKind.Multi, Wait.Park());
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        (MultiProducer<Item> leaves, Producer<Item> sleeps) = (ring.CreateMultiProducer(), Parts.Producer(ring));
        leaves.Put(0);
        for (int n = leaves.CreditBatch; n < ring.Capacity; n++) sleeps.Put(1);
        world.Thread("sleeps", () => sleeps.Put(2));
        world.Thread("leaves", () =>
        {
            Parts.AfterPolls(Wait.Park());
            leaves.Dispose();
        });
        world.AtEnd(() =>
        {
            stage.Step();
            World.Equal(ring.Capacity - leaves.CreditBatch + 2, log.Count, "items");
        });
    }

    // Credits are taken and given back while the other takes some: granted never goes beyond the room.
    private static void DisposedAtWork(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(8, ProducerKind.Multi);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        (Producer<Item> leaves, Producer<Item> stays) = (Parts.Producer(ring), Parts.Producer(ring));
        for (int n = 0; n < 4; n++) stays.Put(100 + n);
        int published = 4;
        world.Thread("leaves", () =>
        {
            if (leaves.TryPut(0)) published++;
            leaves.Dispose();
        });
        world.Thread("stays", () =>
        {
            for (int n = 4; n < 8; n++)
                if (stays.TryPut(100 + n)) published++;
        });
        world.AtEnd(() =>
        {
            while (stays.TryPut(200)) published++;
            World.Equal(8, published, "items that fit");
            stage.Step();
            World.Equal(8, log.Count, "items");
        });
    }

    // Full before there is any stage: attaching one wakes the producer.
    private static void NobodyYet(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: Wait.Park());
        var log = new Log();
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(0);
        producer.Put(1);
        world.Thread("producer", () => producer.Put(2));
        world.Thread("stage", () =>
        {
            Parts.AfterPolls(Wait.Park());
            Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
            Parts.StepUntil(stage, log, 1);
        });
        world.AtEnd(() => log.IsExactly(2));
    }
}
