using System.Globalization;

namespace Raceway.Pipelines;

/// <summary>Figures in sentences: two or three digits, and the unit that fits.</summary>
internal static class FigureText
{
    public static string Percent(double share) => share.ToString("0 %", CultureInfo.InvariantCulture);

    public static string Number(double value) => value.ToString(value < 10 ? "0.#" : "0", CultureInfo.InvariantCulture);

    public static string Count(long value) => value.ToString("N0", CultureInfo.InvariantCulture);

    public static string Time(double seconds) => seconds switch
    {
        >= 1 => $"{Number(seconds)} s",
        >= 1e-3 => $"{Number(seconds * 1e3)} ms",
        >= 1e-6 => $"{Number(seconds * 1e6)} µs",
        _ => $"{Number(seconds * 1e9)} ns",
    };
}
