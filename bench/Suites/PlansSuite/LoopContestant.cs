namespace Raceway.Suites.PlansSuite;

/// <summary>The floor: one thread, one loop, the five stages item by item, no queue.</summary>
internal sealed class LoopContestant(int heavy) : PlanContestant("raw", heavy)
{
    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        for (long i = 0; i < operations; i++)
        {
            if ((i & 1023) == 0 && cancellation.IsCancellationRequested) return;
            RunOne(Stages, Sum, i, CorruptItem);
        }
    }
}
