using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Calls of a stateless stage that two threads of the pool share: nothing is lost, doubled, or seen before its turn.</summary>
internal static class SplitBodies
{
    private const int Slow = 100_000; // nanoseconds
    private const int WorthParting = 2_000_000;

    private static readonly TimeSpan s_ample = TimeSpan.FromSeconds(5);

    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("split/two-parts", world => Handle(world, 2)) { Weight = 4 };
            yield return new Body("split/three-parts", world => Handle(world, 3)) { Weight = 2 };
            yield return new Body("split/two-calls", TwoCalls) { Weight = 4 };
            yield return new Body("split/first-part-fails", world => Fail(world, bad: 1)) { Weight = 2 };
            yield return new Body("split/last-part-fails", world => Fail(world, bad: 3)) { Weight = 2 };
            yield return new Body("split/halt", world => Halt(world)) { Weight = 2 };
            yield return new Body("split/together/two-parts", world => Handle(world, 2, together: true)) { Weight = 4 };
            yield return new Body("split/together/last-part-fails", world => Fail(world, bad: 4, together: true)) { Weight = 2 };
            yield return new Body("split/together/halt", world => Halt(world, together: true)) { Weight = 2 };
        }
    }

    private static void Handle(World world, int parts, bool together = false)
    {
        var behind = new Log();
        var handler = new Adder(bad: -1, slow: AloneOf(together) - 1, TakesOf(together));
        (RingBuffer<Item> ring, Stage stage) = Of(handler, behind, together);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            Publish(ring, behind, producer, parts, together);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            behind.IsExactly([.. Enumerable.Range(10, parts + AloneOf(together)).Select(static value => (long)value)]);
            World.Equal(1, stage.GetStatistics().Split, "split batches");
            World.Equal(parts, stage.GetStatistics().Parts, "parts");
        });
    }

    // The second call is opened while helpers of the first go to sleep.
    private static void TwoCalls(World world)
    {
        var behind = new Log();
        (RingBuffer<Item> ring, Stage stage) = Of(new Adder(bad: -1, slow: 2), behind);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            Publish(ring, behind, producer, 2);
            Parts.PutMany(producer, 3, 2, 2);
            World.Until(() => behind.Count == 5, "for all to be handled");
        });
        world.AtEnd(() =>
        {
            behind.IsExactly(10, 11, 12, 13, 14);
            World.Check(stage.GetStatistics().Split >= 1, "no call was split");
        });
    }

    private static void Fail(World world, int bad, bool together = false)
    {
        var behind = new Log();
        int alone = AloneOf(together);
        var handler = new Adder(bad, slow: alone - 1, TakesOf(together));
        (RingBuffer<Item> ring, Stage stage) = Of(handler, behind, together);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            Publish(ring, behind, producer, 3, together);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            behind.IsExactly([.. Enumerable.Range(0, 3 + alone).Select(value => value == bad ? value : value + 10L)]);
            World.Equal(2 + alone, stage.GetStatistics().Items, "items");
            World.Equal(1, stage.GetStatistics().Skipped, "skipped");
        });
    }

    // Parts under way end; none is begun behind the halt's end, and none is left out before one that was done.
    private static void Halt(World world, bool together = false)
    {
        var behind = new Log();
        var handler = new Adder(bad: -1, slow: AloneOf(together) - 1, TakesOf(together));
        (RingBuffer<Item> ring, Stage stage) = Of(handler, behind, together);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            Publish(ring, behind, producer, 2, together);
            ring.HaltAsync().Wait();
            World.Equal(0, handler.Inside, "calls that run after the halt");
            World.Equal(handler.Done - 1, stage.Position, "the stage's position");
        });
        world.AtEnd(() => World.Equal(2 + AloneOf(together) - behind.Count, ring.Unprocessed, "unprocessed"));
    }

    private static (RingBuffer<Item> Ring, Stage Stage) Of(Adder handler, Log behind, bool together = false)
    {
        RingBuffer<Item> ring = Parts.Ring(8, wait: Wait.Async());
        Stage stage = ring.Subscribe(
            handler, new StageOptions { IsStateless = true, MostThreads = 2, OnFault = FaultPolicy.Skip });
        ring.Subscribe(new Reader(behind), new StageOptions { After = [stage] });
        if (together) ring.StepTogether(ring.Stages);
        return (ring, stage);
    }

    // Stages that are stepped together part for a call of a millisecond.
    private static int TakesOf(bool together) => together ? WorthParting : Slow;

    // And no first call is reason enough for that.
    private static int AloneOf(bool together) => together ? 2 : 1;

    // The first items are slow, so that a call of several is split.
    private static void Publish(RingBuffer<Item> ring, Log behind, Producer<Item> producer, int more, bool together = false)
    {
        ring.StartAsync().Wait();
        int alone = AloneOf(together);
        for (int i = 0; i < alone; i++)
        {
            producer.Put(i);
            World.Until(() => behind.Count == i + 1, "for an item that comes alone");
        }

        Parts.PutMany(producer, alone, more, more);
    }

    private sealed class Adder(int bad, int slow = 0, int takes = Slow) : IBatchHandler<Item>
    {
        public int Inside { get; private set; }

        public int Done { get; private set; }

        public void OnBatch(Batch<Item> batch)
        {
            Inside++;
            try
            {
                foreach (ref Item item in batch)
                {
                    if (item.Value <= slow) Parts.Pause(takes);
                    if (item.Value == bad) throw new NotSupportedException();
                    World.Wrote(in item);
                    item.Value += 10;
                    Done++;
                }
            }
            finally
            {
                Inside--;
            }
        }
    }
}
