using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Claim, publish and consume: nothing lost, doubled, torn or out of its producer's order.</summary>
internal static class PublishingBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("publish/single-wraps", world => Publish(world, ProducerKind.Single, 2, 1, 5));
            yield return new Body("publish/multi-two", world => Publish(world, ProducerKind.Multi, 2, 2, 2));
            // Room for more than one claim at a time: the second takes the fast path.
            yield return new Body("publish/multi-credits", world => Publish(world, ProducerKind.Multi, 8, 2, 2));
            yield return new Body("publish/sharded-two", world => Publish(world, ProducerKind.Sharded, 4, 2, 3));
        }
    }

    private static void Publish(World world, ProducerKind kind, int capacity, int producers, int each)
    {
        RingBuffer<Item> ring = Parts.Ring(capacity, kind, maxProducers: producers);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        var open = new List<Producer<Item>>();
        for (int p = 0; p < producers; p++)
        {
            int own = p;
            Producer<Item> producer = Parts.Producer(ring);
            open.Add(producer);
            world.Thread($"producer {p}", () =>
            {
                for (int n = 0; n < each; n++) producer.Put(own * 100 + n);
            });
        }

        world.Thread("stage", () => Parts.StepUntil(stage, log, producers * each));
        // Of a sharded ring the look takes a lock and remembers: it would order what nothing else does.
        if (kind != ProducerKind.Sharded) world.Invariant(() => open.Find(producer => producer.Remaining < 0 || producer.Remaining > capacity) is { } wrong
            ? $"{wrong.Remaining} slots remain"
            : null);
        world.AtEnd(() => log.IsOfEach(producers, each));
    }
}
