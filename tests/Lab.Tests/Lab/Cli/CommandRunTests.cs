using Raceway.Lab.Cli;

namespace Raceway.Lab.Tests.Lab.Cli;

/// <summary>A command ends at its bound, or soon after an interrupt, although its work does not.</summary>
public sealed class CommandRunTests : IDisposable
{
    private static readonly TimeSpan s_bound = TimeSpan.FromSeconds(45);
    private readonly FakeClock _clock = new();
    private readonly ManualResetEventSlim _never = new();
    private readonly CancellationTokenSource _interrupt = new();

    // What is left behind in a test is let go at its end.
    public void Dispose() => _never.Set();

    [Fact]
    public void Execute_WorkEnds_ReturnsItsExitCodeAndItsError()
    {
        var run = new CommandRun(_clock, default);

        Assert.Equal(7, run.Execute(static () => 7));
        Assert.Throws<FormatException>(() => new CommandRun(_clock, default).Execute(static () => throw new FormatException()));
    }

    [Fact]
    public void Execute_WorkDoesNotEnd_ReportsInItsPlaceAtTheBound()
    {
        var run = new CommandRun(_clock, default);
        (string? Why, TimeSpan At) ending = default;

        int code = run.Execute(() =>
        {
            run.Bound(s_bound);
            run.IfStuck(why => ending = (why, _clock.GetElapsedTime(0)));
            return Hang();
        });

        Assert.Equal((ExitCode.Failed, ("a run did not return", s_bound)), (code, ending));
    }

    [Fact]
    public void Execute_NothingToReport_SaysSo()
    {
        var run = new CommandRun(_clock, default);

        ToolException error = Assert.Throws<ToolException>(() => run.Execute(() =>
        {
            run.Bound(s_bound);
            return Hang();
        }));

        Assert.Equal(ExitCode.Failed, error.ExitCode);
        Assert.Contains("did not end within 45s", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Execute_TheReportItselfBlocks_EndsAllTheSame()
    {
        var run = new CommandRun(_clock, default);

        Assert.Equal(ExitCode.Failed, run.Execute(() =>
        {
            run.Bound(s_bound);
            run.IfStuck(_ => _never.Wait());
            return Hang();
        }));
    }

    [Fact]
    public void Execute_TheBoundPassesWhileTheWorkReports_WaitsForTheReport()
    {
        var run = new CommandRun(_clock, default);

        int code = run.Execute(() =>
        {
            run.Bound(s_bound);
            run.BeginReport();
            _clock.Advance(2 * s_bound);
            return 3;
        });

        Assert.Equal(3, code);
    }

    [Fact]
    public void BeginReport_SomethingReportsInItsPlace_Throws()
    {
        var run = new CommandRun(_clock, default);
        using var tried = new ManualResetEventSlim();
        using var reports = new ManualResetEventSlim();
        Exception? late = null;

        run.Execute(() =>
        {
            run.Bound(s_bound);
            run.IfStuck(_ =>
            {
                reports.Set();
                tried.Wait();
            });
            _clock.AdvanceToTimer();
            reports.Wait();
            try
            {
                run.BeginReport();
            }
            catch (OperationCanceledException error)
            {
                late = error;
            }

            tried.Set();
            return 0;
        });

        Assert.True(tried.Wait(TimeSpan.FromMinutes(1)));
        Assert.NotNull(late);
    }

    [Fact]
    public void Execute_InterruptedAndTheWorkDoesNotListen_EndsAfterTheGrace()
    {
        var run = new CommandRun(_clock, _interrupt.Token);

        Assert.ThrowsAny<OperationCanceledException>(() => run.Execute(() =>
        {
            _interrupt.Cancel();
            return Hang();
        }));

        Assert.Equal(CommandRun.InterruptGrace, _clock.GetElapsedTime(0));
    }

    // Until the watching thread has had enough.
    private int Hang()
    {
        _clock.AdvanceToTimer();
        _never.Wait();
        return 0;
    }
}
