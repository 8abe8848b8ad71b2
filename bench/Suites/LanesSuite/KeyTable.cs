using System.Runtime.CompilerServices;

namespace Raceway.Suites.LanesSuite;

/// <summary>What is known of every key: the number of its last item. Each key is touched by one worker only.</summary>
public sealed class KeyTable
{
    private readonly int[] _last = new int[KeyLoad.Keys];

    /// <summary>Begins a round.</summary>
    public void Clear() => Array.Fill(_last, -1);

    /// <summary>What an item adds to the checksum.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Mark(KeyedItem item) => (long)item.Number * (item.Key + 1);

    /// <summary>Takes in the next item of its key; whether it is behind the one before.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Advance(KeyedItem item)
    {
        ref int last = ref _last[item.Key];
        bool inOrder = item.Number > last;
        last = item.Number;
        return inOrder;
    }
}
