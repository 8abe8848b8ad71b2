using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Stages that wait for a minimum, and what makes them look before it is met.</summary>
internal static class MinimumBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("minimum/blocked", world => MinimumBlocked(world, Wait.Async()));
            yield return new Body("minimum/blocked-parked", world => MinimumBlocked(world, Wait.Park()));
            yield return new Body("minimum/holds-again", MinimumHoldsAgain);
            yield return new Body("minimum/age-asleep", AgeAsleep);
            yield return new Body("minimum/hole-awaited", HoleAwaited);
        }
    }

    // One item below the minimum, and a claim that needs the slot it lies in.
    private static void MinimumBlocked(World world, Wait wait)
    {
        RingBuffer<Item> ring = Parts.Ring(4, wait: wait, producerWait: Wait.Park());
        var log = new Log();
        ring.Slots.Subscribe(new Reader(log), new StageOptions { Dispatch = Dispatch.Batch(min: 2) });
        _ = ring.StartAsync();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            producer.Put(0);
            Parts.AfterPolls(wait);
            Parts.PutMany(producer, 1, 4, 4);
        });
        world.Thread("end", () => World.Until(() => log.Count == 5, "for all to be seen"));
        world.AtEnd(() => log.IsExactly(0, 1, 2, 3, 4));
    }

    // Who waited for room has gone: a lone item waits for company again.
    private static void MinimumHoldsAgain(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(4);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped(Dispatch.Batch(min: 2)));
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(0);
        bool put = false;
        world.Thread("producer", () =>
        {
            Parts.PutMany(producer, 1, 4, 3);
            put = true;
        });
        world.Thread("stage", () =>
        {
            Parts.StepUntil(stage, log, 4);
            World.Until(() => put, "for the producer");
            producer.Put(4);
            World.Equal(StepKind.Idle, stage.Step().Kind, "a step with one item");
            producer.Put(5);
            World.Equal(StepKind.Progressed, stage.Step().Kind, "a step with two items");
        });
        world.AtEnd(() => log.IsExactly(0, 1, 2, 3, 4, 5));
    }

    // A lone item to a stage asleep: it is woken, and its age is watched from then on.
    private static void AgeAsleep(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async());
        var log = new Log();
        ring.Slots.Subscribe(
            new Reader(log), new StageOptions { Dispatch = Dispatch.Batch(min: 2, maxAge: TimeSpan.FromMilliseconds(3)) });
        _ = ring.StartAsync();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () => producer.Put(0));
        world.Thread("end", () => World.Until(() => log.Count == 1, "for it to be old enough"));
        world.AtEnd(() => log.IsExactly(0));
    }

    // A claim held open before what others have published: the stage awaits the hole, asleep.
    private static void HoleAwaited(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(4, ProducerKind.Multi, Wait.Async());
        var log = new Log();
        ring.Slots.Subscribe(new Reader(log), new StageOptions { Dispatch = Dispatch.Batch(min: 2) });
        _ = ring.StartAsync();
        (Producer<Item> holds, Producer<Item> other) = (Parts.Producer(ring), Parts.Producer(ring));
        bool claimed = false;
        world.Thread("holds", () => World.Writing(() =>
        {
            using Claim<Item> claim = holds.Claim();
            claimed = true;
            claim.Slot.Value = 0;
            claim.Commit();
        }));
        world.Thread("other", () =>
        {
            World.Until(() => claimed, "for the claim");
            other.Put(1);
            other.Put(2);
        });
        world.Thread("end", () => World.Until(() => log.Count >= 2, "for those in front"));
        world.AtEnd(() => World.Check(log.Values.SequenceEqual(Enumerable.Range(0, log.Count).Select(n => (long)n)), "out of order"));
    }
}
