using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Within what a <see cref="BatchController"/> works.</summary>
public sealed record BatchControllerOptions
{
    /// <summary>The lowest limit. Default 1.</summary>
    public int Min { get; init; } = 1;

    /// <summary>The highest limit. Default <see cref="Dispatch.DefaultMax"/>.</summary>
    public int Max { get; init; } = Dispatch.DefaultMax;

    /// <summary>How often it looks, from 1 ms to a day. Default 100 ms.</summary>
    public TimeSpan Period { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How many decisions are kept. Default 64.</summary>
    public int LogLength { get; init; } = 64;

    internal void Validate()
    {
        if (Min < 1) throw OutOfRange(nameof(Min), Min, "The lower bound must be at least 1", "Use 1 or more.");
        if (Max < 1) throw OutOfRange(nameof(Max), Max, "The upper bound must be at least 1", "Use the largest batch that makes sense.");
        if (Min > Max)
            throw new ArgumentException($"The lower bound must not be above the upper one: min={Min}, max={Max}. Swap them.", nameof(Min));
        if (Period < TimeSpan.FromMilliseconds(1))
            throw OutOfRange(nameof(Period), Period, "A controller looks once a millisecond at most", "Use 10 ms or more.");
        if (Period > TimeSpan.FromDays(1))
            throw OutOfRange(nameof(Period), Period, "A controller looks once a day at least", "Use 1 s or less.");
        if (LogLength < 1) throw OutOfRange(nameof(LogLength), LogLength, "A log keeps at least one decision", "Use 1 or more.");
    }

    private static ArgumentOutOfRangeException OutOfRange(string name, object value, string rule, string remedy) =>
        new(name, value, $"{rule}: {name}={value}. {remedy}");
}
