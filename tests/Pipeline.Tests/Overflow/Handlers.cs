using Raceway.Rings;

namespace Raceway.Pipelines.Tests.OverflowOf;

internal delegate void BatchBody(Batch<long> batch);

/// <summary>Keeps what it is given, call by call, and may throw.</summary>
internal sealed class Keeper(BatchBody? before = null) : IBatchHandler<long>, IStageLifetime
{
    public List<long> Items { get; } = [];

    public List<long[]> Calls { get; } = [];

    public int Starts { get; private set; }

    public void OnStart() => Starts++;

    public void OnStop() => Starts--;

    public void OnBatch(Batch<long> batch)
    {
        before?.Invoke(batch);
        var items = new long[batch.Count];
        for (int i = 0; i < items.Length; i++) items[i] = batch[i];
        Calls.Add(items);
        Items.AddRange(items);
    }
}

/// <summary>The same, an item at a time.</summary>
internal sealed class EventKeeper : IEventHandler<long>
{
    public List<(long Item, bool End)> Items { get; } = [];

    public void OnEvent(ref long item, long sequence, bool endOfBatch) => Items.Add((item, endOfBatch));
}

/// <summary>Short ways into these tests.</summary>
internal static class One
{
    /// <summary>A pipeline of one stage, stepped by the test, with its items published.</summary>
    public static async Task<Pipeline<long>> StageOf(
        IBatchHandler<long> handler, IEnumerable<long> items, Dispatch? dispatch = null, FaultPolicy? onFault = null)
    {
        Pipeline<long> pipeline = Pipeline.Of<long>(64).HaltOnDispose()
            .Stage("only", handler, HandlerKinds.Called(dispatch, onFault))
            .Build(Plan.Manual);
        await pipeline.StartAsync();
        SingleProducer<long> producer = pipeline.CreateProducer();
        foreach (long item in items) producer.Publish(item);
        return pipeline;
    }

    public static StageStatistics Only(this Pipeline<long> pipeline) => Assert.Single(pipeline.GetStatistics());

    public static void StepAll(this Pipeline<long> pipeline)
    {
        while (pipeline.Stages[0].Step().Kind == StepKind.Progressed)
        {
        }
    }

    public static long[] Range(int first, int count) => [.. Enumerable.Range(first, count).Select(item => (long)item)];
}
