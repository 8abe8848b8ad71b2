using System.Globalization;

namespace Raceway.Measuring;

/// <summary>Ratios of speeds in words.</summary>
public static class RatioText
{
    // One round says nothing of how far another one would be off.
    private const int LeastRounds = 2;

    /// <summary>Whether a ratio of speeds is shown to be another one than 1.</summary>
    public static bool ShowsDifference(MedianInterval ratio) => ratio.Rounds >= LeastRounds && (ratio.Low > 1 || ratio.High < 1);

    /// <summary>
    /// <c>2.80 times [2.60–3.01] as fast as channel</c>; where the interval holds 1, so that no difference is shown,
    /// <c>level with channel (1.02 times [0.98–1.07])</c>.
    /// </summary>
    public static string Compared(MedianInterval ratio, string other) => ShowsDifference(ratio)
        ? $"{Times(ratio.Median)} {Interval(ratio)} as fast as {other}"
        : $"level with {other} ({Times(ratio.Median)} {Interval(ratio)})";

    /// <summary><c>2.80 times</c>.</summary>
    public static string Times(double ratio) => $"{Figure(ratio)} times";

    /// <summary><c>[2.60–3.01]</c>.</summary>
    public static string Interval(MedianInterval ratio) => $"[{Figure(ratio.Low)}–{Figure(ratio.High)}]";

    /// <summary><c>0.0028</c>, <c>2.80</c>, <c>28.0</c>, <c>280</c>.</summary>
    public static string Figure(double value) =>
        value.ToString(value < 0.1 ? "0.00##" : value < 10 ? "0.00" : value < 100 ? "0.0" : "#,0", CultureInfo.InvariantCulture);
}
