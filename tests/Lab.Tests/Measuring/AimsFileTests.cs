using System.Text.Json;
using Raceway.Lab.Cli;
using Raceway.Lab.Reporting;
using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>The project's own aims, and files that are none.</summary>
public sealed class AimsFileTests : IDisposable
{
    private static readonly string s_own = Path.Combine(Tree.Root, "bench", "aims.json");
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Own_EachAim_IsOfCasesAndContestantsThatAreThere()
    {
        AimsFile own = AimsFile.Load(s_own);
        Assert.NotEmpty(own.Suites);
        foreach (string suite in own.Suites)
        {
            Dictionary<string, (MetricKind Metric, string[] Names)> cases = CasesOf(suite);
            foreach (Aim aim in AimsInput.Read(s_own, suite))
            {
                string[][] about =
                    aim.Case is { } name ? [cases[name].Names] : [.. cases.Values.Where(static one => one.Metric == MetricKind.Throughput).Select(static one => one.Names)];
                Assert.All(about, names => Assert.Contains(names, one => Aim.IsMeant(one, [aim.Ours])));
                string[][] theirs = aim.PeerCase is { } other ? [cases[other].Names] : about;
                Assert.All(theirs, names => Assert.All(aim.Peers, peer => Assert.Contains(names, one => Aim.IsMeant(one, [peer]))));
            }
        }
    }

    // The main job is no suite: each of its cases has all of its contestants.
    private static Dictionary<string, (MetricKind Metric, string[] Names)> CasesOf(string suite) =>
        SuiteList.All.TryGetValue(suite, out Suite? known)
            ? known.Cases.ToDictionary(static one => one.Name, static one => (one.Metric, (string[])[.. one.Create().Select(static contestant => contestant.Name)]))
            : MainJobRunner.Cases.ToDictionary(
                static name => name,
                name => (name == MainJobRunner.CaseName ? MetricKind.Throughput : MetricKind.Latency,
                    (string[])[.. LineContestants.All(suite == MainJobRows.SuiteOf(hashed: true)).Select(static one => one.Name)]));

    [Fact]
    public void Own_NotesOfAllAims_AreReadBackAsWritten()
    {
        AimsFile own = AimsFile.Load(s_own);
        foreach (Aim aim in own.Suites.SelectMany(own.Of))
        {
            var open = new AimResult(aim, aim.Case ?? "any", LineClass.Near) { Reason = "a (b): c; d" };
            foreach (AimResult result in new[] { open, open with { Reason = null, Line = null, Figure = default(MedianInterval) } })
            {
                AimNote? note = AimNote.Parse(result.ToRow().Note);

                Assert.Equal(
                    (aim.Number, result.Line is null ? null : "near", aim.BoundText, result.Verdict, result.Reason),
                    (note?.Number, note?.Line, note?.Bound, note?.Verdict, note?.Reason));
                Assert.StartsWith(aim.Text, note!.Text, StringComparison.Ordinal);
            }
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("{ \"ring\": [null] }")]
    [InlineData("{ \"ring\": null }")]
    [InlineData("{ \"ring\": [{ \"number\": \"1\", \"text\": \"x\", \"ours\": \"raceway/default\" }] }")]
    [InlineData("{ \"ring\": [{ \"number\": null, \"text\": \"x\", \"ours\": \"raceway/default\", \"bound\": 1 }] }")]
    [InlineData("{ \"ring\": [{ \"number\": \"1\", \"text\": \"x\", \"ours\": \"raceway/default\", \"bound\": 1, \"bounds\": 2 }] }")]
    [InlineData("{ \"ring\": [{ \"number\": \"1\", \"text\": \"x\", \"ours\": \"raceway/default\", \"peers\": [null], \"bound\": 1 }] }")]
    public void Load_NoSuchFile_IsRefusedAsJson(string text)
    {
        string file = _folder.File("aims.json");
        File.WriteAllText(file, text);

        Assert.Throws<JsonException>(() => AimsFile.Load(file));
    }

    [Theory]
    [InlineData("rings", "1p-1c", "a suite 'rings'")]
    [InlineData("plans", "fan", "no aims for suite 'ring'")]
    [InlineData("ring", "1p-2c-3d", "a case '1p-2c-3d'")]
    public void Read_AimsOfWhatIsNotThere_ExitWith2AndSayWhich(string suite, string name, string named)
    {
        string file = _folder.File("aims.json");
        File.WriteAllText(file, $$"""{ "{{suite}}": [{ "number": "1", "text": "x", "case": "{{name}}", "ours": "raceway/default", "bound": 1 }] }""");

        CommandLine compare = CommandLine.Run("compare", "--suite", "ring", "--check", file);

        Assert.Equal(2, compare.ExitCode);
        Assert.Contains(named, compare.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_FileThatIsMissing_ExitsWith2AndSaysSo()
    {
        CommandLine compare = CommandLine.Run("compare", "--suite", "ring", "--check", _folder.File("none.json"));

        Assert.Equal(2, compare.ExitCode);
        Assert.Contains("none.json", compare.Error, StringComparison.Ordinal);
    }
}
