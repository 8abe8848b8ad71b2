namespace Raceway.Proof.Tests.Misuse;

/// <summary>The documented ways in which a call may throw. Whatever else it throws is a finding.</summary>
[Flags]
internal enum May
{
    /// <summary>It may not.</summary>
    Return = 0,

    /// <summary>The caller broke a rule: <see cref="InvalidOperationException"/> with a text of ours.</summary>
    Misuse = 1,

    /// <summary>The ring, pipeline, mailbox or executor takes no more.</summary>
    Ended = 2,

    /// <summary>The handle, or what it belongs to, has been disposed of.</summary>
    Disposed = 4,

    /// <summary>The token was signalled.</summary>
    Cancel = 8,

    /// <summary>An argument is out of range.</summary>
    Argument = 16,

    /// <summary>A handler of the ring would have waited for itself.</summary>
    Reentrant = 32,

    /// <summary>The call's own time was up, where that is an exception.</summary>
    TimeOut = 64,

    /// <summary>Every way in which a call that publishes may be refused.</summary>
    Publish = Misuse | Ended | Disposed,
}

/// <summary>One call (or a few that belong together), on whatever the world shares.</summary>
internal delegate void Act<T>(ref Hand<T> hand);

/// <summary>A kind of call that a case draws from.</summary>
/// <param name="Name">For the report.</param>
/// <param name="Weight">How often it is drawn, beside the others.</param>
/// <param name="May">How it may throw.</param>
/// <param name="Act">Makes the call.</param>
internal sealed record Operation<T>(string Name, int Weight, May May, Act<T> Act)
{
    /// <summary>May wait for as long as the ring is full: the monitor ends the ring where nothing moves any more.</summary>
    public bool Waits { get; init; }

    /// <summary>What a throw says about the items of the call: some of a group may have been published before.</summary>
    public bool IsGroup { get; init; }
}

/// <summary>One call of a case: which operation, and where its own random choices begin.</summary>
internal readonly record struct Step(int Operation, uint Seed);

/// <summary>What a thread keeps between its calls and what only a stack can hold.</summary>
internal ref struct Hand<T>(Player player)
{
    public readonly Player Player = player;

    /// <summary>The claim taken last, and the copy of one, perhaps of an earlier claim.</summary>
    public Claim<T> Claim;
    public Claim<T> Copy;
    public Items ClaimItems;
    public Items CopyItems;

    public OpenProducer<T> Open;
    public Items OpenItems;
    public bool IsOpen;
    public bool WasOpened;

    public PolledBatch<T> Polled = default;
    public PolledBatch<T> PolledCopy = default;
}

/// <summary>Numbers, the same for a seed everywhere; a struct, so that a step costs nothing.</summary>
internal struct Dice(uint seed)
{
    private uint _state = seed * 2_654_435_761u + 0x9E37_79B9u;

    /// <summary>0 to <paramref name="below"/> − 1.</summary>
    public int Next(int below)
    {
        _state ^= _state << 13;
        _state ^= _state >> 17;
        _state ^= _state << 5;
        if (_state == 0) _state = 0x9E37_79B9u;
        return (int)((ulong)_state * (ulong)below >> 32);
    }

    public int Next(int from, int through) => from + Next(through - from + 1);

    /// <summary>Once in <paramref name="n"/> times.</summary>
    public bool OneIn(int n) => Next(n) == 0;

    public TItem Any<TItem>(IReadOnlyList<TItem> all) => all[Next(all.Count)];
}
