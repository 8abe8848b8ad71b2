namespace Raceway.Scenarios.Tuning;

/// <summary>How to tune.</summary>
public sealed record TuneOptions
{
    /// <summary>The rate of paced rounds unless one is given: a load that any queue can carry.</summary>
    public const double DefaultRate = 100_000;

    /// <summary>What to be good at.</summary>
    public required TuneGoal Goal { get; init; }

    /// <summary>How long it may take in all.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>Items a second that the pipeline must carry, where that is known.</summary>
    public double? Rate { get; init; }

    /// <summary>How items come at a given rate.</summary>
    public string Arrivals { get; init; } = "constant";

    /// <summary>Decides what is drawn, and in which order things are measured.</summary>
    public int Seed { get; init; } = 1;

    /// <summary>Choices drawn at random, beside those that every search begins with.</summary>
    public int Drawn { get; init; } = 32;

    /// <summary>Rounds of the finalists. Six is the least with a 95 % interval.</summary>
    public int Rounds { get; init; } = 9;

    /// <summary>The shortest round at full speed.</summary>
    public TimeSpan ShortestRound { get; init; } = TimeSpan.FromMilliseconds(15);

    /// <summary>The shortest round at a given rate: 99 of 100 must be known of it.</summary>
    public TimeSpan ShortestPacedRound { get; init; } = TimeSpan.FromMilliseconds(40);

    /// <summary>The most that one round may take before it is given up.</summary>
    public TimeSpan RunLimit { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The rate of paced rounds.</summary>
    public double PacedRate => Rate ?? DefaultRate;
}
