namespace Raceway.Measuring;

/// <summary>Half of what a contestant can do itself: a load that it keeps up with, the same share for each.</summary>
public static class HalfSpeed
{
    private const double WarmUpShare = 0.5;
    private const int Rounds = 5;
    private const double ShortRun = 0.001; // seconds; while warming up: what counts for the compiler is the number of calls
    private const double MostGrowth = 10; // of a run over the one before

    /// <summary>The time to find it in where there is enough: the compiler has replaced by then what is called often.</summary>
    public static readonly TimeSpan Usual = TimeSpan.FromMilliseconds(400);

    private static readonly TimeSpan s_longestRound = TimeSpan.FromMilliseconds(50);

    /// <summary>
    /// Half of the operations a second of a contestant at full speed: the median of a few short rounds, after a warm-up. It runs on
    /// the calling thread. Runs are begun as long as there is time, at least one to warm up and one that is timed.
    /// </summary>
    /// <param name="fast">The contestant with everything due at the start. It records what it records at a rate.</param>
    /// <param name="firstOperations">Operations of its first short run.</param>
    /// <param name="budget">The time that it may take.</param>
    /// <param name="cancellation">Ends it early.</param>
    public static double RateOf(IContestant fast, long firstOperations, TimeBudget budget, CancellationToken cancellation)
    {
        TimeBudget warmUp = budget.Share(WarmUpShare);
        long operations = Clip(firstOperations);
        Sample sample;
        do
        {
            sample = Run(operations);
            if (sample.Seconds < ShortRun) operations = Clip(operations * 2.0);
        }
        while (!warmUp.IsOver);

        TimeSpan part = budget.Left / Rounds;
        double target = (part < s_longestRound ? part : s_longestRound).TotalSeconds;
        var rates = new List<double>();
        do
        {
            double factor = Math.Min(MostGrowth, target / Math.Max(sample.Seconds, 1e-6));
            // Where hardly any time is left, a run of the length that there is says more than a shorter one.
            if (target < ShortRun) factor = Math.Max(1, factor);
            operations = Clip(Math.Max(sample.Operations, operations) * factor);
            sample = Run(operations);
            // One that is much too short only says how long the next one is to be.
            if (2 * sample.Seconds > target || operations == fast.MaxOperations) rates.Add(sample.Rate);
        }
        while (rates.Count < Rounds && !budget.IsOver);

        return (rates.Count > 0 ? Statistics.Median(rates) : sample.Rate) / 2;

        long Clip(double count) => (long)Math.Clamp(count, 1, Math.Min(Math.Max(1, fast.MaxOperations), 1e15));

        Sample Run(long count)
        {
            Sample done = fast.Run(count, cancellation);
            cancellation.ThrowIfCancellationRequested();
            return done;
        }
    }
}
