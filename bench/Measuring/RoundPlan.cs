namespace Raceway.Measuring;

/// <summary>In what the rounds of a case differ from those of the others.</summary>
public sealed record RoundPlan
{
    // A fixed number of operations takes its time, also on a slow machine.
    private static readonly TimeSpan s_longRun = TimeSpan.FromMinutes(2);

    // A short run of a length that is known beforehand. A single item would warm up little beside the threads.
    private static readonly TimeSpan s_shortRun = TimeSpan.FromMilliseconds(1);
    private const long LeastPaced = 10;

    // What the estimate is made of, each on the high side.
    private const int SlowSeries = 4;
    private static readonly TimeSpan s_slowOperation = TimeSpan.FromMicroseconds(0.1);
    private static readonly TimeSpan s_beside = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan s_besideRound = TimeSpan.FromMilliseconds(40);

    /// <summary>Rounds last this many times as long: for cases with few events in a second.</summary>
    public double Stretch { get; init; } = 1;

    /// <summary>Rounds, if the case needs a number of its own: many of them tell a few percent from none.</summary>
    public int? Rounds { get; init; }

    /// <summary>Operations of a round, where they are part of the case.</summary>
    public long? Operations { get; init; }

    /// <summary>Operations of the first short run, where their number alone says how long it lasts.</summary>
    public long? FirstOperations { get; init; }

    /// <summary>What the preparation of a contestant takes where there is enough time, if it has one.</summary>
    public TimeSpan Preparation { get; init; }

    /// <summary>As many rounds as fill the time that is asked for, instead of a number of them.</summary>
    public bool FillsTime { get; init; }

    /// <summary>The plan for items that come at such a distance, for any contestant.</summary>
    public static RoundPlan Paced(TimeSpan interval) => new()
    {
        FirstOperations = Math.Max(LeastPaced, (long)Math.Min(s_shortRun / interval, new InterleaverOptions().FirstOperations)),
    };

    /// <summary>About how long a contestant of the case takes on a slow machine, warming up included.</summary>
    /// <param name="options">Those of the run.</param>
    /// <param name="time">How long a case lasts that fills the time.</param>
    public TimeSpan Estimate(InterleaverOptions options, TimeSpan time)
    {
        InterleaverOptions own = Apply(options, time);
        TimeSpan round = own.Operations is { } operations ? operations * s_slowOperation : own.RoundTime;
        return Preparation + (own.WarmUpLimit * SlowSeries) + s_beside + (round + s_besideRound) * own.Rounds;
    }

    /// <summary>The options for the case.</summary>
    /// <param name="options">Those of the run.</param>
    /// <param name="time">How long a case lasts that fills the time.</param>
    public InterleaverOptions Apply(InterleaverOptions options, TimeSpan time)
    {
        TimeSpan roundTime = options.RoundTime * Stretch;
        bool isLong = FillsTime || Operations is not null;
        return options with
        {
            RoundTime = roundTime,
            Operations = Operations ?? options.Operations,
            FirstOperations = FirstOperations ?? options.FirstOperations,
            Rounds = FillsTime ? (int)Math.Max(1, Math.Round(time / roundTime)) : Rounds ?? options.Rounds,
            RunLimit = isLong && options.RunLimit < s_longRun ? s_longRun : options.RunLimit,
        };
    }
}
