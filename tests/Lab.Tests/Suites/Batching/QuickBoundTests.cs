using Raceway.Lab.Cli;
using Raceway.Lab.Tests.Measuring;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Suites.Batching;

/// <summary>A quick run of the batching suite ends within its bound, however slow the disk and the network of the machine are.</summary>
public sealed class QuickBoundTests
{
    private const string Suite = "batching";
    private static readonly TimeSpan s_bound = TimeSpan.FromSeconds(45);

    private readonly FakeClock _clock = new();

    [Fact]
    public void Bound_QuickRunOfTheSuite_Is45Seconds()
    {
        InterleaverOptions options = new ToolSettings().QuickCompare;

        Assert.Equal(s_bound, SuiteList.Bound(SuiteList.All[Suite], [], quick: true, options));
        // Cases that are named may be all of them, and have their own time.
        Assert.True(SuiteList.Bound(SuiteList.All[Suite], ["*"], quick: true, options) > s_bound);
    }

    /// <summary>What a job takes: a line's hash, a sync, a sync of a slow disk, and a run that takes long whatever it does.</summary>
    public static TheoryData<string> Machines => [.. s_machines.Keys];

    private static readonly Dictionary<string, Func<int, long, TimeSpan>> s_machines = new()
    {
        ["usual"] = static (_, jobs) => jobs * TimeSpan.FromMicroseconds(1),
        ["a sync per job"] = static (_, jobs) => jobs * TimeSpan.FromMicroseconds(120),
        ["a slow sync per job"] = static (_, jobs) => jobs * TimeSpan.FromMilliseconds(20),
        ["long runs"] = static (_, _) => TimeSpan.FromSeconds(3),
    };

    [Theory]
    [MemberData(nameof(Machines))]
    public void Run_QuickOnAMachine_EndsWithinTheBound(string machine)
    {
        CaseResult[] results = Run(machine);

        Assert.True(_clock.GetElapsedTime(0) < s_bound, $"{_clock.GetElapsedTime(0)}");
        Assert.All(results.SelectMany(static one => one.Contestants), static one =>
            Assert.True(one.Rounds.Count == 3 || one.Note is not null || one.Failure is not null, one.Contestant.Name));
    }

    [Fact]
    public void Run_QuickOnTheUsualMachine_MeasuresAllRounds() =>
        Assert.All(Run("usual").SelectMany(static one => one.Contestants), static one => Assert.Equal(3, one.Rounds.Count));

    // The cases of the suite, with contestants that take their time on the clock alone.
    private CaseResult[] Run(string machine)
    {
        InterleaverOptions options = new ToolSettings().QuickCompare with { TieringPause = TimeSpan.Zero, ProbeLine = false };
        SuiteCase[] cases =
        [
            .. SuiteList.Select(Suite, [], quick: true).Select(one => one with
            {
                Contestants =
                [
                    .. Enumerable.Range(0, one.Contestants.Count)
                        .Select(i => (Func<IContestant>)(() => new TimedContestant($"c{i}", _clock, s_machines[machine]))),
                ],
                Finding = static _ => null,
            }),
        ];
        TimeBudget budget = new CommandRun(_clock, default).Bound(SuiteList.Bound(SuiteList.All[Suite], [], quick: true, options));
        var measuring = new SuiteMeasuring(cases, _ => options, TimeSpan.Zero);
        return [.. measuring.Run(new ToolConsole(TextWriter.Null, TextWriter.Null), budget, CancellationToken.None).Results];
    }
}
