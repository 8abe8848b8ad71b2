using Raceway.Analysis.Tuning;
using Raceway.Lab.Cli;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Cli;

public sealed class TuneCommandTests : IDisposable
{
    private static readonly string s_own = typeof(TuneCommandTests).Assembly.Location;
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Tune_AUsersAssembly_ChoosesAndWritesWhatCanBeChecked()
    {
        string json = _folder.File("tuned.json");

        CommandLine tune = CommandLine.Run("tune", "--assembly", s_own, "--type", nameof(SumTrial), "--json", json);

        Assert.Equal((0, true), (tune.ExitCode, tune.Out.Contains("Use these settings", StringComparison.Ordinal)));
        ResultFile result = ResultFile.Load(json);
        Assert.Equal("tune", result.Suite);
        Assert.Contains(result.Rows, static row => row.Knobs?.ContainsKey("batch") == true && row.Knobs.ContainsKey("wait"));
        Assert.Contains(result.Rows, static row => row.Case.StartsWith("low load", StringComparison.Ordinal) && row.Median > 0);
        Assert.Contains(result.Rows, static row => row.Contestant == Knobs.Channel);
        Assert.Equal(["latency-against-load", "percentiles"], result.Curves!.Select(static curve => curve.Kind).Distinct().Order());
        Assert.Equal(["double", "sum"], result.Timelines!.Select(static one => one.Stage).Distinct());

        CommandLine check = CommandLine.Run("tune", "--assembly", s_own, "--type", nameof(SumTrial), "--check", json);

        // Whether a choice holds after a search of no time is luck; that it is said is not.
        Assert.True(check.ExitCode is 0 or 1, $"exit code {check.ExitCode}: {check.Error}");
        Assert.Contains("Choice over the best of the grid", check.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Tune_AChoiceKillsOrHangsItsProcess_IsReportedAndTheRestGoesOn()
    {
        CommandLine tune = CommandLine.RunTune(
            // What hangs takes as long each time.
            static tune => tune with { RunLimit = TimeSpan.FromSeconds(3) }, "tune", "--assembly", s_own, "--type", nameof(DyingTrial));

        Assert.Equal(0, tune.ExitCode);
        Assert.Contains("of the settings failed", tune.Out, StringComparison.Ordinal);
        Assert.Contains("its process ended with exit code", tune.Out, StringComparison.Ordinal);
        Assert.Contains("a run took more than", tune.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Tune_AnAssemblyThatReadsAndWrites_FindsNothingToReadAndIsTuned()
    {
        CommandLine tune = CommandLine.Run("tune", "--assembly", s_own, "--type", nameof(StandardInputTrial));

        Assert.True(tune.ExitCode == 0, tune.Error);
        Assert.Contains("Use these settings", tune.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("of the settings failed", tune.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Tune_AnAssemblyThatNeverReturns_EndsByItsBudgetWithExitCode1()
    {
        CommandLine tune = CommandLine.RunTune(
            static tune => tune with { Limit = null }, "tune", "--assembly", s_own, "--type", nameof(EndlessTrial), "--budget", "20s");

        Assert.Equal(1, tune.ExitCode);
        Assert.Contains("did not end within the budget of 20s", tune.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(nameof(WrongTrial), "Check found the result of its first run wrong")]
    [InlineData(nameof(ThrowingTrial), "item 0 is bad")]
    [InlineData(nameof(DemandingTrial), "constructor without parameters")]
    [InlineData("Nobody", "has no trial 'Nobody'")]
    [InlineData(null, "Say which by --type")]
    public void Tune_ATrialThatCannotBeTuned_GetsASentence(string? type, string expected)
    {
        CommandLine tune = CommandLine.Run(["tune", "--assembly", s_own, .. type is null ? [] : (string[])["--type", type]]);

        Assert.Equal(2, tune.ExitCode);
        Assert.Contains(expected, tune.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", tune.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--budget", "1s")]
    [InlineData("--budget", "soon")]
    [InlineData("--goal", "speed")]
    [InlineData("--rate", "1")]
    [InlineData("--arrivals", "burst:x")]
    [InlineData("--scenario", "nothing")]
    [InlineData("--now", "wait=for-ever")]
    [InlineData("--now", "luck=good")]
    [InlineData("--type", "T")]
    [InlineData("--assembly", "/nowhere.dll")]
    public void Tune_BadInput_GetsASentenceAndExitCode2(string option, string value)
    {
        CommandLine tune = CommandLine.Run("tune", option, value);

        Assert.Equal(2, tune.ExitCode);
        Assert.StartsWith("raceway: ", tune.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", tune.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Tune_AFileThatIsNoAssembly_GetsASentence() =>
        Assert.Contains("cannot be loaded", CommandLine.Run("tune", "--assembly", _folder.Write("x.dll", "text")).Error, StringComparison.Ordinal);

    [Fact]
    public void Check_AFileOfSomethingElse_GetsASentence()
    {
        string doctor = _folder.File("doctor.json");
        CommandLine.Run("doctor", "--json", doctor);

        CommandLine check = CommandLine.Run("tune", "--check", doctor);

        Assert.Equal(2, check.ExitCode);
        Assert.Contains("has no choice in it", check.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Tune_AReplayThatIsTooSlow_GetsASentence()
    {
        CommandLine tune = CommandLine.Run("tune", "--arrivals", $"replay:{_folder.Write("times", "0\n1\n")}");

        Assert.Equal(2, tune.ExitCode);
        Assert.Contains("Give --rate as well", tune.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Check_OfOtherArrivals_IsRefused()
    {
        string[] files = [.. new[] { "constant", "poisson" }.Select(arrivals => _folder.Write($"{arrivals}.json", Tuned(arrivals, Knobs.AsDefined).ToJson()))];

        CommandLine check = CommandLine.Run(["tune", "--check", .. files]);

        Assert.Equal(2, check.ExitCode);
        Assert.Contains("for throughput, poisson", check.Error, StringComparison.Ordinal);
        Assert.Contains("Check them apart", check.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("0")]
    [InlineData("NaN")]
    [InlineData("1e-300")]
    [InlineData("many")]
    public void Check_ARateThatIsNone_IsRefused(string rate)
    {
        ResultFile tuned = Tuned("constant", Knobs.AsDefined);
        string file = _folder.Write(
            "tuned.json", (tuned with { Options = new Dictionary<string, string>(tuned.Options) { [TunedChoice.RateOption] = rate } }).ToJson());

        CommandLine check = CommandLine.Run("tune", "--check", file);

        Assert.Equal(2, check.ExitCode);
        Assert.Contains($"has '{rate}'. Tune again.", check.Error, StringComparison.Ordinal);
        Assert.Contains("from 100 to 100000000", check.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Check_AChoiceWithoutItsKnobs_IsRefused()
    {
        ResultFile tuned = Tuned("constant", "raceway/fused");

        Assert.Contains("Tune again", Assert.Throws<ToolException>(() => TunedChoice.Of("tuned.json", tuned)).Message, StringComparison.Ordinal);
        Assert.Empty(TunedChoice.Of("tuned.json", Tuned("constant", Knobs.AsDefined)).Knobs);
    }

    private static ResultFile Tuned(string arrivals, string chosen) =>
        SampleResults.File(SampleResults.Row("finals", chosen, "latency-p99", 1)) with
        {
            Suite = "tune",
            Options = new Dictionary<string, string>
            {
                [TunedChoice.TargetOption] = TuneScenarios.All["main-job"].Create().Name, [TunedChoice.GoalOption] = "throughput",
                [TunedChoice.ArrivalsOption] = arrivals, [TunedChoice.ChosenOption] = chosen,
            },
        };

    [Fact]
    public void Help_HasExamples_AndHidesTheCommandForTrials()
    {
        Assert.Contains("raceway tune --check", CommandLine.Run("tune", "--help").Out, StringComparison.Ordinal);
        Assert.DoesNotContain("tune-host", CommandLine.Run("--help").Out, StringComparison.Ordinal);
    }
}
