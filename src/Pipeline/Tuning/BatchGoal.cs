namespace Raceway.Pipelines;

/// <summary>What a <see cref="BatchController"/> changes the limit of a stage's batches for. Immutable.</summary>
public abstract class BatchGoal
{
    private protected BatchGoal()
    {
    }

    /// <summary>
    /// As many items a second of work as the stage can: batches grow while that pays, and shrink while it costs nothing.
    /// </summary>
    /// <remarks>Hill climbing by factors of two; a step that changes the rate by less than 2 % is none.</remarks>
    public static BatchGoal Throughput { get; } = new ThroughputGoal();

    /// <summary>
    /// Batches that take about <paramref name="target"/> in their stage, on average: an item that comes while one is handled
    /// waits for it that long.
    /// </summary>
    /// <remarks>
    /// Additive increase, multiplicative decrease (Chiu, Jain, "Analysis of the Increase and Decrease Algorithms for
    /// Congestion Avoidance", 1989): halved when a batch has taken longer, raised by a 32nd of the range while batches are
    /// full and take less than nine tenths of it.
    /// </remarks>
    /// <param name="target">Above zero.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is not.</exception>
    public static BatchGoal Latency(TimeSpan target) => new LatencyGoal(target);

    /// <summary>The code that decides for one stage.</summary>
    internal abstract BatchLaw CreateLaw(int min, int max);
}

internal sealed class LatencyGoal : BatchGoal
{
    private readonly TimeSpan _target;

    public LatencyGoal(TimeSpan target)
    {
        if (target <= TimeSpan.Zero)
        {
            throw new ArgumentOutOfRangeException(
                nameof(target), target, $"The time of a batch must be above zero: target={target}. Use what an item may wait for.");
        }

        _target = target;
    }

    public override string ToString() => $"batches of {BatchDecision.Text(_target)}";

    internal override BatchLaw CreateLaw(int min, int max) => new LatencyLaw(_target, min, max);
}

internal sealed class ThroughputGoal : BatchGoal
{
    public override string ToString() => "throughput";

    internal override BatchLaw CreateLaw(int min, int max) => new ThroughputLaw(min, max);
}
