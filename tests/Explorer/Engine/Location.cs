namespace Raceway.Explorer.Engine;

/// <summary>One shared variable, known by its address, with the stores that may still be read.</summary>
internal sealed class Location
{
    /// <summary>Index in the views of threads.</summary>
    public int Id;

    /// <summary>The stores in their order; only the newest where memory keeps no history.</summary>
    public readonly List<Message> Stores = [];

    /// <summary>In pinned memory: its stores may wait in a buffer, as nothing can move it.</summary>
    public bool IsCell;

    /// <summary>A counter for statistics: no reason to let another thread run.</summary>
    public bool IsStatistic;

    /// <summary>Says that somebody is inside a step: of no concern to who polls.</summary>
    public bool IsQuiet;

    /// <summary>Where it was first used, for traces.</summary>
    public string Name = "";

    public Message Newest => Stores[^1];
}

/// <summary>One store: its value, and what a thread that reads it with acquire then knows.</summary>
internal sealed class Message
{
    public long Bits;
    public object? Reference;
    public int[] View = [];
}

/// <summary>A store that waits in its thread's buffer.</summary>
/// <param name="At">Where to.</param>
/// <param name="Address">Its place in pinned memory.</param>
/// <param name="Bits">The value.</param>
/// <param name="Size">Bytes.</param>
/// <param name="View">What its thread knew.</param>
internal readonly record struct Buffered(Location At, nint Address, long Bits, int Size, int[] View);
