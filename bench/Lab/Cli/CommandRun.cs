using System.Runtime.ExceptionServices;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary>One run of a command, on a thread of its own, so that it ends in time when its work does not.</summary>
/// <remarks>
/// The thread that called the command watches. If the work does not end within its <see cref="Bound"/>, or soon after an
/// interrupt, the watching thread reports what there is by <see cref="IfStuck"/> and leaves the work behind. Code that never
/// returns cannot be stopped inside a process; the process ends instead.
/// </remarks>
/// <param name="clock">What bounds are measured by; tests set their own.</param>
/// <param name="cancellation">The interrupt.</param>
internal sealed class CommandRun(TimeProvider clock, CancellationToken cancellation)
{
    /// <summary>What the work gets to end by itself after an interrupt.</summary>
    public static readonly TimeSpan InterruptGrace = TimeSpan.FromSeconds(3);

    // That of a program's first thread.
    private const int StackSize = 8 << 20;

    // A report is written to a file and a stream, and the stream may block.
    private static readonly TimeSpan s_lastWords = TimeSpan.FromSeconds(2);

    // Of a bound: for the start of the process, for a run that does not listen, and for the report.
    private const double ReservedShare = 0.15;
    private static readonly TimeSpan s_reserve = TimeSpan.FromSeconds(7);

    private readonly AutoResetEvent _changed = new(false);
    private TimeBudget? _bound;
    private Action<string>? _report;
    private int _reporting;
    private bool _ended;
    private int _exitCode;
    private ExceptionDispatchInfo? _error;

    /// <summary>The interrupt of the user.</summary>
    public CancellationToken Cancellation => cancellation;

    /// <summary>The clock of the bound.</summary>
    public TimeProvider Clock => clock;

    /// <summary>Bounds the run, from now on.</summary>
    /// <param name="bound">When the watching thread takes over.</param>
    /// <returns>What the work may use of it: the rest is for a run that does not listen, and for the report.</returns>
    public TimeBudget Bound(TimeSpan bound)
    {
        Volatile.Write(ref _bound, new TimeBudget(clock, bound));
        _changed.Set();
        TimeSpan reserve = bound * ReservedShare;
        return new TimeBudget(clock, bound - (reserve < s_reserve ? reserve : s_reserve));
    }

    /// <summary>Sets what reports in place of work that does not end.</summary>
    /// <param name="report">
    /// Told why rounds are missing. It runs on another thread while the work goes on.
    /// </param>
    public void IfStuck(Action<string> report) => Volatile.Write(ref _report, report);

    /// <summary>The work is done, and its report follows: nothing reports in its place from now on.</summary>
    /// <exception cref="OperationCanceledException">Something does so already.</exception>
    public void BeginReport()
    {
        if (!TryReport()) throw new OperationCanceledException("The run is over: its result is being reported.");
    }

    /// <summary>Runs the work and returns its exit code, or reports in its place.</summary>
    public int Execute(Func<int> work)
    {
        new Thread(() => Work(work), StackSize) { IsBackground = true, Name = "command" }.Start();
        using CancellationTokenRegistration onInterrupt = cancellation.Register(() => _changed.Set());
        TimeBudget? interrupt = null;
        while (!Volatile.Read(ref _ended))
        {
            if (cancellation.IsCancellationRequested) interrupt ??= new TimeBudget(clock, InterruptGrace);
            TimeBudget? bound = Volatile.Read(ref _reporting) == 0 ? Volatile.Read(ref _bound) : null;
            TimeBudget? first = interrupt is null || bound?.Left < interrupt.Left ? bound : interrupt;
            if (first is { IsOver: true })
            {
                bool interrupted = interrupt is { IsOver: true };
                bool mayReport = TryReport();
                if (interrupted || mayReport) return Leave(interrupted, mayReport ? Volatile.Read(ref _report) : null);
                continue;
            }

            if (first is not null) first.Wait(_changed);
            else _changed.WaitOne();
        }

        _error?.Throw();
        return _exitCode;
    }

    private bool TryReport() => Interlocked.CompareExchange(ref _reporting, 1, 0) == 0;

    private int Leave(bool interrupted, Action<string>? report)
    {
        int code = interrupted ? ExitCode.Interrupted : ExitCode.Failed;
        if (report is null)
        {
            return interrupted
                ? throw new OperationCanceledException(cancellation)
                : throw new ToolException(
                    $"the work did not end within {TimeText.Of(_bound!.Length)}, and nothing was measured until then.", code);
        }

        using var reported = new ManualResetEventSlim();
        var thread = new Thread(() =>
        {
            try
            {
                report(interrupted ? "interrupted" : "a run did not return");
            }
            catch (Exception)
            {
                // What could not be written is missing; the exit code says that something is.
            }

            reported.Set();
        }) { IsBackground = true, Name = "last words" };
        thread.Start();
        reported.Wait(s_lastWords);
        return code;
    }

    private void Work(Func<int> work)
    {
        try
        {
            _exitCode = work();
        }
        catch (Exception error)
        {
            _error = ExceptionDispatchInfo.Capture(error);
        }

        Volatile.Write(ref _ended, true);
        _changed.Set();
    }
}
