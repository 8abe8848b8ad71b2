using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>Figures as a reader wants them: three digits that matter, and the unit that fits.</summary>
internal static class Figure
{
    /// <summary>What stands in a cell without a figure.</summary>
    public const string None = "-";

    private static readonly (double From, string Unit)[] s_times = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (0, "ns")];

    /// <summary>A number with about three digits.</summary>
    public static string Plain(double value) => double.IsFinite(value)
        ? value.ToString(Format(Math.Abs(value)), CultureInfo.InvariantCulture)
        : None;

    /// <summary>A whole number in groups of three.</summary>
    public static string Count(long value) => value.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>The median of a figure, scaled down.</summary>
    public static string Median(MedianInterval? figure, double scale = 1) =>
        figure is { } value ? Plain(value.Median / scale) : None;

    /// <summary>The interval of a figure, scaled down.</summary>
    public static string Interval(MedianInterval? figure, double scale = 1) =>
        figure is { } value ? Range(value.Low / scale, value.High / scale) : None;

    /// <summary>Two ends of an interval.</summary>
    public static string Range(double low, double high) => $"{Plain(low)}–{Plain(high)}";

    /// <summary>A duration in the unit that fits.</summary>
    public static string Time(MedianInterval? nanoseconds) =>
        nanoseconds is { } value && double.IsFinite(value.Median) ? Time(value.Median) : None;

    /// <summary>A duration in the unit that fits.</summary>
    public static string Time(double nanoseconds)
    {
        // What a file says may be no time at all: then the last unit has to do.
        (double from, string unit) = s_times.FirstOrDefault(one => nanoseconds >= one.From, s_times[^1]);
        return $"{Plain(nanoseconds / Math.Max(1, from))} {unit}";
    }

    private static string Format(double size) => size switch
    {
        0 => "0",
        >= 1e6 => "0.00E0",
        >= 100 => "#,0",
        >= 10 => "0.0",
        >= 0.1 => "0.00",
        >= 0.0005 => "0.000",
        _ => "0.0E0",
    };
}
