using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>What a stage is given at once: a run of slots, in two spans where it wraps round the end of the ring.</summary>
/// <remarks>
/// <para><b>Threads</b>: valid on the stage's thread until the handler returns. Stages beside each other on the same
/// upstream see the same slots at the same time: only one of them may write a field.</para>
/// <para><b>Cost</b>: a few registers on the stack; its size never depends on where in the ring it starts.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
public readonly ref struct Batch<T>
{
    private readonly Stage? _stage;

    internal Batch(Span<T> first, Span<T> second, long sequence, Stage? stage)
    {
        First = first;
        Second = second;
        Sequence = sequence;
        _stage = stage;
    }

    /// <summary>A batch over <paramref name="items"/>, to call a handler without a ring (in a test).</summary>
    public Batch(Span<T> items, long sequence = 0)
        : this(items, default, sequence, null)
    {
    }

    /// <summary>The items up to the end of the ring.</summary>
    public Span<T> First { get; }

    /// <summary>The items after the wrap; empty where the batch does not wrap.</summary>
    public Span<T> Second { get; }

    /// <summary>The sequence of the first item; the others follow without a gap.</summary>
    public long Sequence { get; }

    /// <summary>Number of items, at least 1.</summary>
    public int Count => First.Length + Second.Length;

    /// <summary>Items that were readable when the batch was closed, these included: the stage's backlog.</summary>
    public long Depth => _stage?.BatchDepth ?? Count;

    /// <summary>
    /// Time since the stage first saw the oldest item. Zero where it was taken the moment it was seen.
    /// Reads the clock, where it has to.
    /// </summary>
    public TimeSpan Age => _stage?.BatchAge ?? TimeSpan.Zero;

    /// <summary>Why the batch holds no more than it does.</summary>
    public CloseReason CloseReason => _stage?.BatchCloseReason ?? CloseReason.Drained;

    /// <summary>The item at <paramref name="index"/>.</summary>
    /// <exception cref="IndexOutOfRangeException">Outside 0..Count − 1.</exception>
    public ref T this[int index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if ((uint)index < (uint)First.Length) return ref First[index];
            return ref Second[index - First.Length];
        }
    }

    /// <summary>
    /// Marks the first <paramref name="count"/> items as done. What is marked is released downstream at once (at every
    /// progress interval, where one is set) and is not handled again if the handler throws later on.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0..Count.</exception>
    public void Complete(int count)
    {
        if ((uint)count > (uint)Count) Throw.MarkOutOfRange(count, Count);
        _stage?.Mark(Sequence + count);
    }

    /// <summary>Walks the items by reference, over both spans.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Enumerator GetEnumerator() => new(First, Second);

    /// <summary>Walks the items of a batch by reference.</summary>
    public ref struct Enumerator
    {
        private ref T _start;
        private int _index;
        private int _count;
        private Span<T> _second;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal Enumerator(Span<T> first, Span<T> second)
        {
            _start = ref MemoryMarshal.GetReference(first);
            _index = -1;
            _count = first.Length;
            _second = second;
        }

        /// <summary>The item reached.</summary>
        public readonly ref T Current
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            // SAFETY: MoveNext has kept the index below the count.
            get => ref Unsafe.Add(ref _start, _index);
        }

        /// <summary>Moves on; false after the last item.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool MoveNext()
        {
            if (++_index < _count) return true;
            _start = ref MemoryMarshal.GetReference(_second);
            _index = 0;
            _count = _second.Length;
            _second = default;
            return _count != 0;
        }
    }
}
