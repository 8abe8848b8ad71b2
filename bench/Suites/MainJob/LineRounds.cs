using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>Lets <see cref="Interleaver"/> run a <see cref="LineContestant"/> over an input, at full speed or paced.</summary>
/// <param name="contestant">The contestant.</param>
/// <param name="input">The lines.</param>
/// <param name="expected">What they must give.</param>
/// <param name="ratePerSecond">Lines a second, or as fast as possible.</param>
internal sealed class LineRounds(
    LineContestant contestant, LoadedInput input, ExpectedTotals expected, double? ratePerSecond = null) : IContestant
{
    // A warm-up may stop in the middle of the input; what is measured may not.
    private const int WarmUpLines = 20_000;

    /// <summary>The longest that a paced run may last: also the first one, of a slow contestant.</summary>
    public TimeSpan Longest { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The contestant.</summary>
    public LineContestant Line => contestant;

    /// <inheritdoc/>
    public string Name => contestant.Name;

    /// <inheritdoc/>
    public int BusyThreads => contestant.BusyThreads;

    /// <inheritdoc/>
    public long MaxOperations => ratePerSecond is { } rate
        ? Math.Max(LineFeed.SampleEvery, (long)(rate * Longest.TotalSeconds))
        : long.MaxValue;

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation) =>
        contestant.Run(input, expected, WholePasses(operations), ratePerSecond, cancellation);

    /// <summary>Whole passes at full speed, so that every contestant sees the same mix of lines.</summary>
    /// <remarks>A paced round is as long as its time: slow ones would otherwise take seconds.</remarks>
    private long WholePasses(long operations)
    {
        long pass = input.Lines.Length;
        return ratePerSecond is not null || operations < Math.Min(pass, WarmUpLines)
            ? operations
            : pass * Math.Max(1, (operations + (pass / 2)) / pass);
    }
}
