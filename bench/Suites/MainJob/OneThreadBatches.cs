namespace Raceway.Suites.MainJob;

/// <summary>No hand-over at all: the producer calls the stages itself, for 256 lines at a time. What the stages alone cost in batches.</summary>
/// <typeparam name="TItem">The item.</typeparam>
public sealed class OneThreadBatches<TItem> : LineContestant
    where TItem : struct, ILineItem<TItem>
{
    private const int BatchSize = 256;

    /// <inheritdoc/>
    public override string Name => "one-thread-batched";

    /// <inheritdoc/>
    public override int BusyThreads => 1;

    /// <inheritdoc/>
    protected override double Drive(LineFeed feed, LineTotals totals) => Take(feed, totals, place: 0);

    /// <summary>Takes lines through the stages on the calling thread.</summary>
    /// <param name="feed">The lines.</param>
    /// <param name="totals">Where they end.</param>
    /// <param name="place">Where the thread is to run at first.</param>
    /// <returns>Mean lines per call of a stage.</returns>
    internal static double Take(LineFeed feed, LineTotals totals, int place)
    {
        var items = new TItem[BatchSize];
        long batches = 0;
        feed.Start(place);
        for (ReadOnlyMemory<Line> run; !(run = feed.Next(BatchSize, out long intended)).IsEmpty; batches++)
        {
            Span<TItem> batch = items.AsSpan(0, run.Length);
            for (int i = 0; i < batch.Length; i++)
            {
                TItem.LineOf(ref batch[i]) = run.Span[i];
                TItem.LineOf(ref batch[i]).Intended = intended;
                intended = 0;
            }

            LineStages.Parse(batch);
            if (TItem.Hashed) LineStages.Hash(batch);
            totals.Add(batch);
        }

        return (double)totals.Lines / Math.Max(1, batches);
    }
}
