namespace Raceway.Measuring;

/// <summary>Everything one contestant did in one case.</summary>
/// <remarks>Written by the thread that measures. Any thread may take a <see cref="Copy"/> at any time.</remarks>
public sealed class ContestantRounds
{
    private readonly Lock _lock = new();
    private readonly List<Round> _measured = [];

    internal ContestantRounds(IContestant contestant) => Contestant = contestant;

    /// <summary>The contestant.</summary>
    public IContestant Contestant { get; }

    /// <summary>Operations of each run; a round is one, unless it is shared among several.</summary>
    public long Operations { get; internal set; }

    /// <summary>The rounds in the order they ran.</summary>
    public IReadOnlyList<Round> Rounds => _measured;

    /// <summary>Why there is no figure: it is absent, it threw, a run took too long, or the time was up.</summary>
    public string? Failure { get; internal set; }

    /// <summary>Whether there is no figure because the time was up before its first round: that is no fault of its own.</summary>
    public bool IsNotMeasured { get; internal set; }

    /// <summary>Whether it was among those that do not go on after the <see cref="Heat"/>.</summary>
    public bool IsEliminated { get; internal set; }

    /// <summary>That its rounds are shorter or fewer than planned, where they are.</summary>
    public string? Note { get; internal set; }

    /// <summary>Whether a run of it did not return, and its threads were left behind.</summary>
    public bool IsAbandoned { get; internal set; }

    /// <summary>True where every round was right, and there was one.</summary>
    public bool Verified => Failure is null && _measured.Count > 0 && _measured.TrueForAll(static r => r.Sample.Verified);

    /// <summary>Whether more than half of its rounds were cut, as it did not keep up with the rate.</summary>
    public bool FallsBehind => 2 * _measured.Count(static r => r.Sample.FellBehind) > _measured.Count;

    /// <summary>How long its last run took by the clock, with all that is not timed of it.</summary>
    internal TimeSpan Took { get; set; }

    /// <summary>Whether it has to make way for the time that is left.</summary>
    internal bool IsOut { get; set; }

    internal void Add(Round round)
    {
        lock (_lock) _measured.Add(round);
    }

    /// <summary>What is known of it now.</summary>
    internal ContestantRounds Copy()
    {
        var copy = new ContestantRounds(Contestant)
        {
            Operations = Operations, Failure = Failure, IsNotMeasured = IsNotMeasured, Note = Note, IsAbandoned = IsAbandoned,
            IsEliminated = IsEliminated,
        };
        lock (_lock) copy._measured.AddRange(_measured);
        return copy;
    }
}
