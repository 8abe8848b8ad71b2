using Raceway.Analysis.Tuning;
using Raceway.Lab.Cli;
using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Support;

/// <summary>Runs the tool inside the test and keeps what it writes.</summary>
internal sealed record CommandLine(int ExitCode, string Out, string Error)
{
    // One round of next to no time: what is measured is not looked at.
    private static readonly InterleaverOptions s_instant = new()
    {
        Rounds = 1,
        RoundTime = TimeSpan.FromMilliseconds(1),
        WarmUpRuns = 1,
        WarmUpLimit = TimeSpan.FromMilliseconds(1),
        TieringPause = TimeSpan.Zero,
        ProbeLine = false,
        RunLimit = TimeSpan.FromMinutes(10), // a busy machine drops no contestant
    };

    // Contestants that spin on more threads than cores take their time; each has its own tests elsewhere.
    private static readonly string[] s_contestants = ["raceway/default", "one-thread", "channel", "channel-batched"];

    private static readonly ToolSettings s_settings = new()
    {
        Contestants = static (hashed, capacity) =>
            [.. LineContestants.All(hashed, capacity).Where(static one => s_contestants.Contains(one.Name))],
        MainJob = new MainJobOptions(s_instant, s_instant),
        QuickMainJob = new MainJobOptions(s_instant, s_instant),
        Compare = s_instant,
        QuickCompare = s_instant,
        Sharing = s_instant,
        QuickSharing = s_instant,
        Tune = new TuneOptions
        {
            Goal = TuneGoal.Parse(TuneGoal.Throughput),
            Budget = TimeSpan.Zero,
            Limit = TimeSpan.FromMinutes(10),
            Drawn = 0,
            Rounds = 1,
            ShortestRound = TimeSpan.FromMilliseconds(1),
            ShortestPacedRound = TimeSpan.FromMilliseconds(1),
            RunLimit = TimeSpan.FromMinutes(1),
            LowLoadItems = 5,
            TieringPause = TimeSpan.Zero,
        },
    };

    public static CommandLine Run(params IReadOnlyList<string> args) => Run(args, new StringWriter(), default);

    /// <summary>Runs it with other types as Raceway's own.</summary>
    public static CommandLine RunOwn(IReadOnlyList<Type> ownTypes, params IReadOnlyList<string> args) =>
        Run(args, new StringWriter(), default, s_settings with { OwnTypes = ownTypes });

    /// <summary>Runs it with other options of <c>tune</c>.</summary>
    public static CommandLine RunTune(Func<TuneOptions, TuneOptions> change, params IReadOnlyList<string> args) =>
        Run(args, new StringWriter(), default, s_settings with { Tune = change(s_settings.Tune) });

    public static CommandLine Run(
        IReadOnlyList<string> args, StringWriter error, CancellationToken cancellation, ToolSettings? settings = null)
    {
        using var output = new StringWriter();
        int code = RacewayTool.Invoke(args, new ToolConsole(output, error), settings ?? s_settings, cancellation);
        return new CommandLine(code, output.ToString(), error.ToString());
    }
}
