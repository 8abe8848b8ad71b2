using System.Buffers;

namespace Raceway.Suites.MainJob;

/// <summary>The tuned .NET way: bounded Channels that pass pooled arrays of up to 256 lines from stage to stage.</summary>
/// <remarks>An array is passed on when it is full or nothing more is due, so that batching costs no latency at low rates.</remarks>
/// <typeparam name="TItem">The item.</typeparam>
/// <param name="capacity">Lines that each channel holds, counted in full arrays.</param>
public sealed class ChannelBatchedLines<TItem>(int capacity) : LineContestant
    where TItem : struct, ILineItem<TItem>
{
    private const int BatchSize = 256;

    /// <inheritdoc/>
    public override string Name => "channel-batched";

    /// <inheritdoc/>
    public override int BusyThreads => TItem.Hashed ? 4 : 3;

    /// <inheritdoc/>
    protected override double Drive(LineFeed feed, LineTotals totals)
    {
        void Parse(ref Batch batch) => LineStages.Parse(batch.Lines);
        void Hash(ref Batch batch) => LineStages.Hash(batch.Lines);
        void Aggregate(ref Batch batch)
        {
            totals.Add(batch.Lines);
            ArrayPool<TItem>.Shared.Return(batch.Items);
        }

        int batches = Math.Max(1, capacity / BatchSize);
        ChannelChain<Batch> chain = TItem.Hashed
            ? new ChannelChain<Batch>(batches, Parse, Hash, Aggregate)
            : new ChannelChain<Batch>(batches, Parse, Aggregate);
        Task<long> produced = Task.Run(() => ProduceAsync(feed, chain));
        Task.WaitAll(produced, chain.Completion);
        return (double)totals.Lines / Math.Max(1, produced.Result);
    }

    private static async Task<long> ProduceAsync(LineFeed feed, ChannelChain<Batch> chain)
    {
        long batches = 0;
        feed.Start();
        for (ReadOnlyMemory<Line> run; !(run = feed.Next(BatchSize, out long intended)).IsEmpty; batches++)
        {
            var batch = new Batch(ArrayPool<TItem>.Shared.Rent(BatchSize), 0);
            do
            {
                batch = batch.With(run.Span, intended);
                run = batch.Count < BatchSize ? feed.TryNext(BatchSize - batch.Count, out intended) : default;
            }
            while (!run.IsEmpty);
            await chain.WriteAsync(batch);
        }

        chain.Complete();
        return batches;
    }

    /// <summary>Lines that travel together.</summary>
    private readonly record struct Batch(TItem[] Items, int Count)
    {
        public Span<TItem> Lines => Items.AsSpan(0, Count);

        public Batch With(ReadOnlySpan<Line> lines, long intended)
        {
            for (int i = 0; i < lines.Length; i++)
            {
                TItem.LineOf(ref Items[Count + i]) = lines[i];
            }

            TItem.LineOf(ref Items[Count]).Intended = intended;
            return this with { Count = Count + lines.Length };
        }
    }
}
