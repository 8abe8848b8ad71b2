namespace Raceway.Proof.Tests.Faults;

/// <summary>What docs/faults.md promises for one fault. The test knows no outcome of its own.</summary>
/// <param name="Fault">The row's name, by which a scenario claims it.</param>
/// <param name="Ring">What becomes of the ring.</param>
/// <param name="Item">What becomes of the item in question.</param>
/// <param name="Publishes">What blocked and later publishes get.</param>
/// <param name="Drain">The status of a drain, asked for before or after.</param>
/// <param name="Counters">What the stage's statistics say, by name; those not named are zero.</param>
internal sealed record Promise(
    string Fault, string Ring, string Item, string Publishes, string Drain, string Counters)
{
    public override string ToString() => Fault;
}

/// <summary>The table of faults in docs/faults.md.</summary>
internal static class FaultTable
{
    public const string Heading = "## The table";

    private const string Multi = " (multi)";

    private static readonly string[] s_columns = ["Fault", "The ring", "The item", "Publishes", "Drain", "Counters"];

    /// <summary>Words that a column may hold; several are joined by "or".</summary>
    public static IReadOnlyList<(string Column, string[] Words)> Words { get; } =
    [
        ("The ring", ["goes on", "closes", "stops", "faults", "is not built"]),
        ("The item", [
            "handled", "skipped", "dead-lettered", "unprocessed", "left behind", "not published", "not passed", "none"]),
        ("Publishes", [
            "go on", nameof(RingStoppedException), nameof(RingFaultedException), nameof(ObjectDisposedException), "none"]),
        ("Drain", ["Drained", "Halted", "Faulted", "TimedOut", "none"]),
        ("Counters", ["faults", "skipped", "dead-lettered", "retries", "tombstones", "interrupts"]),
    ];

    public static IReadOnlyList<Promise> Rows { get; } = Parse(Tree.Read("docs", "faults.md"));

    public static IReadOnlyList<Promise> Parse(string text)
    {
        string[] lines = text.Split('\n');
        int at = Array.FindIndex(lines, line => line.Trim() == Heading);
        Assert.True(at >= 0, $"faults.md has no section '{Heading}'.");
        at = Array.FindIndex(lines, at, line => line.StartsWith('|'));
        Assert.Equal(s_columns, Cells(lines[at]));
        return [.. lines.Skip(at + 2).TakeWhile(line => line.StartsWith('|')).Select(Row)];
    }

    /// <summary>The words of one cell of the table.</summary>
    public static string[] Alternatives(string cell) => cell.Split(" or ", StringSplitOptions.TrimEntries);

    /// <summary>Counters by name: the fewest and the most that are promised.</summary>
    public static Dictionary<string, (long Least, long Most)> Counts(string cell, ProducerKind kind) =>
        cell == "none"
            ? []
            : cell.Split(',', StringSplitOptions.TrimEntries)
                .Where(part => kind == ProducerKind.Multi || !part.EndsWith(Multi, StringComparison.Ordinal))
                .Select(static part => part.Replace(Multi, "", StringComparison.Ordinal)).ToDictionary(
                static part => part[..part.LastIndexOf(' ')],
                static part =>
                {
                    string[] range = part[(part.LastIndexOf(' ') + 1)..].Split('–');
                    long least = long.Parse(range[0].TrimEnd('+'), null);
                    return (least, range[^1].EndsWith('+') ? long.MaxValue : long.Parse(range[^1], null));
                });

    private static Promise Row(string line)
    {
        string[] cells = Cells(line);
        Assert.True(cells.Length == s_columns.Length, $"Not {s_columns.Length} columns: {line}");
        return new Promise(cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]);
    }

    private static string[] Cells(string line) =>
        [.. line.Trim().Trim('|').Split('|').Select(static cell => cell.Trim().Replace("`", "", StringComparison.Ordinal))];
}
