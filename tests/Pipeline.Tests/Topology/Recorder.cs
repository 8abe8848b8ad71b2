using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>An item of the tests of topologies: a number, a key, and what stages wrote.</summary>
internal struct Routed
{
    public long Id;
    public long Key;
    public long Mark;
}

/// <summary>Writes down the items that it is called for, behind a handler of any kind; may throw where a test says so.</summary>
internal sealed class Recorder
{
    public List<long> Ids { get; } = [];

    /// <summary>How often the end of a batch was told, for handlers of single items.</summary>
    public int Ends { get; private set; }

    /// <summary>Called before an item counts as handled.</summary>
    public Action<Routed>? Before { get; init; }

    public void Do(ref Routed item)
    {
        Before?.Invoke(item);
        item.Mark = item.Id + 1;
        Ids.Add(item.Id);
    }

    public IEventHandler<Routed> Events() => new EventForm(this);

    public IBatchHandler<Routed> Batches(bool marks = false) => new BatchForm(this, marks);

    public IAsyncBatchHandler<Routed> Async(bool later = false) => new AsyncForm(this, later);

    public StructForm Struct() => new(this);

    public PipelineBuilder<Routed, Routed> AddTo(
        PipelineBuilder<Routed, Routed> builder, HandlerKind kind, string name, IReadOnlyList<string>? after = null,
        Dispatch? dispatch = null, FaultPolicy? onFault = null) => kind switch
    {
        HandlerKind.Delegate => builder.Stage(name, Do, dispatch, after, onFault: onFault),
        HandlerKind.Events => builder.Stage(name, Events(), dispatch, after, onFault: onFault),
        HandlerKind.Batches => builder.Stage(name, Batches(), dispatch, after, onFault: onFault),
        HandlerKind.Async => builder.Stage(name, Async(), dispatch, after, onFault: onFault),
        HandlerKind.AsyncLater => builder.Stage(name, Async(later: true), dispatch, after, onFault: onFault),
        HandlerKind.StructEvents => builder.StageOfEvents(name, Struct(), dispatch, after, onFault: onFault),
        _ => builder.StageOfBatches(name, Struct(), dispatch, after, onFault: onFault),
    };

    public static PipelineBuilder<Routed, Routed> ShareTo(
        PipelineBuilder<Routed, Routed> builder, HandlerKind kind, string name, int workers, Func<int, Recorder> own,
        IReadOnlyList<string>? after = null, FaultPolicy? onFault = null) => kind switch
    {
        HandlerKind.Events or HandlerKind.StructEvents or HandlerKind.Delegate =>
            builder.Share(name, workers, number => own(number).Events(), after: after, onFault: onFault),
        HandlerKind.Async => builder.Share(name, workers, number => own(number).Async(), after: after, onFault: onFault),
        HandlerKind.AsyncLater =>
            builder.Share(name, workers, number => own(number).Async(later: true), after: after, onFault: onFault),
        _ => builder.Share(name, workers, number => own(number).Batches(), after: after, onFault: onFault),
    };

    private sealed class EventForm(Recorder recorder) : IEventHandler<Routed>
    {
        public void OnEvent(ref Routed item, long sequence, bool endOfBatch)
        {
            recorder.Do(ref item);
            if (endOfBatch) recorder.Ends++;
        }
    }

    private sealed class BatchForm(Recorder recorder, bool marks) : IBatchHandler<Routed>
    {
        public void OnBatch(Batch<Routed> batch)
        {
            for (int i = 0; i < batch.Count; i++)
            {
                recorder.Do(ref batch[i]);
                if (marks) batch.Complete(i + 1);
            }
        }
    }

    private sealed class AsyncForm(Recorder recorder, bool later) : IAsyncBatchHandler<Routed>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<Routed> batch, CancellationToken cancellation)
        {
            if (later) await Task.Yield();
            for (int i = 0; i < batch.Count; i++) recorder.Do(ref batch[i]);
        }
    }

    internal readonly struct StructForm(Recorder recorder) : IEventHandler<Routed>, IBatchHandler<Routed>
    {
        public void OnEvent(ref Routed item, long sequence, bool endOfBatch) => recorder.Do(ref item);

        public void OnBatch(Batch<Routed> batch)
        {
            foreach (ref Routed item in batch) recorder.Do(ref item);
        }
    }
}
