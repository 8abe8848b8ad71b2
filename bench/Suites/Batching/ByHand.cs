namespace Raceway.Suites.Batching;

/// <summary>A loop on one thread, in groups: no hand-over at all. What a batch of that size can give at the best.</summary>
/// <param name="name">The name in the rows.</param>
/// <param name="one">The case.</param>
/// <param name="arrival">How jobs come.</param>
/// <param name="size">Jobs of a group.</param>
internal sealed class ByHand(string name, BatchingCase one, Arrival arrival, int size) : BatchingContestant(name, one, arrival)
{
    private readonly Job[] _group = new Job[size];
    private readonly BatchingCase _one = one;

    /// <inheritdoc/>
    public override int BusyThreads => 1 + _one.Servants;

    /// <inheritdoc/>
    protected override void Drive(JobFeed feed, WorkStage stage)
    {
        feed.Start();
        while (feed.Next(out _group[0]))
        {
            int count = 1;
            while (count < size && feed.TryNext(out _group[count])) count++;
            stage.Do(_group.AsSpan(0, count));
        }
    }
}
