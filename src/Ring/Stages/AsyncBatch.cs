namespace Raceway.Rings;

/// <summary>A batch that may be kept across <c>await</c>: the twin of <see cref="Batch{T}"/> for async handlers.</summary>
/// <remarks>
/// <para><b>Threads</b>: any thread the handler continues on, one at a time, until its task completes.</para>
/// <para><b>Errors</b>: once the task has completed, every access throws <see cref="ObjectDisposedException"/>: the slots
/// belong to the next stage by then.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
public readonly struct AsyncBatch<T>
{
    private readonly AsyncStage<T>? _stage;
    private readonly long _lease;

    internal AsyncBatch(AsyncStage<T> stage, long lease, long sequence, int count)
    {
        _stage = stage;
        _lease = lease;
        Sequence = sequence;
        Count = count;
    }

    /// <summary>The sequence of the first item; the others follow without a gap.</summary>
    public long Sequence { get; }

    /// <summary>Number of items, at least 1.</summary>
    public int Count { get; }

    /// <summary>Items that were readable when the batch was closed, these included.</summary>
    public long Depth => Stage.State.Depth;

    /// <summary>Time since the stage first saw the oldest item.</summary>
    public TimeSpan Age => Stage.State.Closer.Age;

    /// <summary>Why the batch holds no more than it does.</summary>
    public CloseReason CloseReason => Stage.State.Reason;

    private AsyncStage<T> Stage
    {
        get
        {
            if (_stage is null || !_stage.IsLent(_lease)) Throw.BatchEnded();
            return _stage;
        }
    }

    /// <summary>The item at <paramref name="index"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0..Count − 1.</exception>
    /// <exception cref="ObjectDisposedException">The handler's task has completed.</exception>
    public ref T this[int index]
    {
        get
        {
            if ((uint)index >= (uint)Count) Throw.IndexOutside(index, Count);
            AsyncStage<T> stage = Stage;
            return ref stage.Column.Run(Sequence + index, 1, ref stage.Segment, out _);
        }
    }

    /// <summary>Part of the batch, as <see cref="Batch{T}.Slice"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not inside the batch.</exception>
    public AsyncBatch<T> Slice(int start, int count)
    {
        if ((uint)start > (uint)Count || (uint)count > (uint)(Count - start)) Throw.SliceOutside(start, count, Count);
        return new AsyncBatch<T>(_stage!, _lease, Sequence + start, count);
    }

    /// <summary>As <see cref="Batch{T}.FailAt"/>.</summary>
    internal void FailAt(int index)
    {
        AsyncStage<T> stage = Held();
        stage.FailAt(Sequence + index);
        stage.LetGo(_lease);
    }

    /// <summary>Marks the first <paramref name="count"/> items as done, as <see cref="Batch{T}.Complete"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0..Count.</exception>
    /// <exception cref="ObjectDisposedException">The handler's task has completed.</exception>
    /// <exception cref="InvalidOperationException">Another thread is marking at this moment.</exception>
    public void Complete(int count)
    {
        if ((uint)count > (uint)Count) Throw.MarkOutOfRange(count, Count);
        AsyncStage<T> stage = Held();
        stage.Mark(Sequence + count);
        stage.LetGo(_lease);
    }

    private AsyncStage<T> Held()
    {
        if (_stage is not null && _stage.TryHold(_lease)) return _stage;
        if (_stage is not null && _stage.IsHeld(_lease)) throw Throw.MarkedByTwo();
        Throw.BatchEnded();
        return null;
    }
}
