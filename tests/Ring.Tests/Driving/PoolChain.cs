namespace Raceway.Rings.Tests;

/// <summary>Stages in a chain that the pool may step together, and what each of them has had.</summary>
internal sealed class PoolChain : IAsyncDisposable
{
    private readonly SingleProducer<long> _producer;
    private long _next;

    public PoolChain(int stages, FaultPolicy? policy = null)
    {
        Ring = new RingBuffer<long>(1024, new RingOptions<long> { Wait = Wait.AsyncUncut });
        List<Stage> all = [];
        Recorders = [.. Enumerable.Range(0, stages).Select(static _ => new CheckedRecorder())];
        foreach (CheckedRecorder recorder in Recorders)
            all.Add(Ring.Subscribe(recorder, new StageOptions { After = [.. all.TakeLast(1)], OnFault = policy }));
        Stages = all;
        Group = Ring.StepTogether(all)!;
        _producer = Ring.CreateProducer();
    }

    public RingBuffer<long> Ring { get; }

    public List<Stage> Stages { get; }

    public PoolGroup Group { get; }

    public CheckedRecorder[] Recorders { get; }

    public long Published => _next;

    public Task UntilTogetherAsync() => UntilTogetherAsync(Stages, () => Publish(1));

    public Task UntilThroughAsync() => Watchdog.UntilAsync(() => Recorders[^1].Count == Published, "all items are through");

    public void Publish(int count)
    {
        for (int i = 0; i < count; i++) _producer.Publish(_next++);
    }

    public void PublishAtOnce(int count)
    {
        using Claim<long> claim = _producer.Claim(count);
        foreach (ref long slot in claim) slot = _next++;
        claim.Commit();
    }

    public ValueTask DisposeAsync() => Ring.DisposeAsync();

    /// <summary>Waits until <paramref name="stages"/> are together.</summary>
    /// <remarks>It needs no item, unless one of them was slow to begin: items gather them again then.</remarks>
    public static Task UntilTogetherAsync(List<Stage> stages, Action publish)
    {
        long patience = Environment.TickCount64 + 100;
        return Watchdog.UntilAsync(
            () =>
            {
                if (stages.All(stages[0].IsDrivenWith)) return true;
                if (Environment.TickCount64 > patience) publish();
                return false;
            },
            "the stages are together");
    }
}
