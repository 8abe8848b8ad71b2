using System.Numerics;

namespace Raceway.Pipelines;

/// <summary>The selections that a router writes, one an output, and how many items it has put into each.</summary>
internal sealed class RouterOutputs
{
    // Before and behind what the router writes all the time.
    private const int Margin = 16;

    private readonly Selection[] _selections;
    private readonly ulong[] _chosen;
    private readonly long[] _items;

    /// <param name="capacity">Slots of the ring.</param>
    /// <param name="count">Outputs.</param>
    public RouterOutputs(int capacity, int count)
    {
        Capacity = capacity;
        _selections = new Selection[count];
        for (int i = 0; i < count; i++) _selections[i] = new Selection(capacity);
        _chosen = new ulong[count + 2 * Margin];
        _items = new long[count + 2 * Margin];
    }

    /// <summary>Slots of the ring.</summary>
    public int Capacity { get; }

    /// <summary>Outputs.</summary>
    public int Count => _selections.Length;

    /// <summary>The bits chosen in the current word; the router's own.</summary>
    public Span<ulong> Chosen => _chosen.AsSpan(Margin, Count);

    /// <summary>The selection of an output.</summary>
    public Selection this[int output] => _selections[output];

    /// <summary>Items put into an output so far. Any thread.</summary>
    public long ItemsOf(int output) => Volatile.Read(ref _items[Margin + output]);

    /// <summary>Stores what was chosen of <paramref name="range"/>, and begins anew.</summary>
    public void Store(int word, ulong range)
    {
        Span<ulong> chosen = Chosen;
        for (int i = 0; i < chosen.Length; i++)
        {
            ulong bits = chosen[i];
            chosen[i] = 0;
            _selections[i].Write(word, range, bits);
            ref long items = ref _items[Margin + i];
            Volatile.Write(ref items, items + BitOperations.PopCount(bits));
        }
    }
}
