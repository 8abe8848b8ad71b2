namespace Raceway.Scenarios.Measuring;

/// <summary>Everything one contestant did in one case.</summary>
public sealed class ContestantRounds
{
    internal ContestantRounds(IContestant contestant) => Contestant = contestant;

    /// <summary>The contestant.</summary>
    public IContestant Contestant { get; }

    /// <summary>Operations of each run; a round is one, unless it is shared among several.</summary>
    public long Operations { get; internal set; }

    /// <summary>The rounds in the order they ran.</summary>
    public IReadOnlyList<Round> Rounds => Measured;

    /// <summary>Why there is no figure: it is absent, it threw, or a run took too long.</summary>
    public string? Failure { get; internal set; }

    /// <summary>That its rounds had to be shortened, where they had.</summary>
    public string? Note { get; internal set; }

    /// <summary>True where every round was right, and there was one.</summary>
    public bool Verified => Failure is null && Measured.Count > 0 && Measured.TrueForAll(static r => r.Sample.Verified);

    internal List<Round> Measured { get; } = [];
}
