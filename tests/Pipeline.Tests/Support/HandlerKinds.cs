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
        HandlerKind.Delegate => Behind(builder, after).Stage(name, work.Do, Called(dispatch, onFault)),
        HandlerKind.Events => Behind(builder, after).Stage(name, new EventWork(work), Called(dispatch, onFault)),
        HandlerKind.Batches => Behind(builder, after).Stage(name, new BatchWork(work), Called(dispatch, onFault)),
        HandlerKind.Async => Behind(builder, after).Stage(name, new AsyncWork(work, later: false), Called(dispatch, onFault)),
        HandlerKind.AsyncLater =>
            Behind(builder, after).Stage(name, new AsyncWork(work, later: true), Called(dispatch, onFault)),
        HandlerKind.StructEvents =>
            Behind(builder, after).Stage(name, StageKind<Item>.Events(new StructEventWork(work)), Called(dispatch, onFault)),
        _ => Behind(builder, after).Stage(name, StageKind<Item>.Batches(new StructBatchWork(work)), Called(dispatch, onFault)),
    };

    /// <summary>The builder where the next stage follows <paramref name="after"/>; null: the one added last.</summary>
    public static PipelineBuilder<TSource, T> Behind<TSource, T>(PipelineBuilder<TSource, T> builder, IReadOnlyList<string>? after) =>
        after is null ? builder : builder.After(after);

    /// <summary>Options with these, where they are given.</summary>
    public static StageOptions Called(Dispatch? dispatch, FaultPolicy? onFault) =>
        new() { Dispatch = dispatch ?? Dispatch.Batch(), OnFault = onFault };

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
