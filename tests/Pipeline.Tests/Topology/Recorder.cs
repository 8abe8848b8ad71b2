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
        HandlerKind.Delegate => HandlerKinds.Behind(builder, after).Stage(name, Do, HandlerKinds.Called(dispatch, onFault)),
        HandlerKind.Events => HandlerKinds.Behind(builder, after).Stage(name, Events(), HandlerKinds.Called(dispatch, onFault)),
        HandlerKind.Batches => HandlerKinds.Behind(builder, after).Stage(name, Batches(), HandlerKinds.Called(dispatch, onFault)),
        HandlerKind.Async => HandlerKinds.Behind(builder, after).Stage(name, Async(), HandlerKinds.Called(dispatch, onFault)),
        HandlerKind.AsyncLater => HandlerKinds.Behind(builder, after).Stage(name, Async(later: true), HandlerKinds.Called(dispatch, onFault)),
        HandlerKind.StructEvents => HandlerKinds.Behind(builder, after).Stage(name, StageKind<Routed>.Events(Struct()), HandlerKinds.Called(dispatch, onFault)),
        _ => HandlerKinds.Behind(builder, after).Stage(name, StageKind<Routed>.Batches(Struct()), HandlerKinds.Called(dispatch, onFault)),
    };

    public static PipelineBuilder<Routed, Routed> ShareTo(
        PipelineBuilder<Routed, Routed> builder, HandlerKind kind, string name, int workers, Func<int, Recorder> own,
        IReadOnlyList<string>? after = null, FaultPolicy? onFault = null) => kind switch
    {
        HandlerKind.Events or HandlerKind.StructEvents or HandlerKind.Delegate =>
            HandlerKinds.Behind(builder, after).Workers(name, workers, number => own(number).Events(), new() { OnFault = onFault }),
        HandlerKind.Async => HandlerKinds.Behind(builder, after).Workers(name, workers, number => own(number).Async(), new() { OnFault = onFault }),
        HandlerKind.AsyncLater =>
            HandlerKinds.Behind(builder, after).Workers(name, workers, number => own(number).Async(later: true), new() { OnFault = onFault }),
        _ => HandlerKinds.Behind(builder, after).Workers(name, workers, number => own(number).Batches(), new() { OnFault = onFault }),
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
