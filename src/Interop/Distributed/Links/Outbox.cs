namespace Raceway.Interop.Distributed;

/// <summary>What a sender has for one partition: a frame on its way, and the next one, being filled meanwhile.</summary>
/// <remarks>
/// One frame of a partition is on its way at a time. So one that is refused, or lost with its connection, is never overtaken by
/// the one behind it, and there is one frame to send again.
/// </remarks>
internal sealed class Outbox(int partition, LinkOptions options)
{
    private FrameWriter _filling = new(options.FrameLength + 1024, options.MaxFrameLength, options.Keys);
    private FrameWriter _flying = new(options.FrameLength + 1024, options.MaxFrameLength, options.Keys);
    // Room for the largest item behind it, and for the signature.
    private readonly int _longest = (options.MaxFrameLength / 2) - (options.Keys is null ? 0 : LinkKeys.TrailerSize);
    private long _next;
    private long _oldestFilling;
    private long _oldestFlying;

    public int Partition => partition;

    /// <summary>Whether a frame is on its way.</summary>
    public bool IsFlying { get; private set; }

    /// <summary>
    /// Whether the frame being filled may take an item. Behind one on its way it grows: if it did not, a partition that is
    /// waited for would hold the others to ever smaller frames (the silly window of RFC 813, 1982).
    /// </summary>
    public bool HasRoom => _filling.Length < (IsFlying ? _longest : Math.Min(options.FrameLength, _longest));

    /// <summary>Whether there is something to send next.</summary>
    public bool HasItems => _filling.Count > 0;

    /// <summary>Items of the frame on its way.</summary>
    public int Flying => _flying.Count;

    /// <summary>Bytes that its buffers take up.</summary>
    public long Held => (long)_filling.Held + _flying.Held;

    /// <summary>The ring's sequence of the oldest item that is not confirmed; the largest number where all are.</summary>
    public long Oldest => IsFlying ? _oldestFlying : HasItems ? _oldestFilling : long.MaxValue;

    public void Add<T>(IItemCodec<T> codec, ref readonly T item, int fixedLength, long sequence)
    {
        _filling.Add(codec, in item, fixedLength);
        if (_filling.Count == 1) _oldestFilling = sequence;
    }

    /// <summary>Makes what was filled the frame on its way.</summary>
    public ReadOnlyMemory<byte> Launch(in FrameHeader common)
    {
        (_filling, _flying) = (_flying, _filling);
        _oldestFlying = _oldestFilling;
        IsFlying = true;
        var header = common with { First = _next, Count = _flying.Count, Partition = partition };
        _next += _flying.Count;
        return _flying.Seal(header);
    }

    /// <summary>The frame on its way has arrived.</summary>
    public void Land()
    {
        _flying.Clear();
        IsFlying = false;
    }
}
