using System.Globalization;

namespace Raceway.Interop.Logging.Files;

/// <summary>The names of a log's files: <c>app.log</c>, <c>app.001.log</c>; with a day each <c>app-20261124.log</c>, <c>app-20261124.001.log</c>.</summary>
/// <remarks>
/// A number has three to five digits, with zeros in front up to three. From 100,000 on it has nine, with zeros in front up to that:
/// <c>app.000100000.log</c>. Six to eight digits may be a day or a month, so <c>app.261124.log</c> and <c>app.20261124.log</c> are
/// files of another program.
/// </remarks>
internal sealed class FileNames
{
    private const string DayFormat = "yyyyMMdd";
    private const string NumberFormat = "000";
    private const string LongNumberFormat = "000000000";
    private const int FirstLongNumber = 100_000;
    private const int MostNumber = 999_999_999;

    private readonly string _folder;
    private readonly string _stem;
    private readonly string _extension;
    private readonly bool _hasDays;

    public FileNames(string path, bool hasDays)
    {
        string whole = Path.GetFullPath(path);
        _folder = Path.GetDirectoryName(whole) ?? throw LoggingErrors.NoPath();
        _stem = Path.GetFileNameWithoutExtension(whole);
        _extension = Path.GetExtension(whole);
        _hasDays = hasDays;
    }

    /// <summary>The file of that day (ignored without days) and number, from 0.</summary>
    public string PathOf(DateOnly day, int number) => Path.Combine(_folder, string.Concat(
        _stem,
        _hasDays ? $"-{day.ToString(DayFormat, CultureInfo.InvariantCulture)}" : "",
        number > 0 ? $".{TextOf(number)}" : "",
        _extension));

    /// <summary>The highest number that a file of that day has; 0 if there is none.</summary>
    public int HighestOf(DateOnly day) => Existing().Where(one => !_hasDays || one.Day == day).Select(static one => one.Number).DefaultIfEmpty().Max();

    /// <summary>The files of the log, oldest first. No other file of the folder is among them.</summary>
    public IReadOnlyList<(string Path, DateOnly Day, int Number)> Existing()
    {
        if (!Directory.Exists(_folder)) return [];
        List<(string Path, DateOnly Day, int Number)> found = [];
        foreach (string path in Directory.EnumerateFiles(_folder))
            if (TryParse(Path.GetFileName(path), out DateOnly day, out int number)) found.Add((path, day, number));
        return [.. found.OrderBy(static one => one.Day).ThenBy(static one => one.Number)];
    }

    private bool TryParse(string name, out DateOnly day, out int number)
    {
        (day, number) = (default, 0);
        if (name.Length < _stem.Length + _extension.Length) return false;
        if (!name.StartsWith(_stem, StringComparison.Ordinal) || !name.EndsWith(_extension, StringComparison.Ordinal)) return false;
        ReadOnlySpan<char> rest = name.AsSpan(_stem.Length, name.Length - _stem.Length - _extension.Length);
        if (_hasDays)
        {
            if (rest.Length <= DayFormat.Length || rest[0] != '-') return false;
            if (!DateOnly.TryParseExact(rest[1..(1 + DayFormat.Length)], DayFormat, CultureInfo.InvariantCulture, DateTimeStyles.None, out day)) return false;
            rest = rest[(1 + DayFormat.Length)..];
        }

        if (rest.IsEmpty) return true;
        return rest[0] == '.'
            && int.TryParse(rest[1..], NumberStyles.None, CultureInfo.InvariantCulture, out number) && number is > 0 and <= MostNumber
            && rest[1..].SequenceEqual(TextOf(number));
    }

    private static string TextOf(int number) =>
        number.ToString(number < FirstLongNumber ? NumberFormat : LongNumberFormat, CultureInfo.InvariantCulture);
}
