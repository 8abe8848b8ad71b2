using Raceway.Lab.Cli;
using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Suites.MainJob;

/// <summary>The main job ends, prints and writes what it has, although a contestant of it never returns.</summary>
public sealed class RunBoundTests : IDisposable
{
    private static readonly InterleaverOptions s_short = new()
    {
        Rounds = 1, RoundTime = TimeSpan.FromMilliseconds(1), WarmUpRuns = 1, WarmUpLimit = TimeSpan.FromMilliseconds(1),
        TieringPause = TimeSpan.Zero, ProbeLine = false,
    };

    private readonly TempFolder _folder = new();
    private readonly ManualResetEvent _release = new(false);

    public void Dispose()
    {
        _release.Set();
        _folder.Dispose();
    }

    [Fact]
    public void Run_AContestantNeverReturns_IsMarkedAndTheOthersAreMeasured()
    {
        string json = _folder.File("run.json"), html = _folder.File("run.html");
        ToolSettings settings = Settings(TimeSpan.FromMinutes(5), (hashed, capacity) =>
            [new NeverReturns(_release), .. LineContestants.All(hashed, capacity).Where(static one => one.Name == "one-thread")]);

        CommandLine run = Run(settings, "--json", json, "--html", html);

        Assert.Equal(1, run.ExitCode);
        ResultRow[] rows = [.. ResultFile.Load(json).Rows];
        Assert.Contains("did not return", rows.Single(static row => row.Contestant == "never").Note, StringComparison.Ordinal);
        Assert.True(rows.Single(static row => row is { Contestant: "one-thread", Metric: "throughput" }).Median > 0);
        Assert.Matches("never .*did not return", run.Out);
        Assert.Contains("did not return", File.ReadAllText(html), StringComparison.Ordinal);
    }

    [Fact]
    public void Run_WhatIsAroundTheContestantsNeverReturns_WritesTheResultAndEnds()
    {
        string json = _folder.File("run.json"), html = _folder.File("run.html");
        ToolSettings settings = Settings(TimeSpan.FromSeconds(10), (_, _) =>
        {
            _release.WaitOne();
            return [];
        });

        CommandLine run = Run(settings, "--json", json, "--html", html);

        Assert.Equal(1, run.ExitCode);
        Assert.Contains("Nothing was measured", run.Out, StringComparison.Ordinal);
        Assert.Contains(ResultFile.Load(json).Rows, static row => row is { Metric: "lines", Median: 2 });
        Assert.True(File.Exists(html));
    }

    private CommandLine Run(ToolSettings settings, params string[] args) => CommandLine.Run(
        ["run", "--input", _folder.Write("in/file", "a\nb\n"), .. args], new StringWriter(), default, settings);

    private static ToolSettings Settings(TimeSpan bound, Func<bool, int, IReadOnlyList<LineContestant>> contestants)
    {
        InterleaverOptions measuring = s_short with { RunLimit = TimeSpan.FromSeconds(5) };
        return new ToolSettings { Contestants = contestants, MainJob = new MainJobOptions(measuring, measuring) { Bound = bound } };
    }

    private sealed class NeverReturns(WaitHandle release) : LineContestant
    {
        public override string Name => "never";

        public override int BusyThreads => 1;

        protected override double Drive(LineFeed feed, LineTotals totals)
        {
            release.WaitOne();
            return 0;
        }
    }
}
