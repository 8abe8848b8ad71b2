using Raceway.Measuring;

namespace Raceway.Suites.InteropSuite;

/// <summary>The program in one form: everything it needs is built anew each round, and torn down with it.</summary>
/// <param name="name">In the rows.</param>
/// <param name="threads">Threads that work at the same time.</param>
/// <param name="run">Runs so many orders through it, into the sum.</param>
internal sealed class InteropContestant(string name, int threads, Func<long, OrderSum, Task> run) : ScenarioContestant(name)
{
    private readonly OrderSum _sum = new();

    public override int BusyThreads => threads;

    protected override void Prepare(long operations) => _sum.Reset();

    protected override void Work(long operations, CancellationToken cancellation) =>
        run(operations, _sum).GetAwaiter().GetResult();

    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        return _sum.IsRight(operations);
    }
}
