using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>How to tune.</summary>
public sealed record TuneOptions
{
    /// <summary>The rate of paced rounds unless one is given: a load that any queue can carry.</summary>
    public const double DefaultRate = 100_000;

    /// <summary>Items a second of the rounds in which next to nothing comes.</summary>
    public const double LowRate = 1_000;

    /// <summary>The rates that rounds can be paced at, in words.</summary>
    public const string Rates = "a number of items a second from 100 to 100000000";

    /// <summary>What to be good at.</summary>
    public required TuneGoal Goal { get; init; }

    /// <summary>How long it may take in all.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>When it ends at the latest, with what is known until then; that is <see cref="Budget"/> where nothing is set.</summary>
    public TimeSpan? Limit { get; init; }

    /// <summary>Items a second that the pipeline must carry, where that is known.</summary>
    public double? Rate { get; init; }

    /// <summary>How items come at a given rate.</summary>
    public string Arrivals { get; init; } = "constant";

    /// <summary>Decides what is drawn, and in which order things are measured.</summary>
    public int Seed { get; init; } = 1;

    /// <summary>Choices drawn at random, beside those that every search begins with.</summary>
    public int Drawn { get; init; } = 32;

    /// <summary>The fewest rounds of the finalists; there are more where there is time. A check has its own number. Six is the least with a 95 % interval.</summary>
    public int Rounds { get; init; } = 11;

    /// <summary>The shortest round at full speed.</summary>
    public TimeSpan ShortestRound { get; init; } = TimeSpan.FromMilliseconds(15);

    /// <summary>The shortest round at a given rate: of a few windows the median must be that of one in which nothing else ran.</summary>
    public TimeSpan ShortestPacedRound { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>The most that one round may take before it is given up.</summary>
    public TimeSpan RunLimit { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Items of a round in which next to nothing comes.</summary>
    public int LowLoadItems { get; init; } = 150;

    /// <summary>See <see cref="InterleaverOptions.TieringPause"/>.</summary>
    public TimeSpan TieringPause { get; init; } = new InterleaverOptions().TieringPause;

    /// <summary>The rate of paced rounds.</summary>
    public double PacedRate => Rate ?? DefaultRate;

    /// <summary>Whether rounds can be paced at a rate; see <see cref="Rates"/>.</summary>
    public static bool CanBePaced(double rate) => rate is >= 100 and <= 1e8;
}
