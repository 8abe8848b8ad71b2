using System.Globalization;
using Raceway.Lab.Cli;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Cli;

/// <summary><c>raceway watch</c> from end to end: of this process, and of children that run the main job at a rate.</summary>
public sealed class WatchCommandTests : IDisposable
{
    private static readonly string[] s_mainJob = ["watch", "--run", "--rate", "20000", "--interval", "1s"];

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Watch_AnotherProcess_ShowsItsStagesAndWritesTheirTimelines()
    {
        string json = _folder.File("seen.json");
        using ChildProcess child = ChildProcess.Start(s_mainJob);

        CommandLine watch = CommandLine.Run("watch", "--pid", Text(child.Id), "--interval", "1s", "--once", "--json", json);

        Assert.True(watch.ExitCode == 0, watch.Error);
        AssertShowsTheMainJob(watch);
        ResultFile result = ResultFile.Load(json);
        Assert.Equal("watch", result.Suite);
        Assert.Equal(["parse", "hash", "totals"], result.Timelines!.Select(static one => one.Stage));
        Assert.All(result.Timelines!, static one => Assert.True(one.Samples.Sum(static sample => sample.Items) > 0));
        Assert.All(result.Timelines!, static one => Assert.Equal("main-job", one.Case));
        Assert.Contains(result.Rows, static row => row is { Case: "main-job/hash", Metric: "throughput", Median: > 0 });
        Assert.All(result.Rows, static row => Assert.False(row.Verified));
    }

