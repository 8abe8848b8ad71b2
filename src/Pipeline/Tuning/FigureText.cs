using System.Globalization;

namespace Raceway.Pipelines;

/// <summary>Figures in sentences: two or three digits, and the unit that fits.</summary>
internal static class FigureText
{
    public static string Percent(double share) => share.ToString("0 %", CultureInfo.InvariantCulture);

    public static string Number(double value) => value.ToString(value < 10 ? "0.#" : "0", CultureInfo.InvariantCulture);

    public static string Count(long value) => value.ToString("N0", CultureInfo.InvariantCulture);

    // What is rounded up to 1000 of a unit is 1 of the next.
    public static string Time(double seconds) => seconds switch
    {
        >= 0.9995 => $"{Number(seconds)} s",
        >= 0.9995e-3 => $"{Number(seconds * 1e3)} ms",
        >= 0.9995e-6 => $"{Number(seconds * 1e6)} µs",
        _ => $"{Number(seconds * 1e9)} ns",
    };
}
