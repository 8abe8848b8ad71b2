using System.Diagnostics;

namespace Raceway.Rings.Tests;

/// <summary>A stateless stage on the thread pool, and one behind it that keeps what it sees.</summary>
/// <remarks>
/// The first item takes long, so that a call of two or more is worth splitting from then on. What follows is published at once, and so
/// closed at once.
/// </remarks>
internal sealed class Crowd : IAsyncDisposable
{
    public const int Threads = 3;

    private static readonly TimeSpan s_long = TimeSpan.FromMilliseconds(2);

    private readonly SingleProducer<long> _producer;

    public Crowd(Func<Crowd, IBatchHandler<long>> handler, StageOptions options, int capacity = 64)
        : this(crowd => (slots, all) => slots.Subscribe(handler(crowd), all), options, capacity)
    {
    }

    public Crowd(Func<Crowd, IEventHandler<long>> handler, StageOptions options, int capacity = 64)
        : this(crowd => (slots, all) => slots.Subscribe(handler(crowd), all), options, capacity)
    {
    }

    private Crowd(Func<Crowd, Func<Slots<long>, StageOptions, Stage>> attach, StageOptions options, int capacity)
    {
        Ring = new RingBuffer<long>(capacity, new RingOptions<long>
        {
            Wait = Wait.Async(),
            ProducerWait = Wait.Park(),
            DrainTimeout = TimeSpan.Zero,
            OnUnprocessed = (ref long item) => Unprocessed.Add(item),
        });
        Done = new int[capacity];
        Stage = attach(this)(Ring.Slots, options with { IsStateless = true, MostThreads = Threads });
        Behind = new Recorder();
        Ring.Subscribe(Behind, new StageOptions { After = [Stage] });
        _producer = Ring.CreateProducer();
    }

    public RingBuffer<long> Ring { get; }

    public Stage Stage { get; }

    public Recorder Behind { get; }

    /// <summary>How often a call with each item has returned.</summary>
    public int[] Done { get; }

    public List<long> Unprocessed { get; } = [];

    /// <summary>Makes the ring run with items 0 to <paramref name="last"/>.</summary>
    public async Task Publish(long last)
    {
        await Ring.StartAsync();
        _producer.Publish(0L);
        _producer.ReleaseThread();
        await Watchdog.UntilAsync(() => Stage.Position == 0 || Ring.State != RingState.Running, Ring);
        Publish();

        void Publish()
        {
            using Claim<long> claim = _producer.Claim((int)last);
            for (int i = 0; i < claim.Count; i++) claim[i] = i + 1;
            claim.Commit();
        }
    }

    /// <summary>The same, until all has passed.</summary>
    public async Task<DrainResult> Run(long last)
    {
        await Publish(last);
        return await Watchdog.Await(Ring.DrainAsync(Timeout.InfiniteTimeSpan), Ring);
    }

    /// <summary>To be called with each item.</summary>
    public static void Begin(long item)
    {
        if (item == 0) TakeLong();
    }

    /// <summary>Takes long enough for a call of two items to be worth splitting.</summary>
    public static void TakeLong()
    {
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began) < s_long) Thread.SpinWait(20);
    }

    /// <summary>To be called with each item of a call that returns.</summary>
    public void End(long item) => Interlocked.Increment(ref Done[item]);

    public ValueTask DisposeAsync() => Ring.DisposeAsync();
}