    [Fact]
    public void Watch_TheTargetEnds_SaysSoAndKeepsWhatWasSeen()
    {
        using ChildProcess child = ChildProcess.Start(s_mainJob);
        using var output = new OnLine(child.Kill);
        using var error = new StringWriter();

        int code = RacewayTool.Invoke(["watch", "--pid", Text(child.Id), "--interval", "200ms"], new ToolConsole(output, error));

        Assert.True(code == 0, error.ToString());
        Assert.Contains($"Process {child.Id} has ended.", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("main-job, over ", output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Watch_Interrupted_ExitsWith130AndKeepsWhatWasSeen()
    {
        string json = _folder.File("seen.json");
        using var stop = new CancellationTokenSource();
        using var output = new OnLine(stop.Cancel);
        using var error = new StringWriter();

        int code = RacewayTool.Invoke(
            ["watch", "--run", "--rate", "20000", "--interval", "100ms", "--json", json], new ToolConsole(output, error), cancellation: stop.Token);

        Assert.Equal(130, code);
        Assert.Contains("Interrupted", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("main-job, over ", output.ToString(), StringComparison.Ordinal);
        Assert.Equal(3, ResultFile.Load(json).Timelines!.Count);
    }

    [Fact]
    public void Watch_Run_ForATime_WritesLinesWithoutEscapeCodes()
    {
        CommandLine watch = CommandLine.Run("watch", "--run", "--rate", "20000", "--for", "500ms", "--interval", "100ms");

        Assert.True(watch.ExitCode == 0, watch.Error);
        Assert.DoesNotContain('\u001b', watch.Out + watch.Error);
        AssertShowsTheMainJob(watch);
        Assert.Contains("plan Pooled: no stage asks for a thread of its own", watch.Out, StringComparison.Ordinal);
        Assert.Matches(@"(?m)^ +\d+\.\d s  main-job  hash +[\d.,]+/s  batch +[\d.,]+  lag +[\d,]+  working +\d+ %  starved +\d+ %  blocked +\d+ %  waking +\d+ %$", watch.Out);
    }

    [Fact]
    public void Watch_AProcessWithoutPipelines_ExitsWith2AndSaysWhatToDo()
    {
        using ChildProcess watched = ChildProcess.Start(s_mainJob);
        using ChildProcess child = ChildProcess.Start("watch", "--pid", Text(watched.Id));

        CommandLine watch = CommandLine.Run("watch", "--pid", Text(child.Id), "--interval", "100ms");

        Assert.Equal(2, watch.ExitCode);
        Assert.Contains("publishes no meter 'Raceway.Pipelines'. Call pipeline.CreateMeter(name)", watch.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Watch_Alone_ListsWhatCanBeWatched()
    {
        using ChildProcess child = ChildProcess.Start(s_mainJob);

        CommandLine watch = CommandLine.Run("watch");

        Assert.Equal(0, watch.ExitCode);
        Assert.Matches($@"(?m)^ *{child.Id}  dotnet +{(OperatingSystem.IsLinux() ? "loaded" : "(loaded|not seen)")} +.*raceway", watch.Out);
        Assert.DoesNotMatch($@"(?m)^ *{Environment.ProcessId} ", watch.Out);
    }

    [Theory]
    [InlineData("--pid", "2147483647", "There is no process 2147483647.")]
    [InlineData("--name", "nobody-is-called-so", "No process 'nobody-is-called-so' can be watched.")]
    public void Watch_NoSuchProcess_ExitsWith2AndSaysSo(string option, string value, string sentence)
    {
        CommandLine watch = CommandLine.Run("watch", option, value);

        Assert.Equal(2, watch.ExitCode);
        Assert.Contains(sentence, watch.Error, StringComparison.Ordinal);
        Assert.Empty(watch.Out);
    }

    [Fact]
    public void Watch_ItsOwnProcess_PointsToRun() =>
        Assert.Contains("--run", CommandLine.Run("watch", "--pid", Text(Environment.ProcessId)).Error, StringComparison.Ordinal);

    [Fact]
    public void Watch_AProcessThatIsNotDotnet_ExitsWith2AndSaysWhy()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "not run: only on Linux process 1 is surely no .NET program");

        CommandLine watch = CommandLine.Run("watch", "--pid", "1");

        Assert.Equal(2, watch.ExitCode);
        Assert.Matches("Process 1 cannot be watched: it (is no .NET process|belongs to another user)", watch.Error);
    }

    [OtherUserFact]
    public void Watch_AProcessOfAnotherUser_IsRefusedAndNotListed()
    {
        string own = Text(Environment.ProcessId);

        CommandLine watch = ChildProcess.RunToEnd(OtherUserFactAttribute.By, "watch", "--pid", own);
        CommandLine list = ChildProcess.RunToEnd(OtherUserFactAttribute.By, "watch");

        Assert.Equal(2, watch.ExitCode);
        Assert.Equal(
            $"raceway: Process {own} cannot be watched: it belongs to another user, and only that user may watch it. "
            + "Run 'raceway watch' for those that can.",
            watch.Error.TrimEnd());
        Assert.True(list.ExitCode == 0, list.Error);
        Assert.DoesNotMatch($@"(?m)^ *{own} ", list.Out);
    }

    [Theory]
    [InlineData("--pid takes the number of a process", "--pid", "abc")]
    [InlineData("--pid takes the number of a process", "--pid", "0")]
    [InlineData("exclude each other", "--pid", "1", "--run")]
    [InlineData("--for takes a time from 100ms to 24h", "--run", "--for", "soon")]
    [InlineData("--interval takes a time from 100ms to 1m", "--run", "--interval", "1ms")]
    [InlineData("--once needs something to watch", "--once")]
    [InlineData("--rate belongs to --run", "--pid", "1", "--rate", "5")]
    [InlineData("--rate takes lines a second", "--run", "--rate", "0")]
    [InlineData("--rate takes lines a second", "--run", "--rate", "NaN")]
    [InlineData("--for takes a time from 100ms to 24h", "--run", "--for=-Infinity")]
    public void Watch_WrongUsage_ExitsWith2AndSaysWhatIsRight(string sentence, params string[] args)
    {
        CommandLine watch = CommandLine.Run(["watch", .. args]);

        Assert.Equal(2, watch.ExitCode);
        Assert.Contains(sentence, watch.Error, StringComparison.Ordinal);
        Assert.Empty(watch.Out);
    }

    [Theory]
    [InlineData("250ms", 0.25)]
    [InlineData("10s", 10.0)]
    [InlineData("1.5", 1.5)]
    [InlineData("2m", 120.0)]
    [InlineData("1h", 3600.0)]
    [InlineData("-1s", null)]
    [InlineData("-Infinity", null)]
    [InlineData("NaN", null)]
    [InlineData("s", null)]
    [InlineData("", null)]
    [InlineData("1e9h", null)]
    [InlineData("99999999h", null)]
    public void TimeText_OfACommandLine_IsReadInItsUnit(string text, double? seconds)
    {
        Assert.Equal(seconds is not null, TimeText.TryParse(text, out TimeSpan time));
        Assert.Equal(seconds ?? 0, time.TotalSeconds);
    }

    private static void AssertShowsTheMainJob(CommandLine watch) => Assert.All(
        ["main-job, over ", "parse", "hash", "totals", "ring 0: [", "of 16,384 slots", "\n- "],
        part => Assert.Contains(part, watch.Out, StringComparison.Ordinal));

    private static string Text(int id) => id.ToString(CultureInfo.InvariantCulture);

    /// <summary>Does something when the first line is written, as a user would who reads along.</summary>
    private sealed class OnLine(Action act) : StringWriter
    {
        private bool _isDone;

        public override void WriteLine(string? value)
        {
            base.WriteLine(value);
            if (_isDone) return;
            _isDone = true;
            act();
        }
    }
}
