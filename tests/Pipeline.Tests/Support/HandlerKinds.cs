using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Support;

/// <summary>Every way in which a stage can be written.</summary>
public enum HandlerKind
{
    Delegate,
    Events,
    Batches,
    Async,
    AsyncLater,
    StructEvents,
    StructBatches,
}

/// <summary>The same <see cref="Work"/> behind each kind of handler.</summary>
internal static class HandlerKinds
{
    public static PipelineBuilder<Item, Item> Stage(
        this PipelineBuilder<Item, Item> builder,
        HandlerKind kind,
        string name,
        Work work,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        FaultPolicy? onFault = null) => kind switch
    {
        HandlerKind.Delegate => builder.Stage(name, work.Do, dispatch, after, onFault: onFault),
        HandlerKind.Events => builder.Stage(name, new EventWork(work), dispatch, after, onFault: onFault),
        HandlerKind.Batches => builder.Stage(name, new BatchWork(work), dispatch, after, onFault: onFault),
        HandlerKind.Async => builder.Stage(name, new AsyncWork(work, later: false), dispatch, after, onFault: onFault),
        HandlerKind.AsyncLater =>
            builder.Stage(name, new AsyncWork(work, later: true), dispatch, after, onFault: onFault),
        HandlerKind.StructEvents =>
            builder.StageOfEvents(name, new StructEventWork(work), dispatch, after, onFault: onFault),
        _ => builder.StageOfBatches(name, new StructBatchWork(work), dispatch, after, onFault: onFault),
    };

    /// <summary>Disposal halts at once: a test that has failed must not wait for a drain that nobody drives.</summary>
    public static PipelineBuilder<T, T> HaltOnDispose<T>(this PipelineBuilder<T, T> builder) =>
        builder.Configure(options => options with { DrainTimeout = TimeSpan.Zero });

    private sealed class EventWork(Work work) : IEventHandler<Item>
    {
        public void OnEvent(ref Item item, long sequence, bool endOfBatch) => work.Do(ref item);
    }

    private sealed class BatchWork(Work work) : IBatchHandler<Item>
    {
        public void OnBatch(Batch<Item> batch)
        {
            work.Batches.Add(batch.Count);
            foreach (ref Item item in batch) work.Do(ref item);
        }
    }

    private sealed class AsyncWork(Work work, bool later) : IAsyncBatchHandler<Item>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<Item> batch, CancellationToken cancellation)
        {
            work.Batches.Add(batch.Count);
            for (int i = 0; i < batch.Count; i++)
            {
                if (later && i == batch.Count / 2) await Task.Yield();
                work.Do(ref batch[i]);
            }
        }
    }

    private struct StructEventWork(Work work) : IEventHandler<Item>
    {
        public readonly void OnEvent(ref Item item, long sequence, bool endOfBatch) => work.Do(ref item);
    }

    private struct StructBatchWork(Work work) : IBatchHandler<Item>
    {
        public readonly void OnBatch(Batch<Item> batch)
        {
            work.Batches.Add(batch.Count);
            for (int i = 0; i < batch.Count; i++) work.Do(ref batch[i]);
        }
    }
}
