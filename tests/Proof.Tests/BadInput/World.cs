namespace Raceway.Proof.Tests.BadInput;

/// <summary>A ring, a stage, a producer and a pipeline, to be called wrongly; and whether they still work after that.</summary>
internal sealed class World
{
    private readonly List<long> _seen = [];
    private long _next;

    public World(ProducerKind kind = ProducerKind.Single)
    {
        Ring = Make.Ring(8, kind, maxProducers: 2);
        Producer = Make.Producer(Ring);
        Stage = Ring.Subscribe(
            new BatchLambda<long>(batch =>
            {
                foreach (ref long item in batch) _seen.Add(item);
            }),
            Make.Stepped(name: "stage"));
        Pipeline = Pipelines.Pipeline.Of<long>(8).Stage("stage", static (ref long _) => { })
            .Configure(static options => options with { DrainTimeout = TimeSpan.Zero }).Build(Plan.Manual);
        Builder = Pipelines.Pipeline.Of<long>(8).Stage("stage", static (ref long _) => { });
    }

    public RingBuffer<long> Ring { get; }

    public Producer<long> Producer { get; }

    public Stage Stage { get; }

    public Pipeline<long> Pipeline { get; }

    public PipelineBuilder<long, long> Builder { get; }

    /// <summary>A stage of another ring.</summary>
    public static Stage Foreign { get; } = Make.Ring().Subscribe(new Recorder(), Make.Stepped(name: "foreign"));

    /// <summary>A stage that a thread of its own will drive.</summary>
    public static Stage Tunable() => Make.Ring().Subscribe(new Recorder.Silent(), new StageOptions { Dispatch = Dispatch.Batch() });

    /// <summary>Lanes of a pipeline of their own.</summary>
    public static KeyedLanes Lanes() => Pipelines.Pipeline.Of<long>(8)
        .Lanes("lanes", 2, static (ref readonly long item) => item, static (ref long _) => { })
        .Build(Plan.Manual).GetLanes("lanes");

    /// <summary>A publisher of a pipeline of its own, which runs: a call waits for room no longer than that takes.</summary>
    public static Publisher<long> Served() =>
        Pipelines.Pipeline.Of<long>(8).Stage("stage", static (ref long _) => { }).Run(Plan.Pooled).Publisher;

    /// <summary>A poller of a pipeline of its own, with an item to poll: a wait for one is over.</summary>
    public static Poller<long> Polled()
    {
        Pipeline<long> pipeline = Pipelines.Pipeline.Of<long>(8).Poller("poll").Build(Plan.Manual);
        pipeline.CreateProducer().Publish(1);
        return pipeline.GetPoller<long>("poll");
    }

    /// <summary>Publishes an item, steps, and sees it; of a ring that has been ended, that it says so.</summary>
    public void StillWorks()
    {
        if (Ring.Control.IsClosed)
        {
            Assert.Equal(ClaimStatus.Stopped, Probe());
            return;
        }

        // What the call has published itself is handled before it, and a producer that it has disposed is replaced.
        Stage.Dispatch = Dispatch.Batch();
        Make.StepAll(Stage);
        _seen.Clear();
        long item = ++_next;
        Assert.Equal(ClaimStatus.Done, Publish(item));
        Make.StepAll(Stage);
        if (Ring.Stages.Contains(Stage)) Assert.Equal([item], _seen);
        Assert.InRange(Ring.Backlog, 0, Ring.Capacity);
    }

    private ClaimStatus Probe()
    {
        try
        {
            return Publish(0);
        }
        catch (InvalidOperationException)
        {
            // Another handle has the only place.
            return ClaimStatus.Stopped;
        }
    }

    private ClaimStatus Publish(long item)
    {
        try
        {
            return Producer.TryPublish(item);
        }
        catch (ObjectDisposedException)
        {
            using Producer<long> another = Make.Producer(Ring);
            return another.TryPublish(item);
        }
    }
}

/// <summary>A struct handler of every kind.</summary>
internal struct StructHandler : IBatchHandler<long>, IEventHandler<long>, IOutcomeHandler<long>, IMapHandler<long, string>
{
    public readonly void OnBatch(Batch<long> source, Batch<string> results)
    {
    }

    readonly BatchOutcome IOutcomeHandler<long>.OnBatch(Batch<long> batch) => BatchOutcome.Done;

    public readonly void OnBatch(Batch<long> batch)
    {
    }

    public readonly void OnEvent(ref long item, long sequence, bool endOfBatch)
    {
    }
}

/// <summary>An item with a payload.</summary>
internal struct Parcel
{
    public Payload Payload;
}

internal sealed class NoKeys : IKeyHandler<long, long>
{
    public void OnKey(long key, KeyedItems<long> items)
    {
    }
}

internal sealed class NoParts : IExpandHandler<long, string>
{
    public void OnItem(ref long item, Emitter<string> output)
    {
    }
}

internal sealed class NoMap : IMapHandler<long, string>
{
    public void OnBatch(Batch<long> source, Batch<string> results)
    {
    }
}
