namespace Raceway.Suites.MainJob;

/// <summary>The usual .NET way: a bounded Channel between each two stages, one line at a time.</summary>
/// <typeparam name="TItem">The item.</typeparam>
/// <param name="capacity">Lines that each channel holds.</param>
public sealed class ChannelLines<TItem>(int capacity) : LineContestant
    where TItem : struct, ILineItem<TItem>
{
    /// <inheritdoc/>
    public override string Name => "channel";

    /// <inheritdoc/>
    public override int BusyThreads => TItem.Hashed ? 4 : 3;

    /// <summary>The stages behind channels.</summary>
    internal static ChannelChain<TItem> Chain(int capacity, LineTotals totals) => TItem.Hashed
        ? new ChannelChain<TItem>(capacity, LineStages.Parse, LineStages.Hash, totals.Add)
        : new ChannelChain<TItem>(capacity, LineStages.Parse, totals.Add);

    /// <inheritdoc/>
    protected override double Drive(LineFeed feed, LineTotals totals)
    {
        ChannelChain<TItem> chain = Chain(capacity, totals);
        Task.WaitAll(Task.Run(() => ProduceAsync(feed, chain)), chain.Completion);
        return 1;
    }

    private static async Task ProduceAsync(LineFeed feed, ChannelChain<TItem> chain)
    {
        feed.Start();
        for (ReadOnlyMemory<Line> run; !(run = feed.Next(256, out long intended)).IsEmpty;)
        {
            for (int i = 0; i < run.Length; i++)
            {
                TItem item = default;
                TItem.LineOf(ref item) = run.Span[i];
                TItem.LineOf(ref item).Intended = i == 0 ? intended : 0;
                await chain.WriteAsync(item);
            }
        }

        chain.Complete();
    }
}
