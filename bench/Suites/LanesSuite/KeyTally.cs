using System.Runtime.CompilerServices;

namespace Raceway.Suites.LanesSuite;

/// <summary>The work of a worker, the same for every contestant: it takes an item into its key's place and counts.</summary>
/// <remarks>
/// Numbers of a key that only ascend, none twice, with the right count and the right sum over all of them: every item was
/// there, once, and in the order of its key.
/// </remarks>
public struct KeyTally(KeyTable table)
{
    /// <summary>Items taken in.</summary>
    public long Items { get; private set; }

    /// <summary>Items that were not behind the one before of their key.</summary>
    public long Errors { get; private set; }

    /// <summary>Their marks, summed.</summary>
    public long Checksum { get; private set; }

    /// <summary>Takes an item in.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(KeyedItem item)
    {
        if (!table.Advance(item)) Errors++;
        Items++;
        Checksum += KeyTable.Mark(item);
    }

    /// <summary>Whether the workers together have taken in exactly these items, in order.</summary>
    public static bool Agree(IEnumerable<KeyTally> tallies, KeyLoad load, long operations)
    {
        long items = 0, errors = 0, checksum = 0;
        foreach (KeyTally tally in tallies)
        {
            items += tally.Items;
            errors += tally.Errors;
            checksum += tally.Checksum;
        }

        return items == operations && errors == 0 && checksum == load.ChecksumOf(operations);
    }
}
