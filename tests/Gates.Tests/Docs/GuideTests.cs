using System.Text.RegularExpressions;
using Raceway.Lab.Cli;
using Raceway.Measuring;
using Raceway.Rings;
using Raceway.Suites.MainJob;

namespace Raceway.Gates.Tests.Docs;

/// <summary>What the guides name is there: commands that parse, contestants and members.</summary>
public sealed partial class GuideTests
{
    public static TheoryData<string, int> Guides => new() { { "docs/mechanical-sympathy.md", 30 }, { "CONTRIBUTING.md", 8 } };

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
    [InlineData("docs/mechanical-sympathy.md")]
    [InlineData("docs/benchmarks.md")]
    [InlineData("docs/scenarios.md")]
    [InlineData("CONTRIBUTING.md")]
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
            .. from Match match in Micro().Matches(Read("docs/mechanical-sympathy.md"))
               let source = File.ReadAllText(Path.Combine(Tree.Root, "bench", "Micro", match.Groups[1].Value))
               from Match name in Member().Matches(match.Groups[2].Value)
               where !Regex.IsMatch(source, $@"\b{name.Groups[1].Value}\b") && !IsPadding(name.Groups[1].Value, source)
               select $"{match.Groups[1].Value}: {name.Groups[1].Value}",
        ];

        Assert.Equal([], missing);
        Assert.InRange(Micro().Count(Read("docs/mechanical-sympathy.md")), 10, int.MaxValue);
    }

    // Of a benchmark over all paddings no value stands in its source.
    private static bool IsPadding(string name, string source) =>
        source.Contains(nameof(CellPadding), StringComparison.Ordinal) && Enum.TryParse<CellPadding>(name, out _);

    private static string[] Words(string command) =>
        [.. Word().Matches(command).Select(static match => match.Value.Trim('\''))];

    private static string Read(string guide) => Tree.Read(guide);

    // In code, or a line of a code block; with another program in front of it where that chooses the processors.
    [GeneratedRegex(@"(?:`|^ {4})(?:taskset -c [\d,]+ )?(raceway [^`\n]+)", RegexOptions.Multiline)]
    private static partial Regex Command();

    [GeneratedRegex(@"'[^']*'|\S+")]
    private static partial Regex Word();

    [GeneratedRegex("`(raceway/[a-z0-9/-]+)`")]
    private static partial Regex Contestant();

    [GeneratedRegex(@"\]\(\.\./bench/Micro/(\w+\.cs)\)([^|\n]*)")]
    private static partial Regex Micro();

    [GeneratedRegex(@"`([A-Z]\w+)`")]
    private static partial Regex Member();
}
