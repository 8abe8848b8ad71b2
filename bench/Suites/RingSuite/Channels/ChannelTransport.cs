using System.Threading.Channels;

namespace Raceway.Suites.RingSuite;

/// <summary>Channels with default options: a channel along every edge, items drained with <c>TryRead</c>, awaited when empty.</summary>
internal sealed class ChannelTransport<TSlot> : Transport<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    // The producers are stage 0.
    private readonly Dictionary<(int From, int To), Channel<TSlot>> _edges = [];

    public ChannelTransport(RingLoad load, RoundThreads threads, Func<int, Channel<TSlot>> create)
        : base(load, threads)
    {
        for (int stage = 1; stage <= Shape.Stages; stage++)
        {
            foreach (int from in Upstream(stage)) _edges.Add((from, stage), create(Shape.Capacity));
        }

        // With an exception: a writer that waits for room must not be told to go on.
        threads.OnCancel(() =>
        {
            foreach (Channel<TSlot> one in _edges.Values) one.Writer.TryComplete(new OperationCanceledException());
        });
    }

    public override void AddProducer(int producer)
    {
        Feed feed = Load.FeedOf(producer);
        ChannelWriter<TSlot>[] first = WritersOf(0);
        Threads.AddAsync(() => first.Length == 1 ? ProduceAsync(feed, first[0], Load) : ProduceForAllAsync(feed, first, Load));
    }

    public override void AddSender(LatencyRound round)
    {
        ChannelWriter<TSlot> writer = WritersOf(0).Single();
        Threads.Add(() =>
        {
            round.Send(new Sender(writer));
            writer.Complete();
        });
    }

    public override void AddStage<TWork>(int stage, TWork work)
    {
        ChannelReader<TSlot>[] from = [.. Upstream(stage).Select(one => _edges[(one, stage)].Reader)];
        ChannelWriter<TSlot>[] to = WritersOf(stage);
        Threads.AddAsync(async () =>
        {
            TWork done = (from.Length, to.Length) switch
            {
                (1, 0) => await ConsumeAsync(from[0], work),
                (1, 1) => await PassOnAsync(from[0], to[0], work),
                (1, _) => await PassOnToAllAsync(from[0], to, work),
                _ => await JoinAsync(from, work),
            };
            done.Report(Load, stage);
        });
    }

    private static async Task ProduceAsync(Feed feed, ChannelWriter<TSlot> writer, RingLoad load)
    {
        while (feed.MoveNext())
        {
            TSlot item = Slot.Of<TSlot>(feed.Current);
            while (!writer.TryWrite(item)) await writer.WaitToWriteAsync();
        }

        if (load.IsLastProducer()) writer.Complete();
    }

    private static async Task ProduceForAllAsync(Feed feed, ChannelWriter<TSlot>[] writers, RingLoad load)
    {
        while (feed.MoveNext()) await WriteToAllAsync(writers, Slot.Of<TSlot>(feed.Current));
        if (load.IsLastProducer()) Array.ForEach(writers, static one => one.Complete());
    }

    private static async Task<TWork> ConsumeAsync<TWork>(ChannelReader<TSlot> reader, TWork work)
        where TWork : struct, IStageWork<TSlot>
    {
        while (await reader.WaitToReadAsync()) work = Drain(reader, work);
        return work;
    }

    // The loop is not part of the state machine: its state stays in registers.
    private static TWork Drain<TWork>(ChannelReader<TSlot> reader, TWork work)
        where TWork : struct, IStageWork<TSlot>
    {
        while (reader.TryRead(out TSlot item)) work.Take(ref item);
        return work;
    }

    private static async Task<TWork> PassOnAsync<TWork>(ChannelReader<TSlot> reader, ChannelWriter<TSlot> writer, TWork work)
        where TWork : struct, IStageWork<TSlot>
    {
        while (await reader.WaitToReadAsync())
        {
            while (reader.TryRead(out TSlot item))
            {
                work.Take(ref item);
                while (!writer.TryWrite(item)) await writer.WaitToWriteAsync();
            }
        }

        writer.Complete();
        return work;
    }

    private static async Task<TWork> PassOnToAllAsync<TWork>(
        ChannelReader<TSlot> reader, ChannelWriter<TSlot>[] writers, TWork work)
        where TWork : struct, IStageWork<TSlot>
    {
        while (await reader.WaitToReadAsync())
        {
            while (reader.TryRead(out TSlot item))
            {
                work.Take(ref item);
                await WriteToAllAsync(writers, item);
            }
        }

        Array.ForEach(writers, static one => one.Complete());
        return work;
    }

    // Every branch sends the item on: one of each makes the joined one, and they must be the same.
    private static async Task<TWork> JoinAsync<TWork>(ChannelReader<TSlot>[] readers, TWork work)
        where TWork : struct, IStageWork<TSlot>
    {
        while (await readers[0].WaitToReadAsync())
        {
            while (readers[0].TryRead(out TSlot item))
            {
                for (int i = 1; i < readers.Length; i++)
                {
                    TSlot other;
                    while (!readers[i].TryRead(out other))
                    {
                        if (!await readers[i].WaitToReadAsync()) throw new InvalidDataException("A branch lost items.");
                    }

                    if (TSlot.Read(ref other) != TSlot.Read(ref item)) throw new InvalidDataException("The branches disagree.");
                }

                work.Take(ref item);
            }
        }

        return work;
    }

    private static async ValueTask WriteToAllAsync(ChannelWriter<TSlot>[] writers, TSlot item)
    {
        foreach (ChannelWriter<TSlot> writer in writers)
        {
            while (!writer.TryWrite(item)) await writer.WaitToWriteAsync();
        }
    }

    private IReadOnlyList<int> Upstream(int stage) => Shape.After(stage) is { Count: > 0 } after ? after : [0];

    private ChannelWriter<TSlot>[] WritersOf(int stage) =>
        [.. _edges.Where(edge => edge.Key.From == stage).Select(static edge => edge.Value.Writer)];

    private readonly struct Sender(ChannelWriter<TSlot> writer) : ISender
    {
        private readonly ChannelWriter<TSlot> _writer = writer;

        // The open loop has a thread of its own: only where there is no room does it wait for a task.
        public void Send(long item)
        {
            TSlot slot = Slot.Of<TSlot>(item);
            while (!_writer.TryWrite(slot)) _writer.WaitToWriteAsync().AsTask().GetAwaiter().GetResult();
        }
    }
}
