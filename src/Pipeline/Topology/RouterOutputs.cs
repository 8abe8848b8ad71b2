using System.Numerics;
using System.Runtime.Intrinsics;

namespace Raceway.Pipelines;

/// <summary>The selections that a router writes, one an output, and how many items it has put into each.</summary>
internal sealed class RouterOutputs
{
    /// <summary>The mark of an item that is for no output.</summary>
    public const byte None = byte.MaxValue;

    // Before and behind what the router writes all the time.
    private const int Margin = 16;

    private readonly Selection[] _selections;
    private readonly long[] _items;

    /// <param name="capacity">Slots of the ring.</param>
    /// <param name="count">Outputs.</param>
    public RouterOutputs(int capacity, int count)
    {
        Capacity = capacity;
        _selections = new Selection[count];
        for (int i = 0; i < count; i++) _selections[i] = new Selection(capacity);
        _items = new long[count + 2 * Margin];
    }

    /// <summary>Slots of the ring.</summary>
    public int Capacity { get; }

    /// <summary>Outputs.</summary>
    public int Count => _selections.Length;

    /// <summary>The selection of an output.</summary>
    public Selection this[int output] => _selections[output];

    /// <summary>Items put into an output so far. Any thread.</summary>
    public long ItemsOf(int output) => Volatile.Read(ref _items[Margin + output]);

    /// <summary>Stores the bits of a word.</summary>
    /// <param name="word">Its number.</param>
    /// <param name="range">Those of its bits that are stored.</param>
    /// <param name="chosen">For each bit the output of its item, or <see cref="None"/>: 64 of them.</param>
    public void Store(int word, ulong range, ReadOnlySpan<byte> chosen)
    {
        // Compared 32 at a time: a bit set for each item on its own would wait for the one before it to be stored.
        Vector256<byte> low = Vector256.Create(chosen[..32]);
        Vector256<byte> high = Vector256.Create(chosen[32..]);
        for (int i = 0; i < _selections.Length; i++)
        {
            Vector256<byte> output = Vector256.Create((byte)i);
            ulong bits = Vector256.Equals(low, output).ExtractMostSignificantBits()
                | (ulong)Vector256.Equals(high, output).ExtractMostSignificantBits() << 32;
            _selections[i].Write(word, range, bits);
            ref long items = ref _items[Margin + i];
            Volatile.Write(ref items, items + BitOperations.PopCount(bits));
        }
    }
}
