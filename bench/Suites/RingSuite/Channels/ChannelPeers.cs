using System.Threading.Channels;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>The channels that are measured, with default options but for what the name says.</summary>
internal static class ChannelPeers
{
    private const string BoundedName = "channel-bounded";
    private const string UnboundedName = "channel-unbounded";
    private const string SingleReaderName = "channel-unbounded/single-reader";

    // What an unbounded channel may have to hold when its readers get no time.
    private const long MostItems = 4_000_000;

    /// <summary>As large as the other peers' queues.</summary>
    public static Peer<TSlot> Bounded<TSlot>()
        where TSlot : struct, ISlot<TSlot> => Of(BoundedName, CreateBounded<TSlot>);

    /// <summary>Without a limit.</summary>
    public static Peer<TSlot> Unbounded<TSlot>()
        where TSlot : struct, ISlot<TSlot> => Of(UnboundedName, CreateUnbounded<TSlot>);

    /// <summary>The runtime has a faster unbounded channel for one reader, when told so.</summary>
    public static Peer<TSlot> SingleReader<TSlot>()
        where TSlot : struct, ISlot<TSlot> => Of(SingleReaderName, CreateSingleReader<TSlot>);

    /// <summary>There and back over two channels, awaited and polled.</summary>
    public static IEnumerable<Func<IContestant>> RoundTrips(RingShape shape) =>
    [
        () => BoundedRoundTrip(shape),
        () => Awaited(UnboundedName, shape, CreateUnbounded<long>),
        () => Awaited(SingleReaderName, shape, CreateSingleReader<long>),
        () => new RoundTripContestant(BoundedName + "/polling", shape, Poll),
    ];

    /// <summary>There and back over two bounded channels.</summary>
    public static RoundTripContestant BoundedRoundTrip(RingShape shape) => Awaited(BoundedName, shape, CreateBounded<long>);

    /// <summary>One for many producers; a thread of its own reads, as of the others.</summary>
    public static FairContestant Fair(RingShape shape) => new(BoundedName, shape, static fair =>
    {
        Channel<long> channel = CreateBounded<long>(fair.Shape.Capacity);
        var consumer = new Thread(() =>
        {
            while (channel.Reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
                while (channel.Reader.TryRead(out long item)) fair.Take(item);
        });
        consumer.Start();
        return new FairQueue(
            () =>
            {
                ChannelWriter<long> writer = channel.Writer;
                return item =>
                {
                    if (!writer.TryWrite(item)) writer.WriteAsync(item).AsTask().GetAwaiter().GetResult();
                };
            },
            () =>
            {
                channel.Writer.Complete();
                consumer.Join();
            });
    });

    private static Channel<T> CreateBounded<T>(int capacity) => Channel.CreateBounded<T>(capacity);

    private static Channel<T> CreateUnbounded<T>(int capacity) => Channel.CreateUnbounded<T>();

    private static Channel<T> CreateSingleReader<T>(int capacity) =>
        Channel.CreateUnbounded<T>(new UnboundedChannelOptions { SingleReader = true });

    private static Peer<TSlot> Of<TSlot>(string name, Func<int, Channel<TSlot>> create)
        where TSlot : struct, ISlot<TSlot> =>
        new(name, (load, threads) => new ChannelTransport<TSlot>(load, threads, create)) { MostItems = MostItems };

    private static RoundTripContestant Awaited(string name, RingShape shape, Func<int, Channel<long>> create) =>
        new(name, shape, (load, threads) =>
        {
            (Channel<long> there, Channel<long> back) = (create(load.Shape.Capacity), create(load.Shape.Capacity));
            Feed feed = load.FeedOf();
            threads.AddAsync(() => AskAsync(there.Writer, back.Reader, feed, load));
            threads.AddAsync(() => AnswerAsync(there.Reader, back.Writer, load.Shape.Increments));
            threads.OnCancel(() => there.Writer.TryComplete(new OperationCanceledException()));
            threads.OnCancel(() => back.Writer.TryComplete(new OperationCanceledException()));
        });

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

    private static async Task AnswerAsync(ChannelReader<long> from, ChannelWriter<long> to, int increments)
    {
        while (await from.WaitToReadAsync())
        {
            while (from.TryRead(out long item))
            {
                Body.Work(ref item, increments);
                while (!to.TryWrite(item)) await to.WaitToWriteAsync();
            }
        }
    }

    // Awaiting readers may both run on one thread of the pool, where a message never crosses to another processor. Two
    // threads that poll always have it cross.
    private static void Poll(RingLoad load, RoundThreads threads)
    {
        (Channel<long> there, Channel<long> back) = (CreateBounded<long>(load.Shape.Capacity), CreateBounded<long>(load.Shape.Capacity));
        threads.Add(() => Trip.Ask(new PollingEnd(there.Writer, back.Reader, threads.Cancellation), load));
        threads.Add(() => Trip.Answer(new PollingEnd(back.Writer, there.Reader, threads.Cancellation), load));
    }

    private readonly struct PollingEnd(ChannelWriter<long> to, ChannelReader<long> from, CancellationToken cancellation) : IEnd
    {
        public void Send(long item) => to.TryWrite(item);

        public long Receive()
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
}
