using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>The items of one key in a lane's batch, in sequence order.</summary>
/// <remarks><b>Threads</b>: valid on the lane's thread until the handler returns.</remarks>
/// <typeparam name="T">The item type.</typeparam>
public readonly ref struct KeyedItems<T>
{
    // Slots rather than the batch: what is passed by value with every call stays small.
    private readonly Slots<T> _slots;
    private readonly GroupedItem[] _items;
    private readonly long _batch;
    private readonly int _first;

    internal KeyedItems(Slots<T> slots, long batch, GroupedItem[] items, int first, int count)
    {
        _slots = slots;
        _batch = batch;
        _items = items;
        _first = first;
        Count = count;
    }

    /// <summary>Number of items, at least 1.</summary>
    public int Count { get; }

    /// <summary>The sequence of the first.</summary>
    public long Sequence => _batch + _items[_first].Index;

    /// <summary>The first.</summary>
    public ref T First => ref _slots[Sequence];

    /// <summary>Walks the items by reference.</summary>
    public Enumerator GetEnumerator() => new(this);

    /// <summary>Walks the items of a key by reference.</summary>
    public ref struct Enumerator
    {
        private readonly KeyedItems<T> _items;
        private int _next;
        private int _current;

        internal Enumerator(KeyedItems<T> items)
        {
            _items = items;
            _next = items._first;
        }

        /// <summary>The item reached.</summary>
        public readonly ref T Current => ref _items._slots[Sequence];

        /// <summary>The sequence of the item reached.</summary>
        public readonly long Sequence => _items._batch + _current;

        /// <summary>Moves on; false after the last item.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool MoveNext()
        {
            if (_next < 0) return false;
            GroupedItem item = _items._items[_next];
            _current = item.Index;
            _next = item.Next;
            return true;
        }
    }
}

/// <summary>An item of a group: where it is in the batch, and which of the grouped ones is the next of its key.</summary>
/// <param name="Index">Its index in the batch.</param>
/// <param name="Next">The next one's place, or −1.</param>
internal readonly record struct GroupedItem(int Index, int Next);
