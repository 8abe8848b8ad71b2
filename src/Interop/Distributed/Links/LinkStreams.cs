namespace Raceway.Interop.Distributed;

/// <summary>How far each stream has come: by this, what comes again is known.</summary>
internal sealed class LinkStreams
{
    // A frame of a new stream costs an entry. A sender of ever new streams makes us forget old ones, no more.
    public const int Most = 4096;

    private readonly Dictionary<LinkStream, StreamState> _states = [];
    private long _uses;

    public StreamState Get(in LinkStream stream)
    {
        if (!_states.TryGetValue(stream, out StreamState? state))
        {
            if (_states.Count >= Most) Evict();
            _states.Add(stream, state = new StreamState(stream));
        }

        state.LastUse = ++_uses;
        return state;
    }

    // Not one with frames that wait: they would be neither published nor acknowledged. Prefetch limits how many those are.
    private void Evict()
    {
        StreamState? oldest = _states.Values.Where(static one => one.Held.Count == 0).MinBy(static one => one.LastUse);
        if (oldest is not null) _states.Remove(oldest.Stream);
    }

    /// <summary>As if nothing had been seen.</summary>
    public void Clear() => _states.Clear();

    /// <summary>Another session: streams may have been handled elsewhere meanwhile, and what was held comes again.</summary>
    public void BeginSession()
    {
        foreach (StreamState state in _states.Values)
        {
            state.IsAnchored = false;
            state.Held.Clear();
        }
    }
}

/// <summary>How far one stream has come.</summary>
internal sealed class StreamState(LinkStream stream)
{
    public LinkStream Stream { get; } = stream;

    /// <summary>The number after the highest that is in the ring.</summary>
    public long Next { get; private set; }

    /// <summary>From here on everything below <see cref="Next"/> was seen; what is lower may be new, however late.</summary>
    public long Low { get; set; }

    /// <summary>Where that one is in the ring.</summary>
    public long RingLast { get; private set; } = -1;

    /// <summary>Whether <see cref="Next"/> is what has to come: not before its first frame of a session.</summary>
    public bool IsAnchored { get; set; }

    public long LastUse { get; set; }

    /// <summary>Everything before <paramref name="next"/> is done, by this worker or another.</summary>
    public void StartAt(long next)
    {
        Next = Math.Max(Next, next);
        Low = 0;
    }

    /// <summary>Goes on at <paramref name="first"/>; what is between has not been seen here.</summary>
    public void JumpTo(long first) => Next = Low = first;

    /// <summary>Items up to <paramref name="last"/> are in the ring, the last of them at <paramref name="ringLast"/>.</summary>
    public void Advance(long last, long ringLast)
    {
        Next = Math.Max(Next, last + 1);
        RingLast = ringLast;
    }

    /// <summary>Copies of frames that came before their turn, by their first number.</summary>
    public List<HeldFrame> Held { get; } = [];
}

/// <summary>A frame that waits for the ones before it.</summary>
internal sealed record HeldFrame(StreamState Stream, FrameHeader Header, ulong Id, ulong Tag, long Term, byte[] Body);
