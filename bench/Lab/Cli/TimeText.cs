using System.Globalization;

namespace Raceway.Lab.Cli;

/// <summary>Times as they are written on a command line: <c>500ms</c>, <c>10s</c>, <c>2m</c>, <c>1h</c>.</summary>
internal static class TimeText
{
    // Longer units first where one ends like another.
    private static readonly (string Unit, TimeSpan Length)[] s_units =
    [
        ("ms", TimeSpan.FromMilliseconds(1)), ("s", TimeSpan.FromSeconds(1)), ("m", TimeSpan.FromMinutes(1)), ("h", TimeSpan.FromHours(1)),
    ];

    /// <summary>Reads a time; a number alone is seconds.</summary>
    public static bool TryParse(string text, out TimeSpan time)
    {
        (string unit, TimeSpan length) = s_units.FirstOrDefault(
            one => text.EndsWith(one.Unit, StringComparison.Ordinal), (Unit: "", Length: TimeSpan.FromSeconds(1)));
        bool isNumber = double.TryParse(
            text.AsSpan(0, text.Length - unit.Length), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double count);
        // Infinities are numbers with any style. More than a year is too long to wait for, and might not fit a TimeSpan.
        bool isTime = isNumber && count is >= 0 && count * length.TotalDays <= 365;
        time = isTime ? count * length : TimeSpan.Zero;
        return isTime;
    }

    /// <summary>Writes a time in the largest unit that it is a whole number of.</summary>
    public static string Of(TimeSpan time)
    {
        (string unit, TimeSpan length) = s_units.Last(one => time.Ticks % one.Length.Ticks == 0 || one.Unit == "ms");
        return string.Create(CultureInfo.InvariantCulture, $"{time / length:0.###}{unit}");
    }
}
