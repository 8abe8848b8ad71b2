namespace Raceway.Rings.Tests;

/// <summary>Wherever slots and stamps lie, a ring does the same.</summary>
public sealed class LayoutTests
{
    private const long Prime = 1_000_003;

    private static RingBuffer<long> Ring(int capacity, ProducerKind kind, StampLayout stamps, int stride, Wait? wait = null) =>
        new(capacity, new RingOptions<long>
        {
            Producers = kind, MaxProducers = kind == ProducerKind.Sharded ? 1 : 2, Stamps = stamps, SlotStride = stride,
            DrainTimeout = TimeSpan.Zero, Wait = wait ?? Wait.Default, ProducerWait = wait ?? Wait.Default,
        });

    public static TheoryData<ProducerKind, StampLayout, int> Layouts() => new()
    {
        { ProducerKind.Single, StampLayout.Separate, 64 }, { ProducerKind.Single, StampLayout.InSlot, 16 },
        { ProducerKind.Single, StampLayout.InSlot, 64 }, { ProducerKind.Single, StampLayout.InSlot, 256 },
        { ProducerKind.Multi, StampLayout.Separate, 0 }, { ProducerKind.Multi, StampLayout.Separate, 64 },
        { ProducerKind.Multi, StampLayout.Padded, 0 }, { ProducerKind.Multi, StampLayout.Padded, 32 },
        { ProducerKind.Multi, StampLayout.InSlot, 16 }, { ProducerKind.Multi, StampLayout.InSlot, 128 },
        { ProducerKind.Sharded, StampLayout.Separate, 64 }, { ProducerKind.Sharded, StampLayout.Padded, 0 },
    };

    [Theory]
    [MemberData(nameof(Layouts))]
    public void Publish_EveryWayOverManyLaps_EveryStageSeesTheItems(ProducerKind kind, StampLayout stamps, int stride)
    {
        foreach (int capacity in new[] { 2, 8, 64 })
        {
            RingBuffer<long> ring = Ring(capacity, kind, stamps, stride);
            List<long> expected = [];
            List<long>[] seen = [.. Enumerable.Range(0, 5).Select(_ => new List<long>())];
            // Each adds to the item, so that a slot shared with a stamp or a neighbour would show.
            Stage first = ring.Subscribe(
                new EventLambda<long>((ref long item, long _, bool _) => seen[0].Add(item++)), Make.Stepped(Dispatch.Each(max: 5)));
            Stage[] rest =
            [
                ring.Subscribe(
                    new EventLambda<long>((ref long item, long _, bool _) => seen[1].Add(item)),
                    Make.Stepped(Dispatch.Single, after: [first])),
                ring.Subscribe(
                    new BatchLambda<long>(batch =>
                    {
                        foreach (ref long item in batch) seen[2].Add(item);
                    }),
                    Make.Stepped(after: [first])),
                ring.Subscribe(
                    new BatchLambda<long>(batch =>
                    {
                        for (int i = 0; i < batch.Count; i++) seen[3].Add(batch[i]);
                    }),
                    Make.Stepped(Dispatch.Batch(max: 3), after: [first])),
                ring.Subscribe((ref long item) => seen[4].Add(item), Make.Stepped(after: [first])),
            ];
            Producer<long> producer = Make.Producer(ring);
            var random = new Random(stride + capacity);
            for (int round = 0; round < 300; round++)
            {
                PublishSome(producer, random, expected);
                Make.StepAll(first);
                foreach (Stage stage in rest) Make.StepAll(stage);
            }

            Assert.True(expected.Count > 4 * capacity);
            Assert.Equal(expected, seen[0]);
            foreach (List<long> items in seen.Skip(1)) Assert.Equal(expected.Select(item => item + 1), items);
        }
    }

