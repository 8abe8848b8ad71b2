using System.Globalization;

namespace Raceway.Measuring;

/// <summary>Ratios of speeds in words.</summary>
public static class RatioText
{
    // One round says nothing of how far another one would be off.
    private const int LeastRounds = 2;

    /// <summary>Whether there are rounds enough to say that a ratio is 1 or another one.</summary>
    public static bool CanBeJudged(MedianInterval ratio) => ratio.Rounds >= LeastRounds;

    /// <summary>Whether a ratio of speeds is shown to be another one than 1.</summary>
    public static bool ShowsDifference(MedianInterval ratio) => CanBeJudged(ratio) && (ratio.Low > 1 || ratio.High < 1);

    /// <summary>
    /// <c>2.80 times [2.60–3.01] as fast as channel</c>; where the interval holds 1, so that no difference is shown,
    /// <c>level with channel (1.02 times [0.98–1.07])</c>; where there are too few rounds for either,
    /// <c>2.80 times as fast as channel (1 round: too few to judge)</c>.
    /// </summary>
    public static string Compared(MedianInterval ratio, string other) =>
        ShowsDifference(ratio) ? $"{Times(ratio.Median)} {Interval(ratio)} as fast as {other}"
        : CanBeJudged(ratio) ? $"level with {other} ({Times(ratio.Median)} {Interval(ratio)})"
        : $"{Times(ratio.Median)} as fast as {other} ({TooFew(ratio)})";

    /// <summary><c>2.80 times as good [2.60–3.01]</c>; where there are too few rounds to judge, <c>2.80 times as good (1 round: too few to judge)</c>.</summary>
    public static string Told(MedianInterval ratio, string how) =>
        $"{Times(ratio.Median)} {how} {(CanBeJudged(ratio) ? Interval(ratio) : $"({TooFew(ratio)})")}";

    /// <summary><c>1 round: too few to judge</c>.</summary>
    public static string TooFew(MedianInterval ratio) => $"{Rounds(ratio.Rounds)}: too few to judge";

    /// <summary><c>1 round</c>, <c>11 rounds</c>; with a word before it <c>11 interleaved rounds</c>.</summary>
    public static string Rounds(int count, string kind = "") =>
        string.Create(CultureInfo.InvariantCulture, $"{count:N0} {kind}{(kind.Length > 0 ? " " : "")}{(count == 1 ? "round" : "rounds")}");

    /// <summary><c>2.80 times</c>.</summary>
    public static string Times(double ratio) => $"{Figure(ratio)} times";

    /// <summary><c>[2.60–3.01]</c>.</summary>
    public static string Interval(MedianInterval ratio) => $"[{Figure(ratio.Low)}–{Figure(ratio.High)}]";

    /// <summary><c>0.0028</c>, <c>2.80</c>, <c>28.0</c>, <c>280</c>.</summary>
    public static string Figure(double value) =>
        value.ToString(value < 0.1 ? "0.00##" : value < 10 ? "0.00" : value < 100 ? "0.0" : "#,0", CultureInfo.InvariantCulture);
}
