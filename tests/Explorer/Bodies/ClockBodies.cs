using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>What it costs to know where the time goes: clock reads, a wait and a batch.</summary>
internal static class ClockBodies
{
    // The driver's own: when it begins, and when it has ended.
    private const int ALife = 2;
    private const int AWait = 2;

    // Not for the times: a strategy that goes on from polling to yielding looks how long its first yield takes, and one that
    // sleeps how long it has slept. Of these the last read is the end of the wait as well.
    private const int AYield = 2;
    private const int ASleep = 2;

    public static IEnumerable<Body> All
    {
        get
        {
            foreach (Wait wait in (Wait[])[Wait.BusySpin(), Wait.Yield()])
                yield return new Body($"clock/{wait.Name}-wait", world => Waits(world, wait, _ => 0));
            foreach (Wait wait in (Wait[])[Wait.Park(), Wait.TimedPark(TimeSpan.FromMilliseconds(1))])
                yield return new Body($"clock/{wait.Name}-wait", world => Waits(world, wait, done => AYield * done.Waits + ASleep * done.Parks));
            yield return new Body("clock/batches", Batches);
            yield return new Body("clock/blocked-spinning", world => Blocked(world, Wait.BusySpin(), _ => 0));
            yield return new Body("clock/blocked-parked", world => Blocked(world, Wait.Park(), done => AYield * done.Waits + ASleep * done.Parks));
        }
    }

    // However many rounds of polling a wait takes, it has two reads.
    private static void Waits(World world, Wait wait, Func<StageStatistics, long> itsOwn)
    {
        RingBuffer<Item> ring = Parts.Ring(2, wait: wait);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log));
        Stopwatch.ForgetReads();
        _ = ring.StartAsync();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 2; n++)
            {
                Parts.Pause(2 * Parts.Polls(1));
                producer.Put(n);
                int seen = n + 1;
                World.Until(() => log.Count == seen, "for it to be seen");
            }
        });
        world.AtEnd(() =>
        {
            log.IsExactly(0, 1);
            StageStatistics done = stage.GetStatistics();
            AtMost(AWait * done.Waits + itsOwn(done) + ALife, $"{done.Waits} waits, {done.Parks} of them asleep");
        });
    }

    // One look finds them all, and each is a batch.
    private static void Batches(World world)
    {
        const int Count = 8;
        RingBuffer<Item> ring = Parts.Ring(Count, wait: Wait.BusySpin());
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new OneByOne(log), new StageOptions { Dispatch = Dispatch.Each() });
        Producer<Item> producer = Parts.Producer(ring);
        Parts.PutMany(producer, 0, Count, Count);
        Stopwatch.ForgetReads();
        _ = ring.StartAsync();
        world.Thread("end", () => World.Until(() => log.Count == Count, "for all to be seen"));
        world.AtEnd(() =>
        {
            StageStatistics done = stage.GetStatistics();
            World.Check(done.Batches >= Count - 1, $"{done.Batches} batches of {Count} items");
            AtMost(AWait * done.Waits + ALife, $"{done.Batches} batches and {done.Waits} waits");
        });
    }

    private static void Blocked(World world, Wait wait, Func<RingStatistics, long> itsOwn)
    {
        RingBuffer<Item> ring = Parts.Ring(2, producerWait: wait);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        Parts.PutMany(producer, 0, 2, 2);
        Stopwatch.ForgetReads();
        world.Thread("producer", () =>
        {
            producer.Put(2);
            producer.Put(3);
        });
        world.Thread("stage", () =>
        {
            Parts.Pause(2 * Parts.Polls(1));
            stage.Step(1);
            Parts.Pause(2 * Parts.Polls(1));
            Parts.StepUntil(stage, log, 4);
        });
        world.AtEnd(() =>
        {
            log.IsExactly(0, 1, 2, 3);
            RingStatistics done = ring.GetStatistics();
            AtMost(AWait * done.Waits + itsOwn(done), $"{done.Waits} waits for room, {done.Parks} of them asleep");
        });
    }

    private static void AtMost(long most, string why) =>
        World.Check(Stopwatch.Reads <= most, $"{Stopwatch.Reads} clock reads, {most} for {why}");

    private sealed class OneByOne(Log log) : IAsyncBatchHandler<Item>
    {
        public ValueTask OnBatchAsync(AsyncBatch<Item> batch, CancellationToken cancellation)
        {
            for (int i = 0; i < batch.Count; i++) log.Add(in batch[i]);
            return default;
        }
    }
}
