namespace Raceway.Tests.Support;

internal delegate void BatchBody<T>(Batch<T> batch);

internal delegate void EventBody<T>(ref T item, long sequence, bool endOfBatch);

internal sealed class BatchLambda<T>(BatchBody<T> body) : IBatchHandler<T>
{
    public void OnBatch(Batch<T> batch) => body(batch);
}

internal sealed class EventLambda<T>(EventBody<T> body) : IEventHandler<T>
{
    public void OnEvent(ref T item, long sequence, bool endOfBatch) => body(ref item, sequence, endOfBatch);
}

internal sealed class AsyncLambda<T>(Func<AsyncBatch<T>, CancellationToken, ValueTask> body) : IAsyncBatchHandler<T>
{
    public ValueTask OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation) => body(batch, cancellation);
}

internal delegate BatchOutcome OutcomeBody<T>(Batch<T> batch);

internal sealed class OutcomeLambda<T>(OutcomeBody<T> body) : IOutcomeHandler<T>
{
    public BatchOutcome OnBatch(Batch<T> batch) => body(batch);
}

internal sealed class AsyncOutcomeLambda<T>(Func<AsyncBatch<T>, ValueTask<BatchOutcome>> body) : IAsyncOutcomeHandler<T>
{
    public ValueTask<BatchOutcome> OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation) => body(batch);
}

internal static class BatchItems
{
    public static T[] ToArray<T>(this Batch<T> batch)
    {
        var items = new T[batch.Count];
        for (int i = 0; i < items.Length; i++) items[i] = batch[i];
        return items;
    }

    public static T[] ToArray<T>(this AsyncBatch<T> batch)
    {
        var items = new T[batch.Count];
        for (int i = 0; i < items.Length; i++) items[i] = batch[i];
        return items;
    }
}

/// <summary>Keeps everything it is given. Read it when its stage has ended, or from the thread that steps it.</summary>
internal sealed class Recorder : IBatchHandler<long>, IStageLifetime, IIdleHandler
{
    public List<long> Items { get; } = [];

    public List<int> Sizes { get; } = [];

    public List<CloseReason> Reasons { get; } = [];

    public List<long> Depths { get; } = [];

    public int Starts { get; private set; }

    public int Stops { get; private set; }

    public int Idles { get; private set; }

    public void OnBatch(Batch<long> batch)
    {
        Sizes.Add(batch.Count);
        Reasons.Add(batch.CloseReason);
        Depths.Add(batch.Depth);
        long sequence = batch.Sequence;
        foreach (ref long item in batch) Items.Add(item);
        Assert.True(sequence >= 0);
    }

    public void OnStart() => Starts++;

    public void OnStop() => Stops++;

    public void OnIdle() => Idles++;

    /// <summary>Keeps nothing.</summary>
    internal sealed class Silent : IBatchHandler<long>, IIdleHandler
    {
        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnIdle()
        {
        }
    }
}

/// <summary>Counts, sums and checks the order of what it is given, without allocating.</summary>
internal sealed class Summer : IBatchHandler<long>
{
    private long _count;

    public long Count => Volatile.Read(ref _count);

    public long Sum { get; private set; }

    public bool InOrder { get; private set; } = true;

    private long _last = -1;

    public void OnBatch(Batch<long> batch)
    {
        long sum = 0;
        foreach (ref long item in batch)
        {
            InOrder &= item > _last;
            _last = item;
            sum += item;
        }

        Sum += sum;
        Volatile.Write(ref _count, _count + batch.Count);
    }
}

/// <summary>A handler that stays in its call until it is let go.</summary>
internal sealed class Blocker : IBatchHandler<long>
{
    private readonly ManualResetEventSlim _go = new();
    private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task Entered => _entered.Task;

    public List<long> Items { get; } = [];

    /// <summary>Called on the stage's thread once it is let go.</summary>
    public BatchBody<long>? Then { get; init; }

    public void Release() => _go.Set();

    public void OnBatch(Batch<long> batch)
    {
        _entered.TrySetResult();
        _go.Wait();
        Then?.Invoke(batch);
        foreach (ref long item in batch) Items.Add(item);
    }
}
