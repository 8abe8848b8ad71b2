namespace Raceway.Rings.Tests;

/// <summary>Sharded rings with threads: many producers, every shape, and producers that wait for room in their lane.</summary>
public sealed class ShardedThreadsTests
{
    private const long Lane = 1_000_000_000;

    // Every lane's numbers from 0 on without a gap.
    private sealed class WholeLanes(int lanes) : IBatchHandler<long>
    {
        private readonly long[] _next = new long[lanes];

        public int Disorders { get; private set; }

        public IReadOnlyList<long> Next => _next;

        public void OnBatch(Batch<long> batch)
        {
            foreach (ref long item in batch)
                if (item % Lane != _next[item / Lane]++) Disorders++;
        }
    }

    public static TheoryData<int, string, string> Cases()
    {
        var data = new TheoryData<int, string, string>();
        string[] shapes = ["one", "chain", "fan", "diamond", "join"];
        string[] levels = ["each", "single", "batch", "min"];
        for (int producers = 1; producers <= 8; producers++)
        {
            for (int i = 0; i < shapes.Length; i++) data.Add(producers, shapes[i], levels[(producers + i) % levels.Length]);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Publish_ManyThreads_EachLaneIsWholeAndInOrder(int producers, string shape, string level)
    {
        const int Each = 1_000;
        var ring = Make.Ring(64, ProducerKind.Sharded, Wait.Park(), producers);
        List<WholeLanes> handlers = [];
        Stage Add(params Stage[] after)
        {
            handlers.Add(new WholeLanes(producers));
            Dispatch dispatch = level switch
            {
                "each" => Dispatch.Each(progressInterval: 3),
                "single" => Dispatch.Single,
                "min" => Dispatch.Batch(min: 5),
                _ => Dispatch.Batch(max: 17),
            };
            return ring.Subscribe(handlers[^1], new StageOptions { After = after, Dispatch = dispatch });
        }

        Stage first = Add();
        if (shape == "chain") Add(Add(first));
        if (shape == "fan") Add();
        if (shape == "diamond") Add(Add(first), Add(first));
        if (shape == "join") Add(first, Add());
        ring.Start();
        Task[] publishing = [.. Enumerable.Range(0, producers).Select(lane =>
        {
            SingleProducer<long> producer = ring.CreateProducer();
            return Watchdog.Run(() => Make.PublishRange(producer, lane * Lane, lane * Lane + Each - 1));
        })];
        await Watchdog.Await(Task.WhenAll(publishing), ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.All(handlers, handler =>
        {
            Assert.Equal(0, handler.Disorders);
            Assert.All(handler.Next, next => Assert.Equal(Each, next));
        });
    }

    [Theory]
    [InlineData("drain")]
    [InlineData("halt")]
    [InlineData("dispose")]
    [InlineData("fault")]
    public async Task Ending_EveryLaneBlocked_ReleasesEachProducer(string ending)
    {
        const int Lanes = 3;
        var ring = Make.Ring(16, ProducerKind.Sharded, Wait.Park(), Lanes);
        Stage stage = ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool _) =>
            {
                if (ending == "fault") throw new FormatException();
            }),
            Make.Stepped());
        ring.Start();
        Task<Exception?>[] blocked = [.. Enumerable.Range(0, Lanes).Select(_ =>
        {
            SingleProducer<long> producer = ring.CreateProducer();
            Make.PublishRange(producer, 0, producer.MaxClaim - 1);
            return Watchdog.RunThread(() => producer.Publish(99)).Ended;
        })];
        await Watchdog.UntilAsync(() => ring.HasBlockedProducers && Peek.IsProducerAsleep(ring), ring);
        Task end = ending switch
        {
            "drain" => ring.DrainAsync(Timeout.InfiniteTimeSpan),
            "halt" => ring.HaltAsync(),
            "fault" => Task.Run(() => stage.Step()),
            _ => ring.DisposeAsync().AsTask(),
        };
        foreach (Task<Exception?> each in blocked)
        {
            Exception? thrown = await Watchdog.Await(each, ring);
            Type expected = ending switch
            {
                "fault" => typeof(RingFaultedException),
                "dispose" => typeof(ObjectDisposedException),
                _ => typeof(RingStoppedException),
            };
            Assert.IsType(expected, thrown);
        }

        if (ending == "drain") Assert.Equal(12, Make.StepAll(stage));
        await Watchdog.Await(end, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(ending == "drain" ? 0 : 12, ring.Unprocessed);
    }

    [Fact]
    public async Task Room_OfOneLane_IsNotTheOthers()
    {
        var ring = Make.Ring(16, ProducerKind.Sharded, Wait.Park(), maxProducers: 2);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        SingleProducer<long> full = ring.CreateProducer();
        SingleProducer<long> other = ring.CreateProducer();
        Assert.Equal((8, 8), (full.MaxClaim, full.Remaining));
        Make.PublishRange(full, 0, 7);
        Assert.Equal((0, 8), (full.Remaining, other.Remaining));
        Assert.Throws<ArgumentOutOfRangeException>(() => full.Claim(9));
        Assert.Equal(ClaimStatus.Full, full.TryClaim(1, out _));
        Assert.Equal(ClaimStatus.TimedOut, full.TryClaim(1, TimeSpan.FromMilliseconds(1), out _));
        Make.PublishRange(other, 100, 103);
        Task<bool> room = full.WaitForRoomAsync(3).AsTask();
        Assert.False(room.IsCompleted);
        Make.StepAll(stage, quantum: 2);
        Assert.True(await Watchdog.Await(room, ring));
        Assert.Equal([.. Make.Range(0, 7).Concat(Make.Range(100, 103))], handler.Items.Order());
        Assert.Equal((8, 8), (full.Remaining, other.Remaining));
    }
}
