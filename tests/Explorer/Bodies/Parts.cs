using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>What goes through the rings of the bodies.</summary>
internal struct Item
{
    public long Value;
}

/// <summary>Short ways to what most bodies begin with.</summary>
internal static class Parts
{
    public static RingBuffer<Item> Ring(
        int capacity = 2, ProducerKind kind = ProducerKind.Single, Wait? wait = null, Wait? producerWait = null, int maxProducers = 2,
        StampLayout stamps = StampLayout.Separate, int slotStride = 0, long start = 0, SlotAction<Item>? take = null, int drainMilliseconds = 5_000) =>
        new(capacity, new RingOptions<Item>
        {
            Producers = kind,
            MaxProducers = Math.Min(maxProducers, capacity),
            Wait = wait ?? Wait.BusySpin(),
            ProducerWait = producerWait ?? wait ?? Wait.BusySpin(),
            Stamps = stamps,
            SlotStride = slotStride,
            StartSequence = start,
            DrainTimeout = TimeSpan.FromMilliseconds(drainMilliseconds),
            CheckProducer = false,
            OnUnprocessed = take,
        });

    public static Producer<Item> Producer(RingBuffer<Item> ring) =>
        ring.CreateAnyProducer();

    public static StageOptions Stepped(Dispatch? dispatch = null, string? name = null, params Stage[] after) =>
        new() { Drive = Drive.Caller, Dispatch = dispatch ?? Dispatch.Batch(), Name = name, After = after };

    public static void Put(this Producer<Item> producer, long value) =>
        World.Writing(() => producer.Publish(new Item { Value = value }));

    public static bool TryPut(this Producer<Item> producer, long value)
    {
        ClaimStatus status = default;
        World.Writing(() => status = producer.TryPublish(new Item { Value = value }));
        return status == ClaimStatus.Done;
    }

    /// <summary>Claims <paramref name="count"/> slots at once and publishes the first <paramref name="commit"/> of them.</summary>
    public static void PutMany(Producer<Item> producer, long value, int count, int commit) => World.Writing(() =>
    {
        using Claim<Item> claim = producer.Claim(count);
        foreach (ref Item item in claim) item.Value = value++;
        claim.Commit(commit);
    });

    /// <summary>How long <paramref name="sleepers"/> threads that park have polled when the last goes to sleep.</summary>
    public static long Polls(int sleepers) => 17 * 25_000 * sleepers;

    /// <summary>
    /// Goes on when <paramref name="sleepers"/> threads that wait by <paramref name="wait"/> from the start on have come to
    /// their last poll, and lets them look.
    /// </summary>
    public static void AfterPolls(Wait wait, int sleepers = 1)
    {
        if (wait.Name is "park" or "timed-park") Go(() => Modelled.Stopwatch.GetTimestamp() >= Polls(sleepers), long.MaxValue);
    }

    /// <summary>Goes on after a time, in which everybody may have gone to sleep.</summary>
    public static void Pause(long nanoseconds)
    {
        long due = Modelled.Stopwatch.GetTimestamp() + nanoseconds;
        Go(() => Modelled.Stopwatch.GetTimestamp() >= due, due);
    }

    // Who polls rests until something is stored, and that would be by us: so we let both go on.
    private static void Go(Func<bool> when, long due)
    {
        Model.Current.Block(Model.Me!, when, "for a while", due);
        int[]? nobody = null;
        Model.Current.Meet(Model.Me!, ref nobody);
    }

    /// <summary>Steps until <paramref name="count"/> items have been seen, polling in between.</summary>
    public static void StepUntil(Stage stage, Log log, int count)
    {
        while (log.Count < count)
            if (stage.Step().Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
    }

    /// <summary>Steps until the stage has ended, polling in between.</summary>
    public static void StepToTheEnd(this Stage stage)
    {
        while (true)
        {
            StepKind kind = stage.Step().Kind;
            if (kind == StepKind.Stopped) return;
            if (kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
        }
    }

    /// <summary>The same until it has passed <paramref name="sequence"/>.</summary>
    public static void StepTo(Stage stage, long sequence)
    {
        while (stage.Position < sequence)
            if (stage.Step().Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
    }
}

/// <summary>What a stage has seen, in its order.</summary>
internal sealed class Log
{
    private readonly List<long> _values = [];

    public int Count => _values.Count;

    public IReadOnlyList<long> Values => _values;

    public void Add(ref readonly Item item)
    {
        World.Reads(in item);
        _values.Add(item.Value);
    }

    /// <summary>Exactly these in this order.</summary>
    public void IsExactly(params long[] expected) =>
        World.Check(_values.SequenceEqual(expected), $"seen [{string.Join(", ", _values)}], expected [{string.Join(", ", expected)}]");

    /// <summary>Of each producer p the values p·100 … p·100 + n − 1, in its order, and nothing else.</summary>
    public void IsOfEach(int producers, int each)
    {
        World.Check(_values.Count == producers * each, $"seen [{string.Join(", ", _values)}]: {producers} × {each} expected");
        for (int p = 0; p < producers; p++)
        {
            var mine = _values.Where(value => value / 100 == p).ToList();
            World.Check(
                mine.SequenceEqual(Enumerable.Range(0, each).Select(n => p * 100L + n)),
                $"of producer {p} [{string.Join(", ", mine)}]");
        }
    }
}

/// <summary>A handler of batches that only logs.</summary>
internal sealed class Reader(Log log, long takes = 0) : IBatchHandler<Item>
{
    public void OnBatch(Batch<Item> batch)
    {
        if (takes > 0) World.Passes(takes);
        foreach (ref Item item in batch) log.Add(in item);
    }
}

/// <summary>A handler that changes what it reads.</summary>
internal sealed class Doubler : IBatchHandler<Item>
{
    public void OnBatch(Batch<Item> batch)
    {
        foreach (ref Item item in batch)
        {
            World.Wrote(in item);
            item.Value *= 2;
        }
    }
}
