using System.Globalization;

namespace Raceway.Verify.Reporting;

/// <summary>What the tiers have counted, and the line that says it.</summary>
internal sealed class ProofLine
{
    private const string Mutants = "Mutants";

    // What a script names that lacks something to run with.
    private const string NotRun = "NotRun ";

    // As the tests name it, and as the line does; in the line's order.
    private static readonly (string Counted, string Text)[] s_counted =
    [
        ("States", "states"),
        ("Interleavings", "interleavings"),
        ("Operations", "operations"),
        ("Faults", "faults"),
        ("BadInputs", "bad inputs"),
        ("Misuses", "calls of misuse"),
    ];

    private readonly Dictionary<string, long> _sums = [];
    private readonly SortedSet<string> _notRun = new(StringComparer.Ordinal);
    private long _killed;
    private long _mutants;

    /// <summary>Sums the lines up.</summary>
    /// <param name="lines">A name and a number each; for mutants those killed, a slash, and all; behind NotRun what was not run.</param>
    public ProofLine(IEnumerable<string> lines)
    {
        foreach (string line in lines.Where(static line => line.Length > 0))
        {
            string[] parts = line.Split(' ', '/');
            if (line.StartsWith(NotRun, StringComparison.Ordinal)) _notRun.Add(line[NotRun.Length..]);
            else if (parts is [Mutants, var killed, var all]) (_killed, _mutants) = (_killed + Number(killed), _mutants + Number(all));
            else if (parts is [var name, var count] && s_counted.Any(one => one.Counted == name))
                _sums[name] = _sums.GetValueOrDefault(name) + Number(count);
            else throw NoCount(line);

            long Number(string text) =>
                long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long number) ? number : throw NoCount(line);
        }
    }

    /// <summary>Appends what the mutants have come to.</summary>
    public static void Append(string file, int killed, int all) =>
        File.AppendAllText(file, string.Create(CultureInfo.InvariantCulture, $"{Mutants} {killed}/{all}\n"));

    /// <summary>The closing line.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"proof: {string.Join(", ", s_counted.Select(one => Text(one.Counted, one.Text)))}, {OfMutants}{string.Concat(_notRun.Select(static one => $", {one} not run"))}");

    private string OfMutants => _mutants == 0
        ? "mutants not run"
        : string.Create(CultureInfo.InvariantCulture, $"{_killed} of {_mutants} mutants killed");

    private string Text(string counted, string text) => _sums.TryGetValue(counted, out long sum)
        ? string.Create(CultureInfo.InvariantCulture, $"{sum:N0} {text}")
        : $"{text} not run";

    private static VerifyException NoCount(string line) => new($"the tally holds a line that is no count: '{line}'.");
}
