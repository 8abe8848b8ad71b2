namespace Raceway.Rings.Tests;

/// <summary>Stages that the pool steps together: their drivers change, and no item and no count is lost with that.</summary>
public sealed class PoolGroupTests
{
    private const int Items = 10_000;

    // Without an item. A stage that is slow to begin is waited for some milliseconds only, so one try may fail.
    [Fact]
    public async Task AfterTheStart_Together()
    {
        bool needsNone = false;
        for (int i = 0; i < 10 && !needsNone; i++)
        {
            await using PoolChain chain = new(3);
            chain.Ring.Start();

            await chain.UntilTogetherAsync();

            needsNone = chain.Published == 0;
            chain.Publish(1);
            await chain.UntilThroughAsync();
        }

        Assert.True(needsNone);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public async Task StageLeavesBeforeTheStart_TheOthersComeTogether(int leaves)
    {
        await using var ring = new RingBuffer<long>(8, new RingOptions<long> { Wait = Wait.AsyncUncut });
        List<Stage> stages = [.. Enumerable.Range(0, 3).Select(_ => ring.Subscribe((ref long _) => { }))];
        ring.StepTogether(stages);
        await ring.DetachAsync(stages[leaves]).OrHang();
        SingleProducer<long> producer = ring.CreateProducer();
        ring.Start();

        stages.RemoveAt(leaves);
        await PoolChain.UntilTogetherAsync(stages, () => producer.TryPublish(0));
    }

    // One of them is in its first call when all are to come together: the others wait for it for some milliseconds, and go on.
    [Fact]
    public async Task HandlerBlocksWhileTheyGather_TheOthersGoOn()
    {
        using var release = new ManualResetEventSlim();
        long first = 0;
        await using var ring = new RingBuffer<long>(8, new RingOptions<long> { Wait = Wait.AsyncUncut });
        Stage[] stages =
        [
            ring.Subscribe((ref long _) => Interlocked.Increment(ref first)),
            ring.Subscribe((ref long _) => release.Wait()),
        ];
        ring.StepTogether(stages);
        SingleProducer<long> producer = ring.CreateProducer();
        producer.Publish(0);
        ring.Start();
        try
        {
            for (int i = 1; i < 8; i++) producer.Publish(i);
            await Watchdog.UntilAsync(() => Volatile.Read(ref first) == 8, "the first stage has all");
        }
        finally
        {
            release.Set();
        }
    }

    [Fact]
    public async Task KeepApart_TheyPartAndStaySo()
    {
        await using PoolChain chain = new(3);
        // Nothing has been compared yet.
        Assert.False(chain.Group.Lingers);
        chain.Ring.Start();
        await chain.UntilTogetherAsync();
        Assert.False(chain.Group.Lingers);

        chain.Ring.KeepApart(chain.Stages[1]);
        await Watchdog.UntilAsync(() => !chain.Stages[0].IsDrivenWith(chain.Stages[1]), "the stages are apart");

        long joined = chain.Group.Joined;
        for (int i = 0; i < 10; i++)
        {
            chain.Publish(100);
            await Task.Delay(5);
        }

        Assert.Equal(joined, chain.Group.Joined);
        // The load may be low for ever.
        Assert.False(chain.Group.Lingers);
    }

    // A call that has a price of its own is given more and more, though a batch of all stages ends at 32 KiB of slots at first.
    [Fact]
    public async Task MostOf_DriverAsksForMoreThanAtFirst_IsGivenIt()
    {
        await using var ring = new RingBuffer<Large>(8, new RingOptions<Large> { Wait = Wait.AsyncUncut });
        Stage first = ring.Subscribe((ref Large _) => { });
        PoolGroup group = ring.StepTogether([first, ring.Subscribe((ref Large _) => { }, new StageOptions { After = [first] })])!;

        Assert.Equal(256, group.MostOf(Quantum.Most));
        Assert.Equal(Quantum.Most * 2, group.MostOf(Quantum.Most * 2));
    }

    // A step that is soon done takes no more than goes through at a time: else a long one would jump to many times as many.
    [Fact]
    public async Task MostShort_LargeSlotsInALargeRing_IsNoMoreThanUsual()
    {
        await using var ring = new RingBuffer<Large>(16_384, new RingOptions<Large> { Wait = Wait.AsyncUncut });
        Stage first = ring.Subscribe((ref Large _) => { });
        Stage second = ring.Subscribe((ref Large _) => { }, new StageOptions { After = [first] });
        PoolGroup group = ring.StepTogether([first, second])!;

        Assert.Equal((Quantum.Most, 4096), (group.MostShort, first.MostShort));
        Assert.Equal(Quantum.Most * 2, group.MostOf(Quantum.Most * 2));
    }

    [Fact]
    public async Task StageLeaves_TheOthersComeTogetherAgain()
    {
        await using PoolChain chain = new(3);
        chain.Ring.Start();
        await chain.UntilTogetherAsync();

        await chain.Ring.DetachAsync(chain.Stages[2]).OrHang();
        // They are apart for that, and not to do more.
        Assert.False(chain.Group.Lingers);

        // They stay apart for a while, and come together with an item then.
        await Watchdog.UntilAsync(
            () =>
            {
                chain.Publish(1);
                return chain.Stages[0].IsDrivenWith(chain.Stages[1]);
            },
            "the two that are left are together");
    }

    // The pause before the retry is waited for by the stage alone.
    [Fact]
    public async Task Fault_TriedAgain_PartsThemAndLosesNothing()
    {
        await using PoolChain chain = new(3, FaultPolicy.Retry(1, TimeSpan.FromMilliseconds(1)));
        chain.Ring.Start();
        await chain.UntilTogetherAsync();
        await chain.UntilThroughAsync();
        chain.Recorders[1].FailsOnceAt = chain.Published + 5;

        chain.Publish(10);

        await chain.UntilThroughAsync();
        Assert.Equal(1, chain.Stages[1].GetStatistics().Retries);
        Assert.All(chain.Recorders, recorder => Assert.Equal(chain.Published, recorder.Count));
    }

    // Expensive items, with which stages are faster apart, and idle times in which they come together: order and counts stay right.
    [Fact]
    public async Task PartedAndJoinedAgainAndAgain_EveryItemOnceInOrder()
    {
        await using PoolChain chain = new(3);
        foreach (CheckedRecorder recorder in chain.Recorders) recorder.Spins = 200;
        chain.Ring.Start();
        int loads = 0;
        bool lingered = false;
        // On one processor there is nothing to gain by parting; and while other tests want the pool's threads, it is not tried.
        while (loads < 10 || (loads < 200 && (chain.Group.Joined < 2 || !lingered) && !Cpu.IsAlone))
        {
            await Watchdog.Run(() => chain.Publish(Items)).OrHang();
            lingered |= chain.Group.Lingers;
            await Task.Delay(25);
            loads++;
        }

        Assert.True((await chain.Ring.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.All(chain.Recorders, recorder => Assert.Equal(Items * loads, recorder.Count));
        Assert.All(chain.Stages, stage => Assert.Equal(Items * loads, stage.GetStatistics().Items));
        Assert.True(chain.Group.Joined > (Cpu.IsAlone ? 0 : 1), $"they came together {chain.Group.Joined} times");
        Assert.NotEqual(Cpu.IsAlone, lingered);
    }

    [Fact]
    public async Task Statistics_DriverChanges_NeverGoBack()
    {
        await using PoolChain chain = new(2, FaultPolicy.Retry(1, TimeSpan.FromMilliseconds(1)));
        chain.Ring.Start();
        StageStatistics[] before = [.. chain.Stages.Select(static stage => stage.GetStatistics())];
        for (int i = 0; i < 8; i++)
        {
            // Long enough that what they are together, or apart, counts as shows.
            await Task.Delay(50);
            IsNotLess();
            chain.Recorders[1].FailsOnceAt = i;
            chain.Publish(1);
            await Watchdog.UntilAsync(() => chain.Recorders[1].Count == i + 1, "the item is through");
            IsNotLess();
        }

        foreach (StageStatistics stage in before)
        {
            TimeSpan total = stage.Working + stage.Starved + stage.Blocked + stage.Waking;
            Assert.True(total > TimeSpan.FromMilliseconds(400), $"eight waits of 50 ms took {total}");
            // Not of the total: where other tests hold the pool's threads, most of it is spent ready, without a thread.
            Assert.True(stage.Starved > TimeSpan.FromMilliseconds(200), $"starved {stage.Starved} of {total}");
        }

        void IsNotLess()
        {
            for (int i = 0; i < before.Length; i++)
            {
                StageStatistics now = chain.Stages[i].GetStatistics();
                Assert.True(now.Waits >= before[i].Waits && now.Parks >= before[i].Parks, $"{now} after {before[i]}");
                // A snapshot that is taken while the driver changes may be ahead by that time.
                TimeSpan change = TimeSpan.FromMilliseconds(10);
                foreach (Func<StageStatistics, TimeSpan> time in s_times)
                    Assert.True(time(now) >= time(before[i]) - change, $"{now.Name}: {time(now)} after {time(before[i])}");
                before[i] = now;
            }
        }
    }

    [Fact]
    public async Task HandlerSetsAnAsyncLocal_TheNextStageDoesNotSeeIt()
    {
        var local = new AsyncLocal<int>();
        int seen = -1;
        await using var ring = new RingBuffer<long>(8, new RingOptions<long> { Wait = Wait.AsyncUncut });
        Stage first = ring.Subscribe((ref long _) => local.Value = 1);
        Stage second = ring.Subscribe((ref long _) => Volatile.Write(ref seen, local.Value), new StageOptions { After = [first] });
        ring.StepTogether([first, second]);
        SingleProducer<long> producer = ring.CreateProducer();
        ring.Start();
        await PoolChain.UntilTogetherAsync([first, second], () => producer.TryPublish(1));
        await Watchdog.UntilAsync(() => ring.Backlog == 0, "what was published so far is through");
        Volatile.Write(ref seen, -1);

        producer.Publish(1);

        await Watchdog.UntilAsync(() => Volatile.Read(ref seen) >= 0, "the item is through");
        Assert.Equal(0, seen);
    }

    private static readonly Func<StageStatistics, TimeSpan>[] s_times =
        [static one => one.Working, static one => one.Starved, static one => one.Blocked, static one => one.Waking];

    [System.Runtime.CompilerServices.InlineArray(16)]
    private struct Large
    {
        private long _first;
    }
}
