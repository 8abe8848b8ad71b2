using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Suites.MailboxSuite;

/// <summary>Bursts of messages to actors that one system of mailboxes drives.</summary>
internal sealed class MailboxContestant<TBox, TBoxes>(string name, MailboxShape shape, int threads) : ScenarioContestant(name)
    where TBoxes : struct, IBoxes<TBox>
{
    private readonly CountdownEvent _handled = new(1);
    private readonly List<int> _bursts = [];
    private Actor[] _actors = [];
    private TBox[] _boxes = [];
    private long[] _sums = [];
    private Poster? _poster;
    private MemoryPeak? _peak;
    private long _operations;
    private double _seconds;

    public override int BusyThreads => threads;

    /// <summary>The most messages of one round, where it takes its time for each.</summary>
    public long Most { get; init; } = long.MaxValue;

    public override long MaxOperations => Most;

    /// <summary>Whether it blocks its poster where it is full, as it has no other way.</summary>
    public bool BlocksPoster { get; init; }

    /// <summary>Whether unrelated work items of the pool are timed beside it.</summary>
    public bool Probes { get; init; }

    protected override void Prepare(long operations)
    {
        _bursts.Clear();
        _sums = new long[shape.Actors];
        _operations = operations;
        if (shape.StartTimed) return;
        Begin();
        _poster = new Poster();
        if (shape.Bound is not null) _peak = new MemoryPeak();
    }

    protected override void Work(long operations, CancellationToken cancellation)
    {
        long from = Stopwatch.GetTimestamp();
        using PoolProbe? probe = Probes ? new PoolProbe() : null;
        long left = operations;
        while (left > 0 && !cancellation.IsCancellationRequested)
        {
            // Of a short run as many to each actor as there are.
            int each = (int)Math.Clamp(left / shape.Actors, 1, shape.Messages);
            if (shape.StartTimed) Begin();
            Burst(each);
            if (shape.StartTimed) EndAll();
            left -= (long)each * shape.Actors;
        }

        _seconds = Stopwatch.GetElapsedTime(from).TotalSeconds;
        Latency = probe?.Stop();
    }

    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        long? peak = _peak?.Stop();
        _peak = null;
        LatencyHistogram waited = _actors[0].Waited;
        if (!shape.StartTimed) EndAll();
        _poster?.Dispose();
        _poster = null;
        List<Count> counts = [];
        // Of one actor only: several share the work among the processors, the floor is one thread's.
        if (shape.Actors == 1)
            counts.Add(new("over-floor", "ns/event", (_seconds * 1e9 / _operations) - Floor.NanosecondsOf(shape)));
        if (peak is { } bytes) counts.Add(new("peak-memory", "KiB", bytes / 1024.0));
        if (waited.Count > 0)
        {
            counts.Add(new("queued-p50", "us", waited.ValueAt(0.5) / 1e3));
            counts.Add(new("queued-p99", "us", waited.ValueAt(0.99) / 1e3));
        }

        further = counts;
        long expected = Actor.Expected(shape, _bursts);
        return Array.TrueForAll(_sums, sum => sum == expected);
    }

    private void Begin()
    {
        _actors = [.. Enumerable.Range(0, shape.Actors).Select(_ => new Actor(shape, _handled))];
        if (shape.Bound is not null) _actors[0].PostedAt = new long[(shape.Messages / Actor.TimedEvery) + 1];
        _boxes = [.. _actors.Select(actor => TBoxes.Start(actor, shape.Bound))];
    }

    private void EndAll()
    {
        Array.ForEach(_boxes, static box => TBoxes.End(box));
        for (int i = 0; i < _sums.Length; i++) _sums[i] += _actors[i].Sum;
    }

    private void Burst(int each)
    {
        _bursts.Add(each);
        _handled.Reset(shape.Actors);
        foreach (Actor actor in _actors) actor.Expect(each);
        if (shape.Posters == PostersKind.OneEach) PostFromEach(each);
        else if (shape.Bound is not null && !BlocksPoster) Task.Run(() => PostAllAsync(each)).Wait();
        else if (_poster is { } poster) poster.Run(() => PostAll(each));
        else
        {
            var thread = new Thread(() => PostAll(each));
            thread.Start();
            thread.Join();
        }

        _handled.Wait();
    }

    private void PostAll(int each)
    {
        TBox[] boxes = _boxes;
        for (int message = 0; message < each; message++)
        {
            Stamp(message);
            foreach (TBox box in boxes) TBoxes.Post(box, message);
        }
    }

    private async Task PostAllAsync(int each)
    {
        TBox[] boxes = _boxes;
        for (int message = 0; message < each; message++)
        {
            Stamp(message);
            foreach (TBox box in boxes) await TBoxes.PostAsync(box, message).ConfigureAwait(false);
        }
    }

    private void PostFromEach(int each)
    {
        var posters = new Task[_boxes.Length];
        for (int i = 0; i < posters.Length; i++)
        {
            TBox box = _boxes[i];
            bool stamps = i == 0;
            posters[i] = Task.Run(async () =>
            {
                for (int message = 0; message < each; message++)
                {
                    if (stamps) Stamp(message);
                    if (shape.Bound is null || BlocksPoster) TBoxes.Post(box, message);
                    else await TBoxes.PostAsync(box, message).ConfigureAwait(false);
                }
            });
        }

        Task.WaitAll(posters);
    }

    private void Stamp(int message)
    {
        if (message % Actor.TimedEvery == 0 && _actors[0].PostedAt is { } times)
            times[message / Actor.TimedEvery] = Stopwatch.GetTimestamp();
    }
}
