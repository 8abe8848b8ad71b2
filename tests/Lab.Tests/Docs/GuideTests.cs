using System.Text.RegularExpressions;
using Raceway.Lab.Cli;
using Raceway.Measuring;
using Raceway.Rings;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Docs;

/// <summary>What the guides name is there: commands that parse, files, headings, contestants and members.</summary>
public sealed partial class GuideTests
{
    public static TheoryData<string, int> Guides => new() { { "mechanical-sympathy.md", 30 }, { "benchmarking.md", 8 } };

    [Theory]
    [MemberData(nameof(Guides))]
    public void Commands_OfGuide_Parse(string guide, int least)
    {
        string[] commands = [.. Command().Matches(Read(guide)).Select(static match => match.Groups[1].Value.TrimEnd())];

        Assert.InRange(commands.Length, least, int.MaxValue);

        // A command that is only named need not be complete.
        Assert.Equal([], commands.Select(static command => (Text: command, Words: Words(command))).SelectMany(static one =>
            RacewayTool.ErrorsOf(one.Words[1..])
                .Where(error => one.Words.Length > 2 || !error.Contains("equired", StringComparison.Ordinal))
                .Select(error => $"{one.Text}: {error}")));
    }

    [Theory]
    [InlineData("raceway sharing --case nothing")]
    [InlineData("raceway compare --suite nothing")]
    [InlineData("raceway nothing")]
    public void ErrorsOf_CommandThatIsGone_TellsIt(string command) =>
        Assert.NotEmpty(RacewayTool.ErrorsOf(Words(command)[1..]));

    [Theory]
    [MemberData(nameof(Guides))]
    public void Links_OfGuide_LeadSomewhere(string guide, int least)
    {
        string[] links = [.. Link().Matches(Read(guide)).Select(static match => match.Groups[1].Value)
            .Where(static link => !link.StartsWith("http", StringComparison.Ordinal))];

        Assert.InRange(links.Length, least / 4, int.MaxValue);
        Assert.Equal([], links.Where(link => !Leads(link, guide)));
    }

    [Theory]
    [InlineData("mechanical-sympathy.md")]
    [InlineData("benchmarking.md")]
    public void Contestants_OfGuide_Exist(string guide)
    {
        HashSet<string> missing = [.. Contestant().Matches(Read(guide)).Select(static match => match.Groups[1].Value)];

        // Some contestants are made with all their items: only as many cases are looked at as it takes.
        foreach (SuiteCase one in SuiteList.All.Values.SelectMany(static suite => suite.Cases).TakeWhile(_ => missing.Count > 0))
            missing.ExceptWith(one.Create().Select(static contestant => contestant.Name));
        missing.ExceptWith(LineContestants.All(hashed: true).Select(static contestant => contestant.Name));

        Assert.Empty(missing);
    }

    /// <summary>A row that names a micro-benchmark and its methods names what is in that file.</summary>
    [Fact]
    public void Methods_OfMicroBenchmarksInTheIndex_Exist()
    {
        string[] missing =
        [
            .. from Match match in Micro().Matches(Read("mechanical-sympathy.md"))
               let source = File.ReadAllText(Path.Combine(Root(), "bench", "Micro", match.Groups[1].Value))
               from Match name in Member().Matches(match.Groups[2].Value)
               where !Regex.IsMatch(source, $@"\b{name.Groups[1].Value}\b") && !IsPadding(name.Groups[1].Value, source)
               select $"{match.Groups[1].Value}: {name.Groups[1].Value}",
        ];

        Assert.Equal([], missing);
        Assert.InRange(Micro().Count(Read("mechanical-sympathy.md")), 10, int.MaxValue);
    }

    // Of a benchmark over all paddings no value stands in its source.
    private static bool IsPadding(string name, string source) =>
        source.Contains(nameof(CellPadding), StringComparison.Ordinal) && Enum.TryParse<CellPadding>(name, out _);

    private static bool Leads(string link, string guide)
    {
        string[] parts = link.Split('#', 2);
        string file = parts[0].Length == 0 ? Path.Combine(Root(), "docs", guide) : Path.Combine(Root(), "docs", parts[0]);
        if (parts.Length == 1) return File.Exists(file) || Directory.Exists(file);
        return File.Exists(file)
            && Heading().Matches(File.ReadAllText(file)).Any(match => Anchor(match.Groups[1].Value) == parts[1]);
    }

    // As the sites that show Markdown make them.
    private static string Anchor(string heading) =>
        string.Concat(heading.Trim().ToLowerInvariant().Where(static c => char.IsLetterOrDigit(c) || c is ' ' or '-' or '_'))
            .Replace(' ', '-');

    private static string[] Words(string command) =>
        [.. Word().Matches(command).Select(static match => match.Value.Trim('\''))];

    private static string Read(string guide) => File.ReadAllText(Path.Combine(Root(), "docs", guide));

    private static string Root()
    {
        DirectoryInfo? at = new(AppContext.BaseDirectory);
        while (at is not null && !File.Exists(Path.Combine(at.FullName, "Raceway.slnx"))) at = at.Parent;
        return at?.FullName ?? throw new DirectoryNotFoundException("Raceway.slnx");
    }

    // In code, or a line of a code block; with another program in front of it where that chooses the processors.
    [GeneratedRegex(@"(?:`|^ {4})(?:taskset -c [\d,]+ )?(raceway [^`\n]+)", RegexOptions.Multiline)]
    private static partial Regex Command();

    [GeneratedRegex(@"'[^']*'|\S+")]
    private static partial Regex Word();

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex("`(raceway/[a-z0-9/-]+)`")]
    private static partial Regex Contestant();

    [GeneratedRegex(@"^#+ (.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"\]\(\.\./bench/Micro/(\w+\.cs)\)([^|\n]*)")]
    private static partial Regex Micro();

    [GeneratedRegex(@"`([A-Z]\w+)`")]
    private static partial Regex Member();
}
