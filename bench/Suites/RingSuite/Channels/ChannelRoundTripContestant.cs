using System.Threading.Channels;

namespace Raceway.Suites.RingSuite;

/// <summary>Ping-pong of one message over two channels.</summary>
internal sealed class ChannelRoundTripContestant(string name, RingShape shape, Func<Channel<long>> create)
    : RingContestant(name, shape)
{
    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        (Channel<long> there, Channel<long> back) = (create(), create());
        Feed feed = load.FeedOf();
        roundThreads.AddAsync(() => AskAsync(there.Writer, back.Reader, feed, load));
        roundThreads.AddAsync(() => AnswerAsync(there.Reader, back.Writer));
        roundThreads.OnCancel(() => there.Writer.TryComplete(new OperationCanceledException()));
        roundThreads.OnCancel(() => back.Writer.TryComplete(new OperationCanceledException()));
    }

    private static async Task AskAsync(ChannelWriter<long> to, ChannelReader<long> from, Feed feed, RingLoad load)
    {
        Check check = load.NewCheck();
        load.StartLaps();
        while (feed.MoveNext())
        {
            while (!to.TryWrite(feed.Current)) await to.WaitToWriteAsync();
            long item;
            while (!from.TryRead(out item))
            {
                if (!await from.WaitToReadAsync()) return;
            }

            check.Take(item);
            load.Lap();
        }

        to.Complete();
        load.Report(check);
    }

    private async Task AnswerAsync(ChannelReader<long> from, ChannelWriter<long> to)
    {
        while (await from.WaitToReadAsync())
        {
            while (from.TryRead(out long item))
            {
                Body.Work(ref item, Shape.Increments);
                while (!to.TryWrite(item)) await to.WaitToWriteAsync();
            }
        }
    }
}
