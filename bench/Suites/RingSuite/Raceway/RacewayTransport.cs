using System.Runtime.CompilerServices;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>A pipeline of ours; the setting says how it is driven and called.</summary>
internal sealed class RacewayTransport<TSlot>(RingLoad load, RoundThreads threads, RacewaySetting setting)
    : Transport<TSlot>(load, threads)
    where TSlot : struct, ISlot<TSlot>
{
    private readonly List<Action<Pipeline<TSlot>>> _reports = [];
    private readonly PipelineBuilder<TSlot, TSlot> _builder = Pipeline.Of<TSlot>(setting.CapacityOf(load.Shape))
        .Configure(options => TSlot.Configure(setting.Configure(options, load.Shape)));

    private Pipeline<TSlot>? _pipeline;

    public override void AddProducer(int producer)
    {
        Feed feed = Load.FeedOf(producer);
        Threads.Add(() =>
        {
            RingBuffer<TSlot> ring = _pipeline!.Ring;
            if (setting.ProducersOf(Shape) == ProducerKind.Multi) PublishMulti(ring, feed);
            else if (setting.ByHandle) PublishByHandle(ring, feed);
            else if (setting.PublishGroup > 1) PublishGroups(ring, feed, setting.PublishGroup);
            else PublishOpen(ring, feed);
            if (!Load.IsLastProducer()) return;
            IReadOnlyList<StageStatistics> done = Drain();
            Load.MeanBatch =
                (double)done.Sum(static stage => stage.Items) / Math.Max(1, done.Sum(static stage => stage.Batches));
        });
    }

    public override void AddSender(LatencyRound round) => Threads.Add(() =>
    {
        round.Send(new Sender(_pipeline!.CreateProducer()));
        foreach (StageStatistics stage in Drain()) round.Slept(stage.Items, stage.Parks);
    });

    public override void AddStage<TWork>(int stage, TWork work)
    {
        int? place = setting.PlaceOf(Shape, stage);
        string[] after = [.. Shape.After(stage).Select(NameOf)];
        switch (setting.Handler)
        {
            case HandlerKind.Batch:
                _builder.After(after).Stage(NameOf(stage), StageKind<TSlot>.Batches(new EachBatch<TSlot, TWork>(work, place)), setting.Dispatch);
                Report<EachBatch<TSlot, TWork>>();
                break;
            case HandlerKind.ClassEvent:
                _builder.After(after).Stage(
                    NameOf(stage), ClassHandlers.Create<TSlot, TWork>(Load.Round + stage, work, place), setting.Dispatch);
                Report<IWorking<TWork>>();
                break;
            default:
                _builder.After(after).Stage(NameOf(stage), StageKind<TSlot>.Events(new EachItem<TSlot, TWork>(work, place)), setting.Dispatch);
                Report<EachItem<TSlot, TWork>>();
                break;
        }

        void Report<THandler>()
            where THandler : IWorking<TWork> =>
            _reports.Add(pipeline => pipeline[NameOf(stage)].GetHandler<THandler>().Work.Report(Load, stage));
    }

    public override void Start()
    {
        Pipeline<TSlot> pipeline = _pipeline = _builder.Run(setting.Plan);
        Threads.OnEnd(() => pipeline.HaltAsync().GetAwaiter().GetResult());
        TSlot.WarmUp(pipeline.Ring);
        Threads.OnCancel(() => pipeline.HaltAsync());
    }

    private static string NameOf(int stage) => $"stage-{stage}";

    // Waits until the stages have handled everything, has them report, and says what they did.
    private IReadOnlyList<StageStatistics> Drain()
    {
        Pipeline<TSlot> pipeline = _pipeline!;
        pipeline.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
        _reports.ForEach(report => report(pipeline));
        return pipeline.GetStatistics();
    }

    // One at a time, with the producer's state in registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void PublishOpen(RingBuffer<TSlot> ring, Feed feed)
    {
        using OpenProducer<TSlot> producer = ring.CreateProducer().Open();

        // What fits into a register is copied into its slot, anything else is written there.
        if (Unsafe.SizeOf<TSlot>() == sizeof(long))
        {
            while (feed.MoveNext()) producer.Publish(Slot.Of<TSlot>(feed.Current));
            return;
        }

        while (feed.MoveNext())
        {
            TSlot.Write(ref producer.Claim(), feed.Current);
            producer.Commit();
        }
    }

    // One at a time, with the producer's state in an object.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void PublishByHandle(RingBuffer<TSlot> ring, Feed feed)
    {
        using SingleProducer<TSlot> producer = ring.CreateProducer();
        while (feed.MoveNext()) producer.Publish(Slot.Of<TSlot>(feed.Current));
    }

    // Some at a time.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void PublishGroups(RingBuffer<TSlot> ring, Feed feed, int group)
    {
        using OpenProducer<TSlot> producer = ring.CreateProducer().Open();
        int filled;
        while (Fill(producer.Claim(group), ref feed, out filled)) producer.Commit();
        producer.Commit(filled);
    }

    // True: all of them.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Fill(Batch<TSlot> slots, ref Feed feed, out int filled)
    {
        Feed items = feed;
        int count = 0;
        foreach (ref TSlot slot in slots)
        {
            if (!items.MoveNext()) break;
            TSlot.Write(ref slot, items.Current);
            count++;
        }

        feed = items;
        filled = count;
        return count == slots.Count;
    }

    // One at a time, beside other producers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void PublishMulti(RingBuffer<TSlot> ring, Feed feed)
    {
        using MultiProducer<TSlot> producer = ring.CreateMultiProducer();
        while (feed.MoveNext()) producer.Publish(Slot.Of<TSlot>(feed.Current));
    }

    private readonly struct Sender(SingleProducer<TSlot> producer) : ISender
    {
        private readonly SingleProducer<TSlot> _producer = producer;

        public void Send(long item) => _producer.Publish(Slot.Of<TSlot>(item));
    }
}
