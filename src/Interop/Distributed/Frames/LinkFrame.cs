namespace Raceway.Interop.Distributed;

/// <summary>A message of a link's queue as a frame: what it says of itself, and its items. For what looks at parked frames.</summary>
/// <remarks><b>Threads</b>: any. The whole frame is checked when it is made: reading it stays inside its bytes.</remarks>
/// <example>
/// <code>
/// var frame = new LinkFrame(body);
/// if (frame.Error == FrameError.None)
///     foreach (Order order in frame.Read(ItemCodec.Unmanaged&lt;Order>())) Console.WriteLine(order.Id);
/// </code>
/// </example>
public sealed class LinkFrame
{
    private readonly FrameHeader _header;

    /// <summary>Reads and checks a message; a wrong one is no exception, but has an <see cref="Error"/>.</summary>
    /// <param name="body">Its bytes, left alone as long as the frame is in use.</param>
    /// <param name="keys">The link's, where its frames are signed (<see cref="LinkOptions.Keys"/>).</param>
    public LinkFrame(ReadOnlyMemory<byte> body, LinkKeys? keys = null)
    {
        Body = body;
        Error = FrameHeader.Open(body.Span, int.MaxValue, out _header, keys);
    }

    /// <summary>Its bytes, as they were sent.</summary>
    public ReadOnlyMemory<byte> Body { get; }

    /// <summary><see cref="FrameError.None"/>, or why it is not a frame of a link.</summary>
    public FrameError Error { get; }

    /// <summary>The stream of its items; null if it is not a frame.</summary>
    public LinkStream? Stream => Error == FrameError.None ? new LinkStream(_header.Producer, _header.Epoch, _header.Partition) : null;

    /// <summary>The number of its first item in the stream.</summary>
    public long First => _header.First;

    /// <summary>How many items it holds; 0 if it is not a frame.</summary>
    public int Count => _header.Count;

    /// <summary>Reads its items, to see their keys for example.</summary>
    /// <param name="codec">The link's.</param>
    /// <typeparam name="T">The item type.</typeparam>
    /// <exception cref="InvalidOperationException">It is not a frame.</exception>
    public IReadOnlyList<T> Read<T>(IItemCodec<T> codec)
        where T : new()
    {
        ArgumentNullException.ThrowIfNull(codec);
        if (Error != FrameError.None) throw LinkErrors.NotAFrame(Error);
        var items = new T[Count];
        for (int i = 0, at = FrameHeader.Size; i < items.Length; i++)
        {
            items[i] = new T();
            codec.Read(FrameItems.Next(Body.Span, _header.ItemLength, ref at), ref items[i]);
        }

        return items;
    }

    /// <summary>What it holds, without an item's bytes.</summary>
    public override string ToString() => Error == FrameError.None
        ? $"partition {_header.Partition}, items {First} to {_header.Last} of producer {_header.Producer:x16}, epoch {_header.Epoch}"
        : $"{Body.Length} bytes that are no frame ({Error})";
}
