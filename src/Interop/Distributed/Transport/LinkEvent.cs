namespace Raceway.Interop.Distributed;

/// <summary>Something that a link's user may want to log. Rare: nothing here happens once a frame.</summary>
/// <param name="Kind">What.</param>
/// <param name="Link">The link's name.</param>
/// <param name="Detail">More about it; never credentials, never an item's bytes.</param>
public readonly record struct LinkEvent(LinkEventKind Kind, string Link, string Detail)
{
    /// <summary>Tells the listener. What it throws is its own affair: a link goes on without it.</summary>
    /// <param name="listener">The listener; null for none.</param>
    public void TellTo(Action<LinkEvent>? listener)
    {
        try
        {
            listener?.Invoke(this);
        }
        catch (Exception)
        {
            // Nothing is told of it: the listener itself has failed.
        }
    }
}

/// <summary>What has happened to a link.</summary>
public enum LinkEventKind
{
    /// <summary>Connected, for the first time or again.</summary>
    Connected,

    /// <summary>The connection is lost; it is being made again.</summary>
    Disconnected,

    /// <summary>It could not be made again; it is tried further.</summary>
    Unreachable,

    /// <summary>The broker takes no frames for now: its disk or its memory is short.</summary>
    Blocked,

    /// <summary>It takes frames again.</summary>
    Unblocked,

    /// <summary>A partition's queue is full; its frame is sent again until it is taken.</summary>
    Refused,

    /// <summary>A frame was put aside.</summary>
    Parked,

    /// <summary>A frame has come without the one before it.</summary>
    Gap,

    /// <summary>Another sender has the producer's lease: this one sends nothing more, and its stage fails.</summary>
    Fenced,

    /// <summary>A worker's session is given up: its partitions are another's, or may be.</summary>
    Disowned,
}
