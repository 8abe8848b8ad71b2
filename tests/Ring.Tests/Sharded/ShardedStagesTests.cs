using System.Runtime.CompilerServices;

namespace Raceway.Rings.Tests;

/// <summary>Every kind of stage over lanes: the right items, also where one of them fails.</summary>
public sealed class ShardedStagesTests
{
    private const long Lane = 1_000;

    private static (RingBuffer<long> Ring, SingleProducer<long>[] Lanes) Build(int capacity = 32, int lanes = 3)
    {
        var ring = Make.Ring(capacity, ProducerKind.Sharded, maxProducers: lanes);
        return (ring, [.. Enumerable.Range(0, lanes).Select(_ => ring.CreateProducer())]);
    }

    // One item a lane in turn, then two, then three: runs of all lengths.
    private static List<long> PublishMixed(SingleProducer<long>[] lanes, long[] next, int each)
    {
        List<long> published = [];
        for (int lane = 0; lane < lanes.Length; lane++)
        {
            for (int i = 0; i < 1 + (each + lane) % 3; i++)
            {
                published.Add(lane * Lane + next[lane]++);
                lanes[lane].Publish(published[^1]);
            }
        }

        return published;
    }

    public static TheoryData<string, string> FailingStages()
    {
        var data = new TheoryData<string, string>();
        foreach (string kind in new[] { "event each", "event single", "delegate", "batch", "batch each", "async" })
            foreach (string policy in new[] { "skip", "dead-letter", "retry", "decide" }) data.Add(kind, policy);
        return data;
    }

