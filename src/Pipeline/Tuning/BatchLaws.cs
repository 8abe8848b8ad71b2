namespace Raceway.Pipelines;

/// <summary>What a stage has done between two looks.</summary>
/// <param name="Items">Items handled.</param>
/// <param name="Batches">Batches handled.</param>
/// <param name="Full">Those of them that the limit has closed.</param>
/// <param name="Working">The time it took.</param>
internal readonly record struct BatchSample(long Items, long Batches, long Full, TimeSpan Working)
{
    public TimeSpan BatchTime => Batches <= 0 ? TimeSpan.Zero : Working / Batches;

    /// <summary>Items a second of work.</summary>
    public double Rate => Working <= TimeSpan.Zero ? 0 : Items / Working.TotalSeconds;

    public double MeanBatch => Batches <= 0 ? 0 : (double)Items / Batches;

    /// <summary>True where a tenth of the batches would have been larger without the limit.</summary>
    public bool LimitBinds => Full * 10 >= Batches;
}

/// <summary>Decides the limit of a stage's batches from what it has done. Without a clock, without a stage.</summary>
internal abstract class BatchLaw(int min, int max)
{
    protected int Min { get; } = min;

    protected int Max { get; } = max;

    /// <summary>The next limit, in bounds whatever is observed, and why.</summary>
    public (int Limit, string Reason) Decide(int limit, in BatchSample sample)
    {
        if (limit < Min) return (Min, "the limit was below its bounds");
        if (limit > Max) return (Max, "the limit was above its bounds");
        if (sample.Batches <= 0 || sample.Items <= 0 || sample.Working <= TimeSpan.Zero) return (limit, "nothing was handled");
        (long next, string reason) = DecideCore(limit, sample);
        if (next > Max) reason += ", up to the upper bound";
        if (next < Min) reason += ", down to the lower bound";
        return ((int)Math.Clamp(next, Min, Max), reason);
    }

    protected abstract (long Limit, string Reason) DecideCore(int limit, in BatchSample sample);
}

/// <summary>See <see cref="BatchGoal.Latency"/>.</summary>
internal sealed class LatencyLaw(TimeSpan target, int min, int max) : BatchLaw(min, max)
{
    private const int Steps = 32;

    protected override (long Limit, string Reason) DecideCore(int limit, in BatchSample sample)
    {
        if (sample.BatchTime > target)
        {
            // A limit that no batch has come to is brought down to where it does something.
            int from = sample.LimitBinds ? limit : (int)Math.Min(limit, Math.Ceiling(sample.MeanBatch));
            return limit == Min
                ? (limit, "batches take longer than the target, and the limit is as low as it may be")
                : (from / 2, "batches take longer than the target: halved");
        }

        if (!sample.LimitBinds) return (limit, "the limit closes few batches: it does not matter");
        if (sample.BatchTime > target * 0.9) return (limit, "within a tenth of the target");
        return limit == Max
            ? (limit, "batches take less than the target, and the limit is as high as it may be")
            : (limit + Math.Max(1, ((long)Max - Min) / Steps), "batches are full and take less than the target: raised");
    }
}

/// <summary>See <see cref="BatchGoal.Throughput"/>.</summary>
internal sealed class ThroughputLaw(int min, int max) : BatchLaw(min, max)
{
    private const double Gain = 1.02;
    private const int RestsAfter = 16;

    private double _before;
    private bool _up = true;
    private int _rests;

    protected override (long Limit, string Reason) DecideCore(int limit, in BatchSample sample)
    {
        if (!sample.LimitBinds) return (limit, "the limit closes few batches: it does not matter");
        if (_rests > 0)
        {
            _rests--;
            if (_rests == 0) _before = 0;
            return (limit, "its neighbours are no better: rests before it tries again");
        }

        double before = _before;
        if (before == 0 || sample.Rate > before * Gain)
        {
            _before = sample.Rate;
            return Step(limit, before == 0 ? "tries the next size" : "the last step has paid: goes on");
        }

        bool worse = sample.Rate * Gain < before;
        // What it is compared with stays, so that small losses do not add up.
        if (!worse && !_up) return Step(limit, "smaller batches cost nothing: goes on");
        _up = !_up;
        _rests = RestsAfter;
        return Step(limit, worse ? "the last step has cost: taken back" : "larger batches bring nothing: taken back");
    }

    private (long Limit, string Reason) Step(int limit, string reason)
    {
        // At a bound the only way is back.
        if (limit == Max) _up = false;
        else if (limit == Min) _up = true;
        return (_up ? 2L * limit : Math.Max(1, limit / 2), reason);
    }
}
