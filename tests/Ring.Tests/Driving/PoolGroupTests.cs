namespace Raceway.Rings.Tests;

/// <summary>Stages that the pool steps together: who drives them changes, and no item and no count is lost with that.</summary>
public sealed class PoolGroupTests
{
    private const int Items = 100_000;

    [Fact]
    public async Task AfterTheStart_Together()
    {
        await using Chain chain = new(3);
        chain.Ring.Start();

        await Watchdog.UntilAsync(() => chain.AreTogether, "the stages are together");

        chain.Publish(1);
        await Watchdog.UntilAsync(() => chain.Recorders[^1].Count == 1, "the item is through");
        Assert.True(chain.AreTogether);
    }

    [Fact]
    public async Task StageLeaves_TheOthersComeTogetherAgain()
    {
        await using Chain chain = new(3);
        chain.Ring.Start();
        await Watchdog.UntilAsync(() => chain.AreTogether, "the stages are together");

        await chain.Ring.DetachAsync(chain.Stages[2]).OrHang();

        // By items that come late enough to be a load of their own.
        await Watchdog.UntilAsync(
            () =>
            {
                chain.Publish(1);
                Thread.Sleep(1);
                return chain.Stages[0].IsDrivenWith(chain.Stages[1]);
            },
            "the two that are left are together");
    }

    // The pause before the retry is waited for by the stage alone.
    [Fact]
    public async Task Fault_TriedAgain_PartsThemAndLosesNothing()
    {
        await using Chain chain = new(3, FaultPolicy.Retry(1, TimeSpan.FromMilliseconds(1)));
        chain.Recorders[1].FailsOnceAt = 5;
        chain.Ring.Start();
        await Watchdog.UntilAsync(() => chain.AreTogether, "the stages are together");

        chain.Publish(10);

        await Watchdog.UntilAsync(() => chain.Recorders[^1].Count == 10, "all items are through");
        Assert.Equal(1, chain.Stages[1].GetStatistics().Retries);
        Assert.All(chain.Recorders, static recorder => Assert.Equal(10, recorder.Count));
    }

    // Items so dear that it pays to be apart, and idle times in which they come together: order and counts stay right.
    [Fact]
    public async Task PartedAndJoinedAgainAndAgain_EveryItemOnceInOrder()
    {
        await using Chain chain = new(3);
        foreach (CheckedRecorder recorder in chain.Recorders) recorder.Spins = 200;
        chain.Ring.Start();
        for (int load = 0; load < 10; load++)
        {
            await Watchdog.Run(() => chain.Publish(Items / 10)).OrHang();
            await Task.Delay(25);
        }

        Assert.True((await chain.Ring.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.All(chain.Recorders, static recorder => Assert.Equal(Items, recorder.Count));
        Assert.All(chain.Stages, static stage => Assert.Equal(Items, stage.GetStatistics().Items));
    }

    [Fact]
    public async Task Statistics_DriverChanges_NeverGoBack()
    {
        await using Chain chain = new(2, FaultPolicy.Retry(1, TimeSpan.FromMilliseconds(1)));
        chain.Ring.Start();
        StageStatistics before = chain.Stages[1].GetStatistics();
        for (int i = 0; i < 20; i++)
        {
            chain.Recorders[1].FailsOnceAt = i;
            chain.Publish(1);
            await Watchdog.UntilAsync(() => chain.Recorders[1].Count == i + 1, "the item is through");
            StageStatistics now = chain.Stages[1].GetStatistics();
            // Two of its clock reads may be one after another: nothing is lost, but a tick or so is rounded.
            TimeSpan tick = TimeSpan.FromMicroseconds(1);
            Assert.True(now.Waits >= before.Waits && now.Parks >= before.Parks, $"{now} after {before}");
            Assert.True(now.Starved >= before.Starved - tick && now.Waking >= before.Waking - tick, $"{now} after {before}");
            before = now;
        }

        TimeSpan total = before.Working + before.Starved + before.Blocked + before.Waking;
        Assert.True(total > TimeSpan.FromMilliseconds(20), $"20 retries of a millisecond each took {total}");
    }

    private sealed class Chain : IAsyncDisposable
    {
        private readonly SingleProducer<long> _producer;
        private long _next;

        public Chain(int stages, FaultPolicy? policy = null)
        {
            Ring = new RingBuffer<long>(1024, new RingOptions<long> { Wait = Wait.AsyncUncut });
            List<Stage> all = [];
            Recorders = [.. Enumerable.Range(0, stages).Select(static _ => new CheckedRecorder())];
            foreach (CheckedRecorder recorder in Recorders)
                all.Add(Ring.Subscribe(recorder, new StageOptions { After = [.. all.TakeLast(1)], OnFault = policy }));
            Stages = all;
            Ring.StepTogether(all);
            _producer = Ring.CreateProducer();
        }

        public RingBuffer<long> Ring { get; }

        public List<Stage> Stages { get; }

        public CheckedRecorder[] Recorders { get; }

        public bool AreTogether => Stages.All(Stages[0].IsDrivenWith);

        public void Publish(int count)
        {
            for (int i = 0; i < count; i++) _producer.Publish(_next++);
        }

        public ValueTask DisposeAsync() => Ring.DisposeAsync();
    }

    private sealed class CheckedRecorder : IEventHandler<long>
    {
        private long _count;
        private long _failed = -1;

        public long Count => Volatile.Read(ref _count);

        public long FailsOnceAt { get; set; } = -1;

        public int Spins { get; set; }

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            if (item == FailsOnceAt && _failed != item)
            {
                _failed = item;
                throw new InvalidOperationException("once");
            }

            if (Spins > 0) Thread.SpinWait(Spins);
            Assert.Equal(_count, item);
            Volatile.Write(ref _count, _count + 1);
        }
    }
}
