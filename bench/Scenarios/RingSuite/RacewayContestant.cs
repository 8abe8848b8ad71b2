using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.RingSuite;

/// <summary>A Raceway pipeline of struct handlers; the setting says how it is driven and called.</summary>
internal sealed class RacewayContestant(string name, RingShape shape, RacewaySetting setting) : RingContestant(name, shape)
{
    private Pipeline<long>? _pipeline;

    public override int BusyThreads => Shape.Producers + (setting.Plan == Plan.Fused ? 1 : Shape.Stages);

    protected override void Prepare(RingLoad load, Crew crew)
    {
        PipelineBuilder<long> builder = Pipeline.Of<long>(RingShape.Capacity).WaitWith(setting.Wait);
        if (Shape.MultiProducer) builder.MultiProducer();
        for (int i = 1; i < Shape.Stages; i++)
            Add(builder, $"step-{i}", new Step(Shape.Increments, PlaceOf(i)), new StepBatch(Shape.Increments, PlaceOf(i)));
        int place = PlaceOf(Shape.Stages);
        Add(builder, "last", new Last(load, place), new LastBatch(load, place));
        Pipeline<long> pipeline = builder.Run(setting.Plan);
        _pipeline = pipeline;

        for (int p = 0; p < Shape.Producers; p++)
        {
            Feed feed = load.FeedOf(p);
            crew.Add(() =>
            {
                if (Shape.MultiProducer) PublishMulti(pipeline.Ring, feed);
                else if (setting.PublishGroup > 1) PublishGroups(pipeline.Ring, feed, setting.PublishGroup);
                else PublishOpen(pipeline.Ring, feed);
                if (load.IsLastProducer()) DrainInto(load, pipeline);
            });
        }

        crew.OnCancel(() => pipeline.HaltAsync());
    }

    protected override void Finish(RingLoad load) => _pipeline?.HaltAsync().GetAwaiter().GetResult();

    // Stage threads start apart from the producers, as those of every other contestant do.
    private int PlaceOf(int stage) => Shape.Producers + (setting.Plan == Plan.Fused ? 0 : stage - 1);

    private void Add<TEach, TBatch>(PipelineBuilder<long> builder, string stage, TEach each, TBatch batch)
        where TEach : struct, IEventHandler<long>
        where TBatch : struct, IBatchHandler<long>
    {
        if (setting.BatchHandler) builder.StageOfBatches(stage, batch, setting.Dispatch);
        else builder.StageOfEvents(stage, each, setting.Dispatch);
    }

    private void DrainInto(RingLoad load, Pipeline<long> pipeline)
    {
        pipeline.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
        IReadOnlyList<StageStatistics> done = pipeline.GetStatistics();
        load.MeanBatch = (double)done.Sum(static stage => stage.Items) / Math.Max(1, done.Sum(static stage => stage.Batches));
        load.Report(setting.BatchHandler
            ? pipeline["last"].GetHandler<LastBatch>().Check
            : pipeline["last"].GetHandler<Last>().Check);
    }

    private static void PublishOpen(RingBuffer<long> ring, Feed feed)
    {
        using OpenProducer<long> producer = ring.CreateProducer().Open();
        while (feed.MoveNext()) producer.Publish(feed.Current);
    }

    private static void PublishGroups(RingBuffer<long> ring, Feed feed, int group)
    {
        SingleProducer<long> producer = ring.CreateProducer();
        bool more = true;
        while (more)
        {
            using Claim<long> claim = producer.Claim(group);
            int filled = 0;
            while (filled < group && (more = feed.MoveNext())) claim[filled++] = feed.Current;
            claim.Commit(filled);
        }
    }

    private static void PublishMulti(RingBuffer<long> ring, Feed feed)
    {
        using MultiProducer<long> producer = ring.CreateMultiProducer();
        while (feed.MoveNext()) producer.Publish(feed.Current);
    }

    private struct Step(int increments, int place) : IEventHandler<long>, IStageLifetime
    {
        private readonly int _increments = increments;
        private readonly int _place = place;

        public readonly void OnStart() => Placement.StartApart(_place);

        public readonly void OnStop()
        {
        }

        public readonly void OnEvent(ref long item, long sequence, bool endOfBatch) => Body.Work(ref item, _increments);
    }

    private struct StepBatch(int increments, int place) : IBatchHandler<long>, IStageLifetime
    {
        private readonly int _increments = increments;
        private readonly int _place = place;

        public readonly void OnStart() => Placement.StartApart(_place);

        public readonly void OnStop()
        {
        }

        public readonly void OnBatch(Batch<long> batch)
        {
            foreach (ref long item in batch) Body.Work(ref item, _increments);
        }
    }

    private struct Last(RingLoad load, int place) : IEventHandler<long>, IStageLifetime
    {
        private readonly int _increments = load.Shape.Increments;
        private readonly int _place = place;
        public Check Check = load.NewCheck();

        public readonly void OnStart() => Placement.StartApart(_place);

        public readonly void OnStop()
        {
        }

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            Body.Work(ref item, _increments);
            Check.Take(item);
        }
    }

    private struct LastBatch(RingLoad load, int place) : IBatchHandler<long>, IStageLifetime
    {
        private readonly int _increments = load.Shape.Increments;
        private readonly int _place = place;
        public Check Check = load.NewCheck();

        public readonly void OnStart() => Placement.StartApart(_place);

        public readonly void OnStop()
        {
        }

        public void OnBatch(Batch<long> batch)
        {
            Check check = Check;
            foreach (ref long item in batch)
            {
                Body.Work(ref item, _increments);
                check.Take(item);
            }

            Check = check;
        }
    }
}
