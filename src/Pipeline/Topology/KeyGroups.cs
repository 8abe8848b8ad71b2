using System.Runtime.CompilerServices;

namespace Raceway.Pipelines;

/// <summary>Groups a bounded number of items by key: an open-addressing table of keys, and a chain of items for each.</summary>
/// <remarks>Allocated once. Emptied by counting up: an entry of an older round is an empty one.</remarks>
internal sealed class KeyGroups<TKey>
    where TKey : notnull, IEquatable<TKey>
{
    /// <summary>The most items of a round, unless asked for fewer.</summary>
    public const int Most = 1024;

    private readonly int[] _rounds;
    private readonly int[] _groupAt;
    private readonly Group[] _groups;
    private readonly GroupedItem[] _items;
    private int _round;

    /// <param name="room">The most items of a round: a power of two.</param>
    public KeyGroups(int room = Most)
    {
        Room = room;
        _rounds = new int[2 * room];
        _groupAt = new int[2 * room];
        _groups = new Group[room];
        _items = new GroupedItem[room];
    }

    /// <summary>The most items of a round.</summary>
    public int Room { get; }

    /// <summary>Keys of this round.</summary>
    public int Count { get; private set; }

    /// <summary>Items of this round.</summary>
    public int Items { get; private set; }

    /// <summary>The chains, for <see cref="KeyedItems{T}"/>.</summary>
    public GroupedItem[] Chains => _items;

    /// <summary>A key of this round, in the order of their first items.</summary>
    public ref readonly Group this[int group] => ref _groups[group];

    /// <summary>Begins a round.</summary>
    public void Clear()
    {
        // Nothing is kept alive by a table that waits for its next round.
        if (RuntimeHelpers.IsReferenceOrContainsReferences<TKey>()) Array.Clear(_groups, 0, Count);
        Count = Items = 0;
        if (++_round != 0) return;
        Array.Clear(_rounds);
        _round = 1;
    }

    /// <summary>Adds the item at <paramref name="index"/> of the batch. There must be <see cref="Room"/>.</summary>
    public void Add(TKey key, int index)
    {
        int item = Items++;
        _items[item] = new GroupedItem(index, -1);
        int place = Find(key);
        if (_rounds[place] != _round)
        {
            Open(place, key, item);
            return;
        }

        ref Group known = ref _groups[_groupAt[place]];
        ref GroupedItem last = ref _items[known.Last];
        last = new GroupedItem(last.Index, item);
        known.Last = item;
        known.Count++;
    }

    /// <summary>The same where it is the first of its key; false where it is not, and is not added.</summary>
    public bool TryAdd(TKey key, int index)
    {
        int place = Find(key);
        if (_rounds[place] == _round) return false;
        _items[Items] = new GroupedItem(index, -1);
        Open(place, key, Items++);
        return true;
    }

    // The place of a key of this round, or the free one that it would have.
    private int Find(TKey key)
    {
        int place = (int)KeyHash.Of(key) & (_rounds.Length - 1);
        while (_rounds[place] == _round && !_groups[_groupAt[place]].Key.Equals(key)) place = (place + 1) & (_rounds.Length - 1);
        return place;
    }

    private void Open(int place, TKey key, int item)
    {
        _rounds[place] = _round;
        _groupAt[place] = Count;
        _groups[Count++] = new Group { Key = key, First = item, Last = item, Count = 1 };
    }

    /// <summary>The items of a key: a chain.</summary>
    public struct Group
    {
        public TKey Key;
        public int First;
        public int Last;
        public int Count;
    }
}
