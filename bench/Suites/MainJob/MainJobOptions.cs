using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>How long the table of the main job may take.</summary>
/// <param name="Throughput">The rounds at full speed.</param>
/// <param name="Latency">The paced rounds after them: those at a common rate, and those at half of each one's own, as many again.</param>
public sealed record MainJobOptions(InterleaverOptions Throughput, InterleaverOptions Latency)
{
    /// <summary>When the whole command ends at the latest, whatever is missing then.</summary>
    public TimeSpan Bound { get; init; } = TimeSpan.FromMinutes(1);

    // What a bound that asks for "not worse" is judged by at the most.
    private const int MostRounds = 400;

    /// <summary>The same for longer: as many rounds as fit.</summary>
    /// <param name="bound">When the command ends at the latest.</param>
    public MainJobOptions Lasting(TimeSpan bound)
    {
        double longer = bound / Bound;
        return new MainJobOptions(Longer(Throughput), Longer(Latency)) { Bound = bound };

        InterleaverOptions Longer(InterleaverOptions one) => one with { Rounds = MostRounds, Budget = one.Budget * longer };
    }

    /// <summary>With some twenty contestants within a minute on two cores, the result run included.</summary>
    public static MainJobOptions Default { get; } = new(
        new InterleaverOptions
        {
            Rounds = 9,
            RoundTime = TimeSpan.FromMilliseconds(120),
            WarmUpLimit = TimeSpan.FromMilliseconds(100),
            Budget = TimeSpan.FromSeconds(34),
        },
        new InterleaverOptions
        {
            Rounds = 3,
            RoundTime = TimeSpan.FromMilliseconds(80),
            WarmUpRuns = 1,
            WarmUpLimit = TimeSpan.FromMilliseconds(20),
            Budget = TimeSpan.FromSeconds(7),
        });

    /// <summary>Two thirds of that; still enough rounds for an interval of throughput.</summary>
    public static MainJobOptions Quick { get; } = new(
        Default.Throughput with
        {
            Rounds = 6,
            RoundTime = TimeSpan.FromMilliseconds(60),
            WarmUpLimit = TimeSpan.FromMilliseconds(60),
            Budget = TimeSpan.FromSeconds(24),
        },
        Default.Latency with
        {
            Rounds = 1,
            RoundTime = TimeSpan.FromMilliseconds(60),
            Budget = TimeSpan.FromSeconds(3.5),
        })
    {
        Bound = TimeSpan.FromSeconds(45),
    };
}
