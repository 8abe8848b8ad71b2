namespace Raceway.Measuring;

/// <summary>What a run says about an aim.</summary>
/// <param name="Aim">The aim.</param>
/// <param name="Case">The case it was checked in.</param>
/// <param name="Line">The line class of the rounds, where they were told apart.</param>
public sealed record AimResult(Aim Aim, string Case, LineClass? Line = null)
{
    private const string Ratio = "ratio";

    /// <summary>Our contestant; the worst where several are meant.</summary>
    public string? Ours { get; init; }

    /// <summary>What a reader must know of our contestant, where the bound is on its own figure.</summary>
    public string? OursNote { get; init; }

    /// <summary>How many of ours that are meant had no round to be judged by.</summary>
    public int NotJudged { get; init; }

    /// <summary>The peer: the best by its median where there are several.</summary>
    public string? Peer { get; init; }

    /// <summary>Of how many peers it is the best.</summary>
    public int PeersMeasured { get; init; }

    /// <summary>Our figure over the peer's, or our figure where there is no peer; absent where it was not measured.</summary>
    public MedianInterval? Figure { get; init; }

    /// <summary>The unit of our figure, where there is no peer.</summary>
    public string Unit { get; init; } = "";

    /// <summary>Why it was not measured, where it was not.</summary>
    public string? Reason { get; init; }

    /// <summary>More busy threads than cores, on one of the two sides.</summary>
    public bool Oversubscribed { get; init; }

    /// <summary>The answer.</summary>
    public AimVerdict Verdict => Figure is not { } figure ? AimVerdict.NotMeasured
        : Aim.IsMetBy(figure) ? AimVerdict.Holds
        : AimVerdict.DoesNotHold;

    /// <summary>
    /// The row of the result file: metric <c>ratio</c> (or the aim's own where there is no peer), both contestants as
    /// its name, and a note as <see cref="AimNote"/> writes it.
    /// </summary>
    public ResultRow ToRow() => new()
    {
        Case = Case,
        Contestant = Aim.IsAbsolute ? Aim.Ours : $"{Ours ?? Aim.Ours} over {PeerName}",
        Metric = Aim.IsAbsolute ? Aim.Metric : Ratio,
        Unit = !Aim.IsAbsolute || Unit == Ratio ? "x" : Unit,
        Median = Figure?.Median,
        Low = Figure?.Low,
        High = Figure?.High,
        Min = Figure?.Min,
        Max = Figure?.Max,
        Rounds = Figure?.Rounds ?? 0,
        Verified = Figure is not null,
        Oversubscribed = Oversubscribed,
        Note = AimNote.Of(this).ToString(),
    };

    private string PeerName =>
        Peer is null ? Aim.PeerText : Aim.PeerCase is null ? Peer : $"{Peer} of {Aim.PeerCase}";
}

/// <summary>The answer to an aim.</summary>
public enum AimVerdict
{
    /// <summary>One side has no figure.</summary>
    NotMeasured,

    /// <summary>The whole interval meets the bound.</summary>
    Holds,

    /// <summary>The bound is not met, or not by the whole interval.</summary>
    DoesNotHold,
}