    private static void PublishSome(Producer<long> producer, Random random, List<long> expected)
    {
        long Next()
        {
            expected.Add(expected.Count * Prime);
            return expected[^1];
        }

        int most = Math.Min(producer.MaxClaim, producer.Remaining);
        int count = random.Next(1, most + 1);
        switch (random.Next(5))
        {
            case 0:
                producer.Publish(Next());
                break;
            case 1:
                long[] items = new long[Math.Max(1, count / 2)];
                foreach (ref long item in items.AsSpan()) item = Next();
                producer.Publish(items);
                break;
            case 2 when producer is SingleProducer<long> single:
                using (OpenProducer<long> open = single.Open())
                {
                    open.Claim() = -1; // given up: the next takes its place
                    open.Publish(Next());
                    for (int i = 1; i < count; i++)
                    {
                        open.Claim() = Next();
                        open.Commit();
                    }
                }

                break;
            default:
                using (Claim<long> claim = producer.Claim(count))
                {
                    int kept = random.Next(count + 1);
                    foreach (ref long slot in claim) slot = -1;
                    for (int i = 0; i < kept; i++) claim[i] = Next();
                    if (kept > 0) claim.Commit(kept);
                }

                break;
        }
    }

    [Theory]
    [MemberData(nameof(Layouts))]
    public async Task Publish_ToASleeper_WakesItForEachItem(ProducerKind kind, StampLayout stamps, int stride)
    {
        RingBuffer<long> ring = Ring(8, kind, stamps, stride, Wait.Park());
        var handler = new Summer();
        Stage stage = ring.Subscribe(handler);
        var last = new Summer();
        ring.Subscribe(last, Make.After(stage));
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        for (int i = 0; i < 30; i++)
        {
            await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
            producer.Publish(i);
            await Watchdog.UntilAsync(() => last.Count == i + 1, ring);
        }

        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.True(handler.InOrder && last.InOrder);
    }

    [Theory]
    [MemberData(nameof(Layouts))]
    public void Min_AnyLayout_AwaitsTheMinimum(ProducerKind kind, StampLayout stamps, int stride)
    {
        RingBuffer<long> ring = Ring(16, kind, stamps, stride);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped(Dispatch.Batch(min: 4)));
        Producer<long> producer = Make.Producer(ring);
        for (int lap = 0; lap < 10; lap++)
        {
            Make.PublishRange(producer, 0, 2);
            Assert.Equal(StepKind.Idle, stage.Step().Kind);
            WaitTarget target = stage.NextTarget();
            Assert.Equal(4 * lap + 3, target.Awaited);
            Assert.False(target.IsOver);
            producer.Publish(3);
            Assert.True(target.IsOver);
            Assert.Equal(4, Make.StepAll(stage));
        }
    }

    [Theory]
    [MemberData(nameof(Layouts))]
    public async Task HaltAsync_AnyLayout_CountsAndOffersWhatIsLeft(ProducerKind kind, StampLayout stamps, int stride)
    {
        List<long> offered = [];
        var ring = new RingBuffer<long>(16, new RingOptions<long>
        {
            Producers = kind, MaxProducers = kind == ProducerKind.Sharded ? 1 : 2, Stamps = stamps, SlotStride = stride,
            OnUnprocessed = (ref long item) => offered.Add(item),
        });
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 4);
        producer.Claim(2).Abort();
        Make.PublishRange(producer, 5, 6);
        stage.Step(3);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal([3, 4, 5, 6], offered);
        Assert.Equal(4, ring.Unprocessed);
    }

    [Theory]
    [MemberData(nameof(Layouts))]
    public async Task DrainAsync_AnyLayout_WaitsForAnOpenClaim(ProducerKind kind, StampLayout stamps, int stride)
    {
        RingBuffer<long> ring = Ring(8, kind, stamps, stride);
        var handler = new Summer();
        ring.Subscribe(handler);
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        producer.Publish(1);
        Task<DrainResult> drain = Begin();
        Assert.True((await Watchdog.Await(drain, ring)).IsDrained);
        Assert.Equal((2, 3), (handler.Count, handler.Sum));

        Task<DrainResult> Begin()
        {
            using Claim<long> claim = producer.Claim(3);
            Task<DrainResult> started = ring.DrainAsync(Timeout.InfiniteTimeSpan);
            Assert.False(started.IsCompleted);
            claim[0] = 2;
            claim.Commit(1);
            return started;
        }
    }
}
