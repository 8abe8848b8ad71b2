using System.Runtime.CompilerServices;

namespace Raceway.Pipelines;

/// <summary>Groups a bounded number of items by key: an open-addressing table of keys, and a chain of items for each.</summary>
/// <remarks>Allocated once. Emptied by counting up: an entry of an older round is an empty one.</remarks>
internal sealed class KeyGroups<TKey>
    where TKey : notnull, IEquatable<TKey>
{
    /// <summary>The most items of a round: so many that all of it stays in the nearest cache.</summary>
    public const int Most = 256;

    private const int Places = 2 * Most;

    private readonly int[] _rounds = new int[Places];
    private readonly int[] _groupAt = new int[Places];
    private readonly Group[] _groups = new Group[Most];
    private readonly GroupedItem[] _items = new GroupedItem[Most];
    private int _round;

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

    /// <summary>Adds the item at <paramref name="index"/> of the batch. There must be room: see <see cref="Most"/>.</summary>
    public void Add(TKey key, int index)
    {
        int item = Items++;
        _items[item] = new GroupedItem(index, -1);
        int place = (int)KeyHash.Of(key) & (Places - 1);
        while (_rounds[place] == _round)
        {
            ref Group known = ref _groups[_groupAt[place]];
            if (known.Key.Equals(key))
            {
                ref GroupedItem last = ref _items[known.Last];
                last = new GroupedItem(last.Index, item);
                known.Last = item;
                known.Count++;
                return;
            }

            place = (place + 1) & (Places - 1);
        }

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
