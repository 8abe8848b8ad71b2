namespace Raceway.Suites.LanesSuite;

/// <summary>The items of a case: which key each has. Drawn once from a fixed seed, and repeated.</summary>
public sealed class KeyLoad
{
    /// <summary>Keys there are.</summary>
    public const int Keys = 1_000_000;

    // Every key can come up, and a producer reads this memory in order.
    private const int Drawn = 1 << 21;
    private const int Seed = 20_260;

    private readonly int[] _keys;

    /// <summary>Draws the keys.</summary>
    public KeyLoad(KeySpread spread)
    {
        var random = new Random(Seed);
        _keys = new int[Drawn];
        if (spread == KeySpread.Uniform)
        {
            for (int i = 0; i < Drawn; i++) _keys[i] = random.Next(Keys);
            return;
        }

        double[] upTo = new double[Keys];
        double sum = 0;
        for (int i = 0; i < Keys; i++) upTo[i] = sum += 1.0 / (i + 1);
        // Which key is how frequent: so that the frequent ones lie anywhere in memory.
        int[] ranked = [.. Enumerable.Range(0, Keys)];
        random.Shuffle(ranked);
        for (int i = 0; i < Drawn; i++)
        {
            int rank = Array.BinarySearch(upTo, random.NextDouble() * sum);
            _keys[i] = ranked[Math.Min(Keys - 1, rank < 0 ? ~rank : rank)];
        }
    }

    /// <summary>An item.</summary>
    public KeyedItem this[int number] => new(_keys[number & (Drawn - 1)], number);

    /// <summary>The checksum of the first <paramref name="items"/> items, computed without any contestant.</summary>
    public long ChecksumOf(long items)
    {
        long sum = 0;
        for (int number = 0; number < items; number++) sum += KeyTable.Mark(this[number]);
        return sum;
    }
}
