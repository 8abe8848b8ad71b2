using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary>The time of a search: what it may take, and what ends it, its time or the user.</summary>
internal sealed class Search
{
    // Not disposed: a run that is left behind may still look at them.
    private readonly CancellationTokenSource _timer = new();
    private readonly CancellationToken _interrupt;

    public Search(TimeBudget budget, CancellationToken interrupt)
    {
        (Budget, _interrupt) = (budget, interrupt);
        Ending = CancellationTokenSource.CreateLinkedTokenSource(_timer.Token, interrupt).Token;

        // A thread of its own: trials may keep the thread pool busy, where timers fire.
        var never = new ManualResetEvent(false);
        new Thread(() =>
        {
            budget.Wait(never);
            _timer.Cancel();
        }) { IsBackground = true, Name = "search time" }.Start();
    }

    /// <summary>What it may take.</summary>
    public TimeBudget Budget { get; }

    /// <summary>Ends it.</summary>
    public CancellationToken Ending { get; }

    /// <summary>Whether its time ended it.</summary>
    public bool IsOver => _timer.IsCancellationRequested && !_interrupt.IsCancellationRequested;

    /// <summary>What a reader must know of how it ended.</summary>
    public IEnumerable<ReportPart> Said =>
        _interrupt.IsCancellationRequested ? [new ReportText("Interrupted: this is what was known until then.")]
        : IsOver ? [new ReportText("The time was up: what is missing was not measured. A larger --budget measures it.")]
        : [];

    /// <summary>The same for a result file.</summary>
    public IEnumerable<(string Name, string Value)> Described => IsOver ? [("ended", Interleaver.TimeWasUp)] : [];
}
