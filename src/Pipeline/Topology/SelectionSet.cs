namespace Raceway.Pipelines;

/// <summary>What a stage is given: all items, or those of one or more selections.</summary>
/// <remarks>A stage that joins branches is for the items of any of them.</remarks>
internal readonly struct SelectionSet
{
    private readonly Selection? _first;
    private readonly Selection[]? _others;

    /// <summary>Those of any of <paramref name="selections"/>; all items where there are none.</summary>
    public SelectionSet(params ReadOnlySpan<Selection> selections)
    {
        if (selections.Length > 0) _first = selections[0];
        if (selections.Length > 1) _others = selections[1..].ToArray();
    }

    /// <summary>Every item.</summary>
    public static SelectionSet All => default;

    /// <summary>Whether it is every item.</summary>
    public bool IsAll => _first is null;

    /// <summary>Slots of the ring; 64 where it is every item, and no word is looked at.</summary>
    public int Capacity => _first?.Capacity ?? 64;

    /// <summary>The bits of a word.</summary>
    public ulong Read(int word)
    {
        if (_first is null) return ulong.MaxValue;
        ulong bits = _first.Read(word);
        if (_others is null) return bits;
        foreach (Selection other in _others) bits |= other.Read(word);
        return bits;
    }
}
