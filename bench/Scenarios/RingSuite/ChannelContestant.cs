using System.Threading.Channels;

namespace Raceway.Scenarios.RingSuite;

/// <summary>Channels with default options: a channel before every stage, items drained with <c>TryRead</c>.</summary>
internal sealed class ChannelContestant(string name, RingShape shape, Func<Channel<long>> create)
    : RingContestant(name, shape)
{
    // What an unbounded channel may have to hold when its readers get no time.
    private const long MostItems = 4_000_000;

    public override long MaxOperations => MostItems;

    protected override void Prepare(RingLoad load, Crew crew)
    {
        Channel<long>[] channels = [.. Enumerable.Range(0, Shape.Stages).Select(_ => create())];
        for (int p = 0; p < Shape.Producers; p++)
        {
            Feed feed = load.FeedOf(p);
            crew.AddAsync(() => ProduceAsync(feed, channels[0].Writer, load));
        }

        for (int s = 0; s < channels.Length - 1; s++)
        {
            (ChannelReader<long> from, ChannelWriter<long> to) = (channels[s].Reader, channels[s + 1].Writer);
            crew.AddAsync(() => PassOnAsync(from, to, Shape.Increments));
        }

        crew.AddAsync(() => ConsumeAsync(channels[^1].Reader, load));

        // With an exception: a writer that waits for room must not be told to go on.
        crew.OnCancel(() => Array.ForEach(channels, static c => c.Writer.TryComplete(new OperationCanceledException())));
    }

    private static async Task ProduceAsync(Feed feed, ChannelWriter<long> writer, RingLoad load)
    {
        while (feed.MoveNext())
        {
            while (!writer.TryWrite(feed.Current)) await writer.WaitToWriteAsync();
        }

        if (load.IsLastProducer()) writer.Complete();
    }

    /// <summary>A stage that is not the last one.</summary>
    internal static async Task PassOnAsync(ChannelReader<long> reader, ChannelWriter<long> writer, int increments)
    {
        while (await reader.WaitToReadAsync())
        {
            while (reader.TryRead(out long item))
            {
                Body.Work(ref item, increments);
                while (!writer.TryWrite(item)) await writer.WaitToWriteAsync();
            }
        }

        writer.Complete();
    }

    private async Task ConsumeAsync(ChannelReader<long> reader, RingLoad load)
    {
        Check check = load.NewCheck();
        while (await reader.WaitToReadAsync()) check = Drain(reader, check);
        load.Report(check);
    }

    private Check Drain(ChannelReader<long> reader, Check check)
    {
        while (reader.TryRead(out long item))
        {
            Body.Work(ref item, Shape.Increments);
            check.Take(item);
        }

        return check;
    }
}
