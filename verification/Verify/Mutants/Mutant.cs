using System.Globalization;

namespace Raceway.Verify.Mutants;

/// <summary>What a mutant breaks.</summary>
internal enum MutantKind
{
    Ordering,
    Wake,
    Lifecycle,
    Payload,
    Claim,
    Fault,
    Layout,
    Graph,
}

/// <summary>A fault to be seeded: a patch, and in its header what it breaks and which tier must notice.</summary>
/// <param name="File">The patch.</param>
/// <param name="Name">The patch's name without its extension.</param>
/// <param name="Says">What is broken, in a sentence.</param>
/// <param name="Kind">What kind of fault that is.</param>
/// <param name="Method">Where: type and method.</param>
/// <param name="Tier">The tier that must notice first.</param>
/// <param name="Filter">Which of its tests; empty: all.</param>
/// <param name="Seconds">How long it took to build and kill when that was last recorded.</param>
/// <param name="Sources">The files that it changes.</param>
internal sealed record Mutant(
    string File,
    string Name,
    string Says,
    MutantKind Kind,
    string Method,
    string Tier,
    string Filter,
    double Seconds,
    IReadOnlyList<string> Sources)
{
    /// <summary>More in one method would say little about the others.</summary>
    public const int MostInMethod = 2;

    private const string Shipped = "src/";
    private const string SourceMark = "+++ b/";
    private const string SecondsMark = "Seconds";

    /// <summary>All of a folder, by name.</summary>
    public static IReadOnlyList<Mutant> All(string folder) =>
        [.. Directory.GetFiles(folder, "*.patch").Order(StringComparer.Ordinal).Select(Read)];

    /// <summary>So many that were killed in the shortest time.</summary>
    public static IReadOnlyList<Mutant> Fastest(IEnumerable<Mutant> mutants, int most) =>
        [.. mutants.OrderBy(static mutant => mutant.Seconds).Take(most)];

    /// <summary>Reads one patch.</summary>
    public static Mutant Read(string file) => Parse(file, System.IO.File.ReadAllLines(file));

    /// <summary>Makes sense of a patch's lines.</summary>
    public static Mutant Parse(string file, IReadOnlyList<string> lines)
    {
        string name = Path.GetFileNameWithoutExtension(file);
        int diff = lines.TakeWhile(static line => !line.StartsWith("diff ", StringComparison.Ordinal)).Count();
        var header = new Dictionary<string, string>();
        foreach (string line in lines.Take(diff).Where(static line => line.Length > 0))
        {
            int colon = line.IndexOf(": ", StringComparison.Ordinal);
            if (colon < 0) throw new VerifyException($"{name}: a line of the header is 'Name: value', not '{line}'.");
            header[line[..colon]] = line[(colon + 2)..].Trim();
        }

        string[] sources =
        [
            .. lines.Skip(diff)
                .Where(static line => line.StartsWith(SourceMark, StringComparison.Ordinal))
                .Select(static line => line[SourceMark.Length..]),
        ];
        if (sources.Length == 0 || sources.Any(static source => !source.StartsWith(Shipped, StringComparison.Ordinal)))
            throw new VerifyException($"{name}: the patch must change files of {Shipped}, and no others.");
        string[] tier = Needed(header, "Tier", name).Split(' ', 2);
        if (!Enum.TryParse(Needed(header, "Kind", name), ignoreCase: true, out MutantKind kind))
            throw new VerifyException($"{name}: its kind is one of {string.Join(", ", Enum.GetNames<MutantKind>())}.");
        return new Mutant(
            file,
            name,
            Needed(header, nameof(Mutant), name),
            kind,
            Needed(header, "Method", name),
            tier[0],
            tier.Length == 1 ? "" : tier[1].Trim(),
            header.TryGetValue(SecondsMark, out string? seconds)
                ? double.Parse(seconds, CultureInfo.InvariantCulture)
                : double.MaxValue,
            sources);
    }

    /// <summary>Writes into the patch how long it took.</summary>
    public void Record(double seconds)
    {
        List<string> lines = [.. System.IO.File.ReadAllLines(File)];
        lines.RemoveAll(static line => line.StartsWith(SecondsMark + ": ", StringComparison.Ordinal));
        int end = lines.FindIndex(static line => line.Length == 0);
        lines.Insert(end, string.Create(CultureInfo.InvariantCulture, $"{SecondsMark}: {seconds:0}"));
        System.IO.File.WriteAllText(File, string.Join('\n', lines) + "\n");
    }

    private static string Needed(Dictionary<string, string> header, string key, string name) =>
        header.TryGetValue(key, out string? value) && value.Length > 0
            ? value
            : throw new VerifyException($"{name}: the header lacks '{key}: …'.");
}
