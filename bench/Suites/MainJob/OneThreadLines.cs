namespace Raceway.Suites.MainJob;

/// <summary>No hand-over at all: the producer calls the stages itself, line by line. What the stages alone cost.</summary>
/// <typeparam name="TItem">The item.</typeparam>
public sealed class OneThreadLines<TItem> : LineContestant
    where TItem : struct, ILineItem<TItem>
{
    /// <inheritdoc/>
    public override string Name => "one-thread";

    /// <inheritdoc/>
    public override int BusyThreads => 1;

    /// <inheritdoc/>
    protected override double Drive(LineFeed feed, LineTotals totals)
    {
        TItem item = default;
        feed.Start();
        for (ReadOnlyMemory<Line> run; !(run = feed.Next(256, out long intended)).IsEmpty;)
        {
            foreach (ref readonly Line line in run.Span)
            {
                TItem.LineOf(ref item) = line;
                TItem.LineOf(ref item).Intended = intended;
                intended = 0;
                LineStages.Parse(ref item);
                if (TItem.Hashed)
                {
                    LineStages.Hash(ref item);
                }

                totals.Add(ref item);
            }
        }

        return 1;
    }
}
