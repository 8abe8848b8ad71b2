using System.Threading.Channels;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Ping-pong over two channels by two threads that poll them. Awaiting readers may both run on one thread of the pool,
/// where a message never crosses to another processor; here it always does.
/// </summary>
internal sealed class ChannelPollingRoundTripContestant(RingShape shape)
    : RingContestant("channel-bounded/polling", shape)
{
    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        (Channel<long> there, Channel<long> back) = (ChannelKinds.Bounded(), ChannelKinds.Bounded());
        Feed feed = load.FeedOf();
        roundThreads.Add(() => Ask(there.Writer, back.Reader, feed, load, roundThreads.Cancellation));
        roundThreads.Add(() => Answer(there.Reader, back.Writer, load, roundThreads.Cancellation));
    }

    private static void Ask(
        ChannelWriter<long> to, ChannelReader<long> from, Feed feed, RingLoad load, CancellationToken cancellation)
    {
        Check check = load.NewCheck();
        load.StartLaps();
        while (feed.MoveNext())
        {
            // One message is under way at a time, so there is room.
            to.TryWrite(feed.Current);
            check.Take(Poll(from, cancellation));
            load.Lap();
        }

        load.Report(check);
    }

    private static void Answer(
        ChannelReader<long> from, ChannelWriter<long> to, RingLoad load, CancellationToken cancellation)
    {
        for (long i = 0; i < load.Operations; i++)
        {
            long item = Poll(from, cancellation);
            Body.Work(ref item, load.Shape.Increments);
            to.TryWrite(item);
        }
    }

    private static long Poll(ChannelReader<long> from, CancellationToken cancellation)
    {
        var wait = new SpinWait();
        long item;
        while (!from.TryRead(out item))
        {
            // Spins and yields, but never sleeps: that would be the sleep's latency.
            wait.SpinOnce(sleep1Threshold: -1);
            if (wait.Count % 1024 == 0) cancellation.ThrowIfCancellationRequested();
        }

        return item;
    }
}
