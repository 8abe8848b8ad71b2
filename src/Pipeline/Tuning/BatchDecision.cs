using System.Globalization;

namespace Raceway.Pipelines;

/// <summary>One decision of a <see cref="BatchController"/>.</summary>
/// <param name="At">When, the last time where it has been made several times.</param>
/// <param name="BatchTime">How long a batch has taken since the decision before, on average.</param>
/// <param name="ItemsPerSecond">Items a second of work since then.</param>
/// <param name="MeanBatch">Items a batch since then.</param>
/// <param name="From">The limit of a batch before.</param>
/// <param name="To">The limit after; the same where nothing was changed.</param>
/// <param name="Reason">Why, in words.</param>
/// <param name="Times">How many times in a row it has been made.</param>
public sealed record BatchDecision(
    DateTimeOffset At, TimeSpan BatchTime, double ItemsPerSecond, double MeanBatch, int From, int To, string Reason, int Times = 1)
{
    /// <summary>The decision as a line.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{At:HH:mm:ss.fff}  {From} -> {To}  {Text(BatchTime)} a batch of {MeanBatch:0.#}, {ItemsPerSecond:0} items/s of work: {Reason}")
        + (Times == 1 ? "" : string.Create(CultureInfo.InvariantCulture, $" (×{Times})"));

    internal static string Text(TimeSpan time) => time.TotalMilliseconds >= 1
        ? string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:0.##} ms")
        : string.Create(CultureInfo.InvariantCulture, $"{time.TotalMicroseconds:0.##} µs");
}
