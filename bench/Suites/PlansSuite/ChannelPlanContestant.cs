using System.Threading.Channels;

namespace Raceway.Suites.PlansSuite;

/// <summary>A task a stage, a bounded channel between two of them, items one at a time.</summary>
internal sealed class ChannelPlanContestant(int heavy, int? window = null) : PlanContestant("channel-bounded", heavy)
{
    private readonly Arrived _arrived = new();

    /// <inheritdoc/>
    public override int BusyThreads => ReadingWork.Stages + 1;

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        Channel<Reading> source = Bounded<Reading>();
        Channel<Reading> good = Bounded<Reading>();
        Channel<Priced> priced = Bounded<Priced>();
        Channel<Scored> scored = Bounded<Scored>();
        Channel<Folded> folded = Bounded<Folded>();
        Task.WaitAll(
        [
            Task.Run(() => Publish(source.Writer, operations, cancellation), CancellationToken.None),
            Task.Run(() => Pump(source, good, (ref Reading item, ref Reading result) => { Stages.Check(ref item); result = item; }), CancellationToken.None),
            Task.Run(() => Pump(good, priced, Stages.Price), CancellationToken.None),
            Task.Run(() => Pump(priced, scored, Stages.Score), CancellationToken.None),
            Task.Run(() => Pump(scored, folded, Stages.Fold), CancellationToken.None),
            Task.Run(() => Take(folded), CancellationToken.None),
        ], CancellationToken.None);
    }

    private static Channel<TItem> Bounded<TItem>() => Channel.CreateBounded<TItem>(
        new BoundedChannelOptions(ReadingPipeline.Capacity) { SingleReader = true, SingleWriter = true });

    private async Task Publish(ChannelWriter<Reading> writer, long items, CancellationToken cancellation)
    {
        long begun = _arrived.Count;
        for (long i = 0; i < items && !cancellation.IsCancellationRequested; i++)
        {
            Reading item = default;
            ReadingWork.Fill(ref item, i);
            if (i == CorruptItem) item.Value++;
            while (window is { } limit && i - (_arrived.Count - begun) >= limit) await Task.Yield();
            if (!writer.TryWrite(item)) await writer.WriteAsync(item, CancellationToken.None).ConfigureAwait(false);
        }

        writer.Complete();
    }

    private static async Task Pump<TIn, TOut>(Channel<TIn> from, Channel<TOut> to, Raceway.Pipelines.SlotMap<TIn, TOut> map)
    {
        while (await from.Reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (from.Reader.TryRead(out TIn? item))
            {
                TOut result = default!;
                map(ref item, ref result);
                if (!to.Writer.TryWrite(result)) await to.Writer.WriteAsync(result).ConfigureAwait(false);
            }
        }

        to.Writer.Complete();
    }

    private async Task Take(Channel<Folded> from)
    {
        while (await from.Reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (from.Reader.TryRead(out Folded item))
            {
                Sum.Take(item.Id, Stages.Close(ref item));
                _arrived.Add(1);
            }
        }
    }
}
