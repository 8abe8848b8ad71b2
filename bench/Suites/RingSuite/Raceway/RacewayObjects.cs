using System.Runtime.CompilerServices;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>A pipeline of ours on a ring of objects, which are made with the ring: a producer fills the object of a slot anew.</summary>
/// <remarks>One producer, and handlers that are structs; all else as it comes.</remarks>
internal sealed class RacewayObjects<TSlot>(RingLoad load, RoundThreads threads, RacewaySetting setting)
    : Transport<TSlot>(load, threads)
    where TSlot : struct, ISlot<TSlot>
{
    private readonly List<Action<Pipeline<RacewayObject<TSlot>>>> _reports = [];
    private readonly PipelineBuilder<RacewayObject<TSlot>, RacewayObject<TSlot>> _builder =
        Pipeline.Of<RacewayObject<TSlot>>(setting.CapacityOf(load.Shape)).Configure(
            options => setting.Configure(options, load.Shape) with { CreateSlot = static () => new RacewayObject<TSlot>() });

    private Pipeline<RacewayObject<TSlot>>? _pipeline;

    public override void AddProducer(int producer)
    {
        Feed feed = Load.FeedOf(producer);
        Threads.Add(() =>
        {
            Pipeline<RacewayObject<TSlot>> pipeline = _pipeline!;
            if (setting.PublishGroup > 1) PublishGroups(pipeline.Ring, feed, setting.PublishGroup);
            else Publish(pipeline.Ring, feed);
            pipeline.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
            _reports.ForEach(report => report(pipeline));
            IReadOnlyList<StageStatistics> done = pipeline.GetStatistics();
            Load.MeanBatch = (double)done.Sum(static stage => stage.Items) / Math.Max(1, done.Sum(static stage => stage.Batches));
        });
    }

    public override void AddStage<TWork>(int stage, TWork work)
    {
        int? place = setting.PlaceOf(Shape, stage);
        if (setting.Handler == HandlerKind.Batch)
            Add<EachObjectOfBatch<TSlot, TWork>>(StageKind<RacewayObject<TSlot>>.Batches(new EachObjectOfBatch<TSlot, TWork>(work, place)));
        else
            Add<EachObject<TSlot, TWork>>(StageKind<RacewayObject<TSlot>>.Events(new EachObject<TSlot, TWork>(work, place)));

        void Add<THandler>(StageKind<RacewayObject<TSlot>> kind)
            where THandler : IWorking<TWork>
        {
            string name = $"stage-{stage}";
            _builder.After([.. Shape.After(stage).Select(static one => $"stage-{one}")]).Stage(name, kind, setting.Dispatch);
            _reports.Add(pipeline => pipeline[name].GetHandler<THandler>().Work.Report(Load, stage));
        }
    }

    public override void Start()
    {
        Pipeline<RacewayObject<TSlot>> pipeline = _pipeline = _builder.Run(setting.Plan);
        Threads.OnEnd(() => pipeline.HaltAsync().GetAwaiter().GetResult());
        Threads.OnCancel(() => pipeline.HaltAsync());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Publish(RingBuffer<RacewayObject<TSlot>> ring, Feed feed)
    {
        using OpenProducer<RacewayObject<TSlot>> producer = ring.CreateProducer().Open();
        while (feed.MoveNext())
        {
            TSlot.Write(ref producer.Claim().Slot, feed.Current);
            producer.Commit();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void PublishGroups(RingBuffer<RacewayObject<TSlot>> ring, Feed feed, int group)
    {
        using OpenProducer<RacewayObject<TSlot>> producer = ring.CreateProducer().Open();
        int filled;
        while (Fill(producer.Claim(group), ref feed, out filled)) producer.Commit();
        producer.Commit(filled);
    }

    // True: all of them.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Fill(Batch<RacewayObject<TSlot>> objects, ref Feed feed, out int filled)
    {
        Feed items = feed;
        int count = 0;
        foreach (ref RacewayObject<TSlot> one in objects)
        {
            if (!items.MoveNext()) break;
            TSlot.Write(ref one.Slot, items.Current);
            count++;
        }

        feed = items;
        filled = count;
        return count == objects.Count;
    }
}

/// <summary>An object of a ring of objects.</summary>
internal sealed class RacewayObject<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    private TSlot _slot = TSlot.Create();

    /// <summary>The item.</summary>
    public ref TSlot Slot => ref _slot;
}