    [Theory]
    [MemberData(nameof(FailingStages))]
    public void Fault_AnyKindOfStage_IsAboutTheRightItem(string kind, string policy)
    {
        (RingBuffer<long> ring, SingleProducer<long>[] lanes) = Build();
        List<long> handled = [];
        List<long> failed = [];
        List<long> handedOver = [];
        HashSet<long> once = [];
        void Handle(long item)
        {
            if (item % 5 == 3 && (policy != "retry" || once.Add(item)))
            {
                failed.Add(item);
                throw new FormatException();
            }

            handled.Add(item);
        }

        // A batch that fails is run again in halves, so its item fails a second time there.
        void HandleAll(Batch<long> batch)
        {
            for (int i = 0; i < batch.Count; i++)
            {
                Handle(batch[i]);
                batch.Complete(i + 1);
            }
        }

        FaultPolicy onFault = policy switch
        {
            "skip" => FaultPolicy.Skip,
            "retry" => FaultPolicy.Retry(1, TimeSpan.Zero),
            "decide" => FaultPolicy.Decide<long>((ref long item, in FaultContext _) =>
            {
                handedOver.Add(item);
                return FaultAction.Skip;
            }),
            _ => FaultPolicy.DeadLetter<long>((ref long item, in FaultContext _) => handedOver.Add(item)),
        };
        StageOptions Options(Dispatch? dispatch = null) => Make.Stepped(dispatch, onFault);
        Stage stage = kind switch
        {
            "event each" => ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) => Handle(item)), Options(Dispatch.Each())),
            "event single" => ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) => Handle(item)), Options(Dispatch.Single)),
            "delegate" => ring.Subscribe((ref long item) => Handle(item), Options()),
            "batch" => ring.Subscribe(new BatchLambda<long>(HandleAll), Options()),
            "batch each" => ring.Subscribe(new BatchLambda<long>(HandleAll), Options(Dispatch.Each())),
            _ => ring.Subscribe(
                new AsyncLambda<long>((batch, _) =>
                {
                    for (int i = 0; i < batch.Count; i++)
                    {
                        Handle(batch[i]);
                        batch.Complete(i + 1);
                    }

                    return default;
                }),
                Options()),
        };
        List<long> published = [];
        long[] next = new long[lanes.Length];
        for (int round = 0; round < 40; round++)
        {
            published.AddRange(PublishMixed(lanes, next, round));
            Make.StepAll(stage);
        }

        long[] bad = [.. published.Where(item => item % 5 == 3).Order()];
        Assert.Equal(bad, failed.Distinct().Order());
        Assert.Equal(policy is "skip" or "retry" ? [] : bad, handedOver.Order());
        Assert.Equal((policy == "retry" ? published : published.Except(bad)).Order(), handled.Order());
        for (int lane = 0; lane < lanes.Length; lane++)
        {
            long[] ofLane = [.. handled.Where(item => item / Lane == lane)];
            Assert.Equal(ofLane.Order(), ofLane);
        }

        Assert.Equal(published.Count - 1, stage.Position);
    }

    private sealed class Doubler : IMapHandler<long, string>
    {
        public void OnBatch(Batch<long> source, Batch<string> results)
        {
            Assert.Equal(source.Count, results.Count);
            Assert.Equal(source.Sequence, results.Sequence);
            for (int i = 0; i < source.Count; i++) results[i] = $"{2 * source[i]}";
        }
    }

    [Fact]
    public void Map_ResultsOfLanes_LieAtTheRingsSequences()
    {
        (RingBuffer<long> ring, SingleProducer<long>[] lanes) = Build();
        Slots<string> results = ring.AddColumn<string>();
        Stage map = ring.Slots.Subscribe(new Doubler(), results, Make.Stepped());
        List<string> seen = [];
        List<long> items = [];
        Stage reader = results.Subscribe(
            new BatchLambda<string>(batch =>
            {
                foreach (ref string text in batch) seen.Add(text);
            }),
            Make.Stepped(after: [map]));
        Stage beside = ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) => items.Add(item)), Make.Stepped(after: [map]));
        long[] next = new long[lanes.Length];
        int count = 0;
        for (int round = 0; round < 60; round++)
        {
            count += PublishMixed(lanes, next, round).Count;
            Make.StepAll(map);
            Make.StepAll(reader);
            Make.StepAll(beside);
        }

        Assert.Equal(count, seen.Count);
        Assert.Equal(items.Select(item => $"{2 * item}"), seen);
    }

    [Fact]
    public async Task Async_HandlerGoesOnLater_KeepsItsItems()
    {
        (RingBuffer<long> ring, SingleProducer<long>[] lanes) = Build();
        List<long> seen = [];
        ring.Subscribe(new AsyncLambda<long>(async (batch, _) =>
        {
            await Task.Yield();
            // From behind, so that the place in the run is found in both directions.
            List<long> items = [];
            for (int i = batch.Count - 1; i >= 0; i--) items.Add(batch[i]);
            items.Reverse();
            seen.AddRange(items);
        }));
        ring.Start();
        List<long> published = [];
        long[] next = new long[lanes.Length];
        for (int round = 0; round < 100; round++) published.AddRange(PublishMixed(lanes, next, round));
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(published.Order(), seen.Order());
        for (int lane = 0; lane < lanes.Length; lane++)
            Assert.Equal(Make.Range(lane * Lane, lane * Lane + next[lane] - 1), seen.Where(item => item / Lane == lane));
    }

    [Fact]
    public void Fused_StagesOverLanes_SeeOneOrder()
    {
        (RingBuffer<long> ring, SingleProducer<long>[] lanes) = Build();
        Recorder[] handlers = [new(), new(), new()];
        List<Stage> stages = [];
        foreach (Recorder handler in handlers)
            stages.Add(ring.Subscribe(handler, new StageOptions { After = [.. stages.TakeLast(1)], InGroup = true }));
        var fused = new FusedStages(stages);
        long[] next = new long[lanes.Length];
        for (int round = 0; round < 60; round++)
        {
            PublishMixed(lanes, next, round);
            while (fused.StepOnce().Kind == StepKind.Progressed)
            {
            }
        }

        Assert.Equal(next.Sum(), handlers[0].Items.Count);
        Assert.Equal(handlers[0].Items, handlers[1].Items);
        Assert.Equal(handlers[0].Items, handlers[2].Items);
    }

    [Fact]
    public async Task HaltAsync_LanesHalfHandled_OffersEveryItemLeft()
    {
        List<long> offered = [];
        List<long> seen = [];
        var ring = new RingBuffer<long>(64, new RingOptions<long>
        {
            Producers = ProducerKind.Sharded, MaxProducers = 3, OnUnprocessed = (ref long item) => offered.Add(item),
        });
        Stage stage = ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) => seen.Add(item)), Make.Stepped());
        SingleProducer<long>[] lanes = [ring.CreateProducer(), ring.CreateProducer(), ring.CreateProducer()];
        List<long> published = PublishMixed(lanes, new long[3], 1);
        stage.Step(2);
        published.AddRange(PublishMixed(lanes, [10, 10, 10], 2));
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(published.Count - seen.Count, ring.Unprocessed);
        Assert.Equal(published.Order(), seen.Concat(offered).Order());
    }

    [Fact]
    public void ClearSlots_LanesOfObjects_KeepNothingAlive()
    {
        var ring = new RingBuffer<object>(16, new RingOptions<object> { Producers = ProducerKind.Sharded, MaxProducers = 2 });
        Stage stage = ring.Subscribe((ref object _) => { }, Make.Stepped());
        SingleProducer<object>[] lanes = [ring.CreateProducer(), ring.CreateProducer()];
        List<WeakReference> published = [];
        for (int round = 0; round < 6; round++)
        {
            published.AddRange(PublishObjects(lanes[round % 2], 1 + round));
            Make.StepAll(stage);
        }

        GC.Collect();
        Assert.All(published, item => Assert.False(item.IsAlive));
        GC.KeepAlive(ring);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] PublishObjects(SingleProducer<object> producer, int count) =>
        [.. Enumerable.Range(0, count).Select(_ =>
        {
            object item = new();
            producer.Publish(item);
            return new WeakReference(item);
        })];
}
