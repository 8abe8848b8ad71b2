namespace Raceway.Interop.Distributed;

/// <summary>How a link cuts its frames, and what it allows itself. Immutable.</summary>
public sealed record LinkOptions
{
    private static int s_count;

    internal const int LargestFrame = 64 * 1024 * 1024;

    /// <summary>A frame is sent when it is so long or its batch ends; while another is on its way it grows further.</summary>
    /// <value>Bytes. Default 64 KB, where a hand-over costs little beside its bytes.</value>
    public int FrameLength { get; init; } = 64 * 1024;

    /// <summary>No frame is longer; received ones that are, are parked unread. An item may have half of it,
    /// the 4 bytes of its length included where lengths differ.</summary>
    /// <value>Bytes, at least twice <see cref="FrameLength"/>, at most 64 MB. Default 1 MB.</value>
    public int MaxFrameLength { get; init; } = 1024 * 1024;

    /// <summary>Frames of each partition that are delivered ahead of their acknowledgement.</summary>
    /// <value>1 to 1000. Default 8. The ring holds back what it has no room for, so memory stays at this times a frame.</value>
    public int Prefetch { get; init; } = 8;

    /// <summary>How many frames of a partition may wait for one that is missing before them.</summary>
    /// <value>
    /// Default 0: a frame that comes early is taken, counted and told of. Right for transports that keep order, as RabbitMQ does:
    /// what is missing there has been handled elsewhere. Above 0 for those that do not; <see cref="PositionOf"/> is
    /// needed then, and a larger <see cref="Prefetch"/>. Behind a frame that waits nothing is acknowledged: with so many
    /// frames of a partition behind it that no more would be delivered, it is taken too.
    /// </value>
    public int HeldFrames { get; init; }

    /// <summary>The sender's name among those of the link; its restart is another epoch of the same name.</summary>
    /// <value>
    /// Default: the machine's name, the process's number, and a number of these options. Two senders of one link must not share
    /// it: the one of the newer epoch ends the other, and with the same epoch the second is refused.
    /// </value>
    public string Producer { get; init; } =
        $"{Environment.MachineName}-{Environment.ProcessId}-{Interlocked.Increment(ref s_count)}";

    /// <summary>Which life of the sender this is, above those before.</summary>
    /// <value>
    /// Default: the time of opening. A sender that publishes the same items in the same order after a restart (of a file, say)
    /// may keep its epoch: what had been handled before is dropped then.
    /// </value>
    public ulong? Epoch { get; init; }

    /// <summary>The last item handled of a stream, −1 for none, null where it is not known: what the state was saved with.</summary>
    /// <value>
    /// Asked for when a stream is met for the first time in a session. Where it throws, the frame is parked and it is asked
    /// again for the next one. Default: not known.
    /// </value>
    public Func<LinkStream, long?>? PositionOf { get; init; }

    /// <summary>
    /// Whether a source says which worker has a partition: <see cref="LinkSource{T}.TryOwn"/> gives a fencing token with each item.
    /// </summary>
    /// <value>
    /// Default false. If true, nothing of one session is known in the next: items that come again are handled again, unless
    /// positions are kept (<see cref="PositionOf"/>).
    /// </value>
    public bool Fencing { get; init; }

    /// <summary>By what both sides know each other's frames, on links that others can write to.</summary>
    /// <value>Default: none. Frames have a checksum then, which authenticates nothing: any writer can forge them.</value>
    public LinkKeys? Keys { get; init; }

    /// <summary>Told of what is rare: connections, full queues, parked frames, gaps.</summary>
    /// <value>Called on the transport's threads; it must not block, and what it throws is ignored. Default: none.</value>
    public Action<LinkEvent>? OnEvent { get; init; }

    internal LinkOptions Checked()
    {
        if (MaxFrameLength > LargestFrame || FrameLength < 256 || FrameLength > MaxFrameLength / 2)
            throw LinkErrors.FrameLength(FrameLength, MaxFrameLength);
        if (Prefetch is < 1 or > 1000) throw LinkErrors.Prefetch(Prefetch);
        if (HeldFrames < 0 || (HeldFrames > 0 && HeldFrames >= Prefetch)) throw LinkErrors.HeldFrames(HeldFrames, Prefetch);
        if (HeldFrames > 0 && PositionOf is null) throw LinkErrors.HeldWithoutPositions(HeldFrames);
        ArgumentException.ThrowIfNullOrEmpty(Producer);
        return this;
    }
}

/// <summary>The items that one life of a producer sends to one partition: numbered from 0 without a gap.</summary>
/// <param name="Producer">The hash of the producer's name.</param>
/// <param name="Epoch">Which life of it.</param>
/// <param name="Partition">The partition.</param>
public readonly record struct LinkStream(ulong Producer, ulong Epoch, int Partition);

/// <summary>Which item: the same when it is delivered again, to whatever worker.</summary>
/// <param name="Stream">Of which stream.</param>
/// <param name="Number">Its number in the stream.</param>
public readonly record struct LinkPosition(LinkStream Stream, long Number);
