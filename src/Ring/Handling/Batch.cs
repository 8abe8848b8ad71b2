using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>What a stage is given at once: a run of slots, in two spans where it wraps round the end of the ring.</summary>
/// <remarks>
/// <para><b>Threads</b>: valid on the stage's thread until the handler returns. Stages beside each other on the same
/// upstream see the same slots at the same time: only one of them may write a field.</para>
/// <para><b>Cost</b>: a few registers on the stack; its size never depends on where in the ring it starts. In a sharded ring
/// it holds items of one lane.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// internal sealed class Book(Accounts accounts) : IBatchHandler&lt;Order>
/// {
///     public void OnBatch(Batch&lt;Order> batch)
///     {
///         foreach (ref Order order in batch) order.Price = order.Pieces * 0.25m;
///         accounts.SaveAll(batch);  // one statement for all of them
///     }
/// }
/// </code>
/// </example>
public readonly ref struct Batch<T>
{
    private readonly Stage? _stage;
    private readonly ref T _first;
    private readonly ref T _second;
    private readonly int _firstCount;
    private readonly int _secondCount;
    private readonly int _shift;

    // Two pieces of slots, each two to the power of shift items from the next. The second one, if there is any, begins elsewhere.
    internal Batch(ref T first, int firstCount, ref T second, int secondCount, int shift, long sequence, Stage? stage)
    {
        Debug.Assert(secondCount == 0 || !Unsafe.AreSame(ref first, ref second), "An enumerator tells by that in which piece it is.");
        _first = ref first;
        _second = ref second;
        _firstCount = firstCount;
        _secondCount = secondCount;
        _shift = shift;
        Sequence = sequence;
        _stage = stage;
    }

    /// <summary>A batch over <paramref name="items"/>, to call a handler without a ring (in a test).</summary>
    public Batch(Span<T> items, long sequence = 0)
        : this(ref MemoryMarshal.GetReference(items), items.Length, ref Unsafe.NullRef<T>(), 0, 0, sequence, null)
    {
    }

    /// <summary>The items up to the end of the ring.</summary>
    /// <exception cref="InvalidOperationException">Slots lie apart (<see cref="RingOptions.SlotStride"/>).</exception>
    public Span<T> First => Side(ref _first, _firstCount);

    /// <summary>The items after the wrap; empty where the batch does not wrap.</summary>
    /// <inheritdoc cref="First"/>
    public Span<T> Second => Side(ref _second, _secondCount);

    /// <summary>The sequence of the first item; the others follow without a gap.</summary>
    public long Sequence { get; }

    /// <summary>Number of items, at least 1.</summary>
    public int Count => _firstCount + _secondCount;

    /// <summary>Items that were readable when the batch was closed, these included: the stage's backlog.</summary>
    public long Depth => _stage?.State.Depth ?? Count;

    /// <summary>
    /// Time since the stage first saw the oldest item. Zero where it was taken the moment it was seen.
    /// Reads the clock, where it has to.
    /// </summary>
    public TimeSpan Age => _stage?.State.Closer.Age(_stage.Owner.Clock) ?? TimeSpan.Zero;

    /// <summary>Why the batch holds no more than it does.</summary>
    public CloseReason CloseReason => _stage?.State.Reason ?? CloseReason.Drained;

    /// <summary>The item at <paramref name="index"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0..Count − 1.</exception>
    public ref T this[int index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if ((uint)index < (uint)_firstCount) return ref Unsafe.Add(ref _first, (nint)index << _shift);
            if ((uint)index >= (uint)Count) HandlingErrors.IndexOutside(index, Count);
            return ref Unsafe.Add(ref _second, (nint)(index - _firstCount) << _shift);
        }
    }

    /// <summary>Part of the batch: a view of the same slots, which allocates and copies nothing.</summary>
    /// <remarks>Its <see cref="Complete"/> speaks for what lies before it as well: a stage's progress has no gaps.</remarks>
    /// <param name="start">The first item.</param>
    /// <param name="count">How many, from there on.</param>
    /// <exception cref="ArgumentOutOfRangeException">Not inside the batch.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Batch<T> Slice(int start, int count)
    {
        if ((uint)start > (uint)Count || (uint)count > (uint)(Count - start)) HandlingErrors.SliceOutside(start, count, Count);
        if (start < _firstCount)
        {
            int straight = Math.Min(count, _firstCount - start);
            return new Batch<T>(
                ref Unsafe.Add(ref _first, (nint)start << _shift), straight, ref _second, count - straight, _shift,
                Sequence + start, _stage);
        }

        // SAFETY: the end of the batch is one past its last slot, where a slice is empty.
        return new Batch<T>(
            ref Unsafe.Add(ref _second, (nint)(start - _firstCount) << _shift), count, ref _second, 0, _shift,
            Sequence + start, _stage);
    }

    /// <summary>
    /// Marks the first <paramref name="count"/> items as done. What is marked is released downstream at once (at every
    /// progress interval, where one is set) and is not handled again if the handler throws later on.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0..Count.</exception>
    public void Complete(int count)
    {
        if ((uint)count > (uint)Count) HandlingErrors.MarkOutOfRange(count, Count);
        _stage?.Mark(Sequence + count);
    }

    /// <summary>
    /// Passes over what is not marked yet of the first <paramref name="count"/> items, as <see cref="Complete"/> marks it, but
    /// counted as skipped and dropped instead of handled: for handlers that leave items out because more came than they can do.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0..Count.</exception>
    public void Drop(int count)
    {
        if ((uint)count > (uint)Count) HandlingErrors.MarkOutOfRange(count, Count);
        _stage?.Drop(Sequence + count);
    }

    /// <summary>
    /// For handlers around others: what lies before the item at <paramref name="index"/> is done, and the exception about to
    /// leave is of one of the <paramref name="count"/> items from there on.
    /// </summary>
    internal void FailAt(int index, int count = 1) => _stage?.FailAt(Sequence + index, count);

    /// <summary>The first of <paramref name="count"/> items from <paramref name="start"/> on, which must be in the batch, and how
    /// many of them follow each other in memory, <see cref="Step"/> items apart.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref T Run(int start, int count, out int length)
    {
        int second = start - _firstCount;
        length = second < 0 ? Math.Min(count, -second) : count;
        return ref second < 0 ? ref Unsafe.Add(ref _first, (nint)start << _shift) : ref Unsafe.Add(ref _second, (nint)second << _shift);
    }

    /// <summary>The distance of two neighbours, in items.</summary>
    internal nint Step => (nint)1 << _shift;

    /// <summary>Items known to be readable from its first on: its <see cref="Depth"/>, also where it is a part.</summary>
    internal long Backlog => _stage is null ? Count : _stage.State.Seen - Sequence + 1;

    /// <summary>How many items may be done before the next stage is told; 0: all.</summary>
    internal int ProgressInterval => _stage?.Dispatch.ProgressInterval ?? 0;

    /// <summary>Whether the ring has been halted: a handler of single items should not go on then.</summary>
    internal bool IsHalted => _stage is { } stage && stage.Owner.Control.IsHalted;

    /// <summary>The first item that the handler has not marked as done.</summary>
    internal long FirstUnmarked => _stage?.Reached ?? Sequence;

    /// <summary>The items, copied.</summary>
    public T[] ToArray()
    {
        var items = new T[Count];
        int at = 0;
        foreach (ref T item in this) items[at++] = item;
        return items;
    }

    /// <summary>Walks the items by reference, over both spans.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Enumerator GetEnumerator() => new(this);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Span<T> Side(ref T first, int count)
    {
        if (_shift != 0) throw HandlingErrors.SlotsApart(Unsafe.SizeOf<T>() << _shift);
        return MemoryMarshal.CreateSpan(ref first, count);
    }

    /// <summary>Walks the items of a batch by reference.</summary>
    public ref struct Enumerator
    {
        private readonly ref T _second;
        private readonly nint _step;
        private readonly int _secondCount;
        private ref T _start;
        private nint _offset;
        private int _left;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal Enumerator(Batch<T> batch)
        {
            _start = ref batch._first;
            _left = batch._firstCount;
            _second = ref batch._second;
            _secondCount = batch._secondCount;
            _step = (nint)1 << batch._shift;
            _offset = -_step;
        }

        /// <summary>The item reached.</summary>
        public readonly ref T Current
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            // SAFETY: MoveNext has counted it.
            get => ref Unsafe.Add(ref _start, _offset);
        }

        /// <summary>Moves on; false after the last item.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool MoveNext()
        {
            _offset += _step;
            if (--_left >= 0) return true;
            // By the address, and not by a field that is set here: the compiler would store such a field in each pass (decision 0031).
            if (_secondCount == 0 || Unsafe.AreSame(ref _start, ref _second)) return false;
            _start = ref _second;
            _offset = 0;
            _left = _secondCount - 1;
            return true;
        }
    }
}
