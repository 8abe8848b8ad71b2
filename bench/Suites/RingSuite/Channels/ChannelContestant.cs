using System.Threading.Channels;

namespace Raceway.Suites.RingSuite;

/// <summary>Channels with default options: a channel along every edge, items drained with <c>TryRead</c>.</summary>
internal sealed class ChannelContestant<TSlot>(string name, RingShape shape, Func<int, Channel<TSlot>> create)
    : StagedContestant<TSlot>(name, shape)
    where TSlot : struct, ISlot<TSlot>
{
    // What an unbounded channel may have to hold when its readers get no time.
    private const long MostItems = 4_000_000;

    // The producers are stage 0.
    private Dictionary<(int From, int To), Channel<TSlot>> _edges = [];

    public override long MaxOperations => MostItems;

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        Dictionary<(int From, int To), Channel<TSlot>> edges = _edges = [];
        for (int stage = 1; stage <= Shape.Stages; stage++)
        {
            foreach (int from in Upstream(stage)) edges.Add((from, stage), create(Shape.Capacity));
        }

        ChannelWriter<TSlot>[] first = WritersOf(0);
        for (int p = 0; p < Shape.Producers; p++)
        {
            Feed feed = load.FeedOf(p);
            roundThreads.AddAsync(() => first.Length == 1 ? ProduceAsync(feed, first[0], load) : ProduceForAllAsync(feed, first, load));
        }

        AddStages(load, roundThreads);

        // With an exception: a writer that waits for room must not be told to go on.
        roundThreads.OnCancel(() =>
        {
            foreach (Channel<TSlot> one in edges.Values) one.Writer.TryComplete(new OperationCanceledException());
        });
    }

    protected override void AddStage<TWork>(RingLoad load, RoundThreads roundThreads, int stage, TWork work)
    {
        ChannelReader<TSlot>[] from = [.. Upstream(stage).Select(one => _edges[(one, stage)].Reader)];
        ChannelWriter<TSlot>[] to = WritersOf(stage);
        roundThreads.AddAsync(async () =>
        {
            TWork done = (from.Length, to.Length) switch
            {
                (1, 0) => await ChannelStages.ConsumeAsync(from[0], work),
                (1, 1) => await ChannelStages.PassOnAsync(from[0], to[0], work),
                (1, _) => await PassOnToAllAsync(from[0], to, work),
                _ => await JoinAsync(from, work),
            };
            done.Report(load, stage);
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
}
