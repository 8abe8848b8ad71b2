using System.Security.Cryptography;

namespace Raceway.Suites.PlansSuite;

/// <summary>What producers publish.</summary>
internal struct Reading
{
    public long Id;
    public long Value;
}

/// <summary>The second type: of another size.</summary>
internal struct Priced
{
    public long Id;
    public long Cents;
    public int Currency;
}

/// <summary>The third type.</summary>
internal struct Scored
{
    public long Id;
    public long Points;
    public long Bonus;
    public byte Class;
}

/// <summary>The last type.</summary>
internal struct Folded
{
    public long Id;
    public ulong Digest;
}

/// <summary>What the five stages do, under every caller: the pipeline, a loop, channels.</summary>
/// <param name="heavy">Which stages hash 100 bytes as well: bit n for stage n, from 0.</param>
/// <remarks>One thread at a time for each stage.</remarks>
internal sealed class ReadingWork(int heavy)
{
    /// <summary>Its stages.</summary>
    public const int Stages = 5;

    private const int MessageBytes = 100;
    private readonly byte[][] _messages = [.. Enumerable.Range(0, Stages).Select(static _ => new byte[MessageBytes])];
    private readonly byte[][] _hashes = [.. Enumerable.Range(0, Stages).Select(static _ => new byte[SHA512.HashSizeInBytes])];

    /// <summary>The item that is published at <paramref name="index"/>.</summary>
    public static void Fill(ref Reading item, long index)
    {
        item.Id = index;
        item.Value = index * 7919 % 104_729;
    }

    /// <summary>Stage 0: in place.</summary>
    public void Check(ref Reading item) => item.Value = Hashed(0, item.Value & 0xFFFFF);

    /// <summary>Stage 1.</summary>
    public void Price(ref Reading item, ref Priced result)
    {
        result.Id = item.Id;
        result.Cents = Hashed(1, (item.Value * 100) + 99);
        result.Currency = (int)(item.Id & 3);
    }

    /// <summary>Stage 2.</summary>
    public void Score(ref Priced item, ref Scored result)
    {
        result.Id = item.Id;
        result.Points = Hashed(2, item.Cents ^ (item.Cents >> 7));
        result.Bonus = item.Currency + 1;
        result.Class = (byte)(result.Points & 15);
    }

    /// <summary>Stage 3.</summary>
    public void Fold(ref Scored item, ref Folded result)
    {
        result.Id = item.Id;
        result.Digest = (ulong)Hashed(3, (item.Points * item.Bonus) + item.Class);
    }

    /// <summary>Stage 4, without what it sums up.</summary>
    public ulong Close(ref Folded item) => (ulong)Hashed(4, (long)item.Digest) + (ulong)item.Id;

    private long Hashed(int stage, long value)
    {
        if ((heavy >> stage & 1) == 0) return value;
        byte[] message = _messages[stage];
        byte[] hash = _hashes[stage];
        BitConverter.TryWriteBytes(message, value);
        SHA512.HashData(message, hash);
        return BitConverter.ToInt64(hash) & 0xFFFFFFFF;
    }
}

/// <summary>What has come out at the end, in order.</summary>
internal sealed class ReadingSum
{
    private long _next;
    private ulong _sum;
    private ulong _order;
    private bool _inOrder = true;

    /// <summary>The sum, a figure that depends on the order, and whether no item was missing.</summary>
    public (ulong Sum, ulong Order, bool InOrder) Result => (_sum, _order, _inOrder);

    /// <summary>Begins anew.</summary>
    public void Reset() => (_next, _sum, _order, _inOrder) = (0, 0, 0, true);

    /// <summary>Takes an item of the last stage.</summary>
    public void Take(long id, ulong value)
    {
        _inOrder &= id == _next++;
        _sum += value;
        _order = (_order * 31) + value;
    }
}
