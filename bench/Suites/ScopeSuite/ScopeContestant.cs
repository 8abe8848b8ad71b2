using Raceway.Measuring;

namespace Raceway.Suites.ScopeSuite;

/// <summary>One way to wait for all children, in one case. An operation is a child; a run has as many as the case.</summary>
internal sealed class ScopeContestant(string name, JoinMethod join, ScopeBodies bodies) : ScenarioContestant(name)
{
    private long _runs;

    protected override void Work(long operations, CancellationToken cancellation)
    {
        _runs = Math.Max(1, operations / bodies.Size);
        // On the pool, as a service would: what is forked there lies in the thread's own queue.
        Task.Run(Repeat, cancellation).GetAwaiter().GetResult();
    }

    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        return bodies.TakeRan(_runs);
    }

    private async Task Repeat()
    {
        for (long i = 0; i < _runs; i++) await join(bodies);
    }
}
