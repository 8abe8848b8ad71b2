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
    private readonly AsyncLease<T>? _lease;
    private readonly long _number;

    internal AsyncBatch(AsyncLease<T> lease, long number, long sequence, int count)
    {
        _lease = lease;
        _number = number;
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
    public TimeSpan Age => Stage.State.Closer.Age(Stage.Owner.Clock);

    /// <summary>Why the batch holds no more than it does.</summary>
    public CloseReason CloseReason => Stage.State.Reason;

    private Stage Stage
    {
        get
        {
            if (_lease is null || !_lease.IsLent(_number)) HandlingErrors.BatchEnded();
            return _lease.Stage;
        }
    }

    /// <summary>The item at <paramref name="index"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0..Count − 1.</exception>
    /// <exception cref="ObjectDisposedException">The handler's task has completed.</exception>
    public ref T this[int index]
    {
        get
        {
            if ((uint)index >= (uint)Count) HandlingErrors.IndexOutside(index, Count);
            ref long run = ref Stage.LaneRun;
            return ref _lease!.Column.Run(Sequence + index, 1, ref run, out _);
        }
    }

    /// <summary>Part of the batch, as <see cref="Batch{T}.Slice"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not inside the batch.</exception>
    public AsyncBatch<T> Slice(int start, int count)
    {
        if ((uint)start > (uint)Count || (uint)count > (uint)(Count - start)) HandlingErrors.SliceOutside(start, count, Count);
        return new AsyncBatch<T>(_lease!, _number, Sequence + start, count);
    }

    /// <summary>The items, copied.</summary>
    /// <exception cref="ObjectDisposedException">The handler's task has completed.</exception>
    public T[] ToArray()
    {
        var items = new T[Count];
        for (int i = 0; i < items.Length; i++) items[i] = this[i];
        return items;
    }

    /// <summary>Walks the items by reference. No await stands within the loop: a reference does not outlive one.</summary>
    public Enumerator GetEnumerator() => new(this);

    /// <summary>As <see cref="Batch{T}.FailAt"/>.</summary>
    internal void FailAt(int index, int count = 1)
    {
        AsyncLease<T> lease = Held();
        lease.Stage.FailAt(Sequence + index, count);
        lease.LetGo(_number);
    }

    /// <summary>Marks the first <paramref name="count"/> items as done, as <see cref="Batch{T}.Complete"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0..Count.</exception>
    /// <exception cref="ObjectDisposedException">The handler's task has completed.</exception>
    /// <exception cref="InvalidOperationException">Another thread is marking at this moment.</exception>
    public void Complete(int count)
    {
        if ((uint)count > (uint)Count) HandlingErrors.MarkOutOfRange(count, Count);
        AsyncLease<T> lease = Held();
        lease.Stage.Mark(Sequence + count);
        lease.LetGo(_number);
    }

    private AsyncLease<T> Held()
    {
        if (_lease is not null && _lease.TryHold(_number)) return _lease;
        if (_lease is not null && _lease.IsHeld(_number)) throw HandlingErrors.MarkedByTwo();
        HandlingErrors.BatchEnded();
        return null;
    }

    /// <summary>Walks a batch by reference.</summary>
    public struct Enumerator
    {
        private readonly AsyncBatch<T> _batch;
        private int _index;

        internal Enumerator(AsyncBatch<T> batch) => (_batch, _index) = (batch, -1);

        /// <summary>The item it has come to.</summary>
        /// <exception cref="ObjectDisposedException">The handler's task has completed.</exception>
        public readonly ref T Current => ref _batch[_index];

        /// <summary>Moves on; false after the last item.</summary>
        public bool MoveNext() => ++_index < _batch.Count;
    }
}
