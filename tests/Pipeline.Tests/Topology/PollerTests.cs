using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Stages that are asked for their items.</summary>
public sealed class PollerTests
{
    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Poll_BetweenOtherStages_SeesAllInOrderAndReleasesThem(Plan plan)
    {
        const int Count = 1_000;
        long early = 0;
        var behind = new Recorder { Before = item => { if (item.Mark != 7) early++; } };
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(32).HaltOnDispose()
            .Stage("before", static (ref Routed item) => item.Mark = 1)
            .Poller("asked")
            .Stage("behind", behind.Do)
            .Run(plan);
        using Pump? pump = plan == Plan.Manual ? Pump.For(pipeline) : null;
        Task producing = Task.Run(() =>
        {
            SingleProducer<Routed> producer = pipeline.CreateProducer();
            for (long id = 0; id < Count; id++) producer.Publish(new Routed { Id = id });
        });
        Task<List<long>> polling = Task.Run(() =>
        {
            Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
            List<long> seen = [];
            while (seen.Count < Count)
            {
                using PolledBatch<Routed> batch = poller.Poll(7);
                Assert.InRange(batch.Count, 0, plan == Plan.Manual ? 32 : 7);
                foreach (ref Routed item in batch)
                {
                    if (item.Mark == 1) seen.Add(item.Id);
                    item.Mark = 7;
                }

                if (batch.Status == PollStatus.Idle) Thread.Yield();
            }

            return seen;
        });
        if (pump is null) await producing.OrHang();

        Assert.Equal(RouteTests.Ids(_ => true, Count), await polling.OrHang());
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.Equal((Count, 0), (behind.Ids.Count, early));
        // Within a step of the pump a poll finds nothing.
        pump?.Dispose();
        using PolledBatch<Routed> after = pipeline.GetPoller<Routed>("asked").Poll();
        Assert.Equal((PollStatus.Ended, 0), (after.Status, after.Count));
    }

    [Fact]
    public async Task Poll_Open_HoldsItsItemsUntilDisposed()
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(4).HaltOnDispose().Poller("asked").Run();
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        Assert.Equal(PollStatus.Idle, poller.Poll().Status);
        for (long id = 0; id < 4; id++) producer.Publish(new Routed { Id = id });

        PolledBatch<Routed> batch = poller.Poll(3);
        Assert.Equal((3, -1L), (batch.Count, poller.Stage.Position));
        Assert.Throws<InvalidOperationException>(() => poller.Poll().Count);
        Assert.Equal(ClaimStatus.Full, producer.TryPublish(default));
        batch.Items.Complete(1);
        Assert.Equal(0, poller.Stage.Position);
        batch.Dispose();
        Assert.Equal(2, poller.Stage.Position);

        PolledBatch<Routed> last = poller.Poll();
        // The first one is over: it must not end the second.
        batch.Dispose();
        Assert.Equal((1, 2L), (last.Count, poller.Stage.Position));
        last.Dispose();
        Assert.Equal(3, poller.Stage.Position);
    }

    [Fact]
    public async Task Poll_ByTwoThreads_GivesEachItemOnceOrRefuses()
    {
        const int Count = 20_000;
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(32).HaltOnDispose().Poller("asked").Run();
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        int[] seen = new int[Count];
        Task[] polling = [Task.Run(PollToTheEnd), Task.Run(PollToTheEnd)];
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < Count; id++) producer.Publish(new Routed { Id = id });
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        await Task.WhenAll(polling).OrHang();
        Assert.All(seen, static times => Assert.Equal(1, times));

        void PollToTheEnd()
        {
            while (true)
            {
                try
                {
                    using PolledBatch<Routed> batch = poller.Poll(7);
                    foreach (ref Routed item in batch) Interlocked.Increment(ref seen[item.Id]);
                    if (batch.Status == PollStatus.Ended) return;
                    if (batch.Status == PollStatus.Idle) Thread.Yield();
                }
                catch (InvalidOperationException)
                {
                    // The other thread is inside a call, or has a batch.
                    Thread.Yield();
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task HaltAsync_OfferThatIsNotPolled_EndsAndLeavesItUnprocessed(Plan plan)
    {
        Pipeline<Routed> pipeline = Pipeline.Of<Routed>(4).Poller("asked").Run(plan);
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < 4; id++) producer.Publish(new Routed { Id = id });
        Assert.Equal(StepKind.Pending, poller.Stage.Step(2).Kind);
        Assert.True(poller.HasMore);

        await pipeline.HaltAsync().OrHang();
        Assert.Equal((RingState.Stopped, 4L), (pipeline.State, pipeline.Unprocessed));
        Assert.Equal((PollStatus.Ended, 0L), (poller.Poll().Status, poller.Stage.GetStatistics().Faults));
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task DisposeAsync_OfferThatIsNotPolled_DoesNotWaitForAPoll(Plan plan)
    {
        Pipeline<Routed> pipeline = Pipeline.Of<Routed>(4)
            .Configure(static options => options with { DrainTimeout = Timeout.InfiniteTimeSpan }).Poller("asked").Run(plan);
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        pipeline.CreateProducer().Publish(new Routed { Id = 1 });
        Assert.Equal(StepKind.Pending, poller.Stage.Step().Kind);

        await pipeline.DisposeAsync().AsTask().OrHang();
        Assert.Equal((RingState.Stopped, 1L), (pipeline.State, pipeline.Unprocessed));
    }

    [Fact]
    public async Task DetachAsync_OfferThatIsNotPolled_LeavesWithoutAFault()
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(4).HaltOnDispose()
            .Stage("other", static (ref Routed item) => item.Mark = 1).After().Poller("asked").Run();
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        pipeline.CreateProducer().Publish(new Routed { Id = 1 });
        Assert.Equal(StepKind.Pending, poller.Stage.Step().Kind);

        await pipeline.DetachAsync("asked").OrHang();
        Assert.Equal((RingState.Running, 0L), (pipeline.State, poller.Stage.GetStatistics().Faults));
        Assert.False(poller.HasMore);
        Assert.Equal(PollStatus.Ended, poller.Poll().Status);
    }

    [Fact]
    public async Task WaitAsync_WhileAnotherWaits_IsRefusedAndTheFirstGoesOn()
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(32).HaltOnDispose().Poller("asked").Run();
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        Assert.Equal(PollStatus.Idle, poller.Poll().Status);
        Task first = poller.WaitAsync().AsTask();
        Assert.Throws<InvalidOperationException>(() => { _ = poller.WaitAsync().AsTask(); });
        // Between the two a poll is allowed.
        Assert.Equal(PollStatus.Idle, poller.Poll().Status);
        pipeline.CreateProducer().Publish(new Routed { Id = 1 });
        await first.OrHang();
        await poller.WaitAsync().OrHang();
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task WaitAsync_BetweenPolls_MissesNothingAndEndsWithThePipeline(Plan plan)
    {
        const int Count = 500;
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(16).HaltOnDispose()
            .Stage("before", static (ref Routed item) => item.Mark = 1)
            .Poller("asked")
            .Run(plan);
        using Pump? pump = plan == Plan.Manual ? Pump.For(pipeline) : null;
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        Task<long> polling = Task.Run(async () =>
        {
            long count = 0;
            PollStatus status;
            while ((status = Take(poller, ref count)) != PollStatus.Ended)
                if (status == PollStatus.Idle) await poller.WaitAsync();
            return count;
        });
        await Task.Run(() =>
        {
            SingleProducer<Routed> producer = pipeline.CreateProducer();
            for (long id = 0; id < Count; id++) producer.Publish(new Routed { Id = id });
        }).OrHang();

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.Equal(Count, await polling.OrHang());

        static PollStatus Take(Poller<Routed> poller, ref long count)
        {
            using PolledBatch<Routed> batch = poller.Poll();
            foreach (ref Routed item in batch) Assert.Equal(count++, item.Id);
            return batch.Status;
        }
    }

    [Fact]
    public async Task WaitAsync_PipelineEndedBetweenPolls_IsOverAtOnce()
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(4).HaltOnDispose().Poller("asked").Run();
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        Assert.Equal(PollStatus.Idle, poller.Poll().Status);

        // The ring ends the stage by a step of its own, which sees the end in the poll's place.
        await pipeline.HaltAsync().OrHang();

        await poller.WaitAsync().OrHang();
        Assert.Equal(PollStatus.Ended, poller.Poll().Status);
    }

    [Fact]
    public async Task WaitAsync_CancelledOrMisused_TakesNothing()
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(4).HaltOnDispose().Poller("asked").Run();
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        Assert.Equal(PollStatus.Idle, poller.Poll().Status);
        using var cancel = new CancellationTokenSource();
        ValueTask wait = poller.WaitAsync(cancel.Token);
        Assert.False(wait.IsCompleted);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wait.OrHang());

        pipeline.CreateProducer().Publish(new Routed { Id = 7 });
        await poller.WaitAsync().OrHang();
        PolledBatch<Routed> batch = poller.Poll();
        Assert.Equal((1, 7L), (batch.Count, batch.Items[0].Id));
        Assert.Throws<InvalidOperationException>(() => { _ = poller.WaitAsync().AsTask(); });
        batch.Dispose();
    }

    [Fact]
    public async Task Attach_Poller_IsPolledFromThenOnAndLeaves()
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(4).HaltOnDispose().Stage("none", static (ref Routed _) => { }).Run();
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        producer.Publish(new Routed { Id = 1 });
        Watchdog.Until(() => pipeline["none"].Position == 0, "the first item");
        pipeline.Attach(definition => definition.After("none").Poller("asked"));
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        producer.Publish(new Routed { Id = 2 });
        Watchdog.Until(() => pipeline["none"].Position == 1, "the second item");
        PolledBatch<Routed> batch = poller.Poll();
        Assert.Equal((1, 2L), (batch.Count, batch.Items[0].Id));
        batch.Dispose();

        await pipeline.DetachAsync("asked").OrHang();
        Assert.Equal(PollStatus.Ended, poller.Poll().Status);
        Assert.Throws<KeyNotFoundException>(() => pipeline.GetPoller<Routed>("asked"));
        for (int i = 0; i < 100; i++) producer.Publish(default);
    }

    [Fact]
    public async Task Fail_Skip_GivesHalvesUntilTheItemIsFound()
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(8).HaltOnDispose()
            .Poller("asked", new() { OnFault = FaultPolicy.Skip }).Run();
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < 4; id++) producer.Publish(new Routed { Id = id });
        List<string> polled = [];
        for (int polls = 0; poller.Stage.Position < 3; polls++)
        {
            Assert.True(polls < 100);
            using PolledBatch<Routed> batch = poller.Poll();
            bool fails = false;
            foreach (ref Routed item in batch) fails |= item.Id == 2;
            if (batch.Count > 0) polled.Add($"{batch.Items.Sequence}+{batch.Count}");
            if (fails) batch.Fail(new InvalidOperationException("2"));
        }

        Assert.Equal(["0+4", "0+2", "2+1", "3+1"], polled);
        Assert.Equal((1, 2), (poller.Stage.GetStatistics().Skipped, poller.Stage.GetStatistics().Faults));
    }

    [Fact]
    public async Task Poll_OnAnEdge_GivesSelectedItemsOnly()
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(64).HaltOnDispose()
            .Filter("some", static (ref readonly Routed item) => item.Id % 10 is 1 or 2)
            .Poller("asked").Run(Plan.Manual);
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < 50; id++) producer.Publish(new Routed { Id = id });
        pipeline.Stages[0].Step();
        List<long> seen = [];
        while (true)
        {
            using PolledBatch<Routed> batch = poller.Poll();
            if (batch.Count == 0) break;
            foreach (ref Routed item in batch) seen.Add(item.Id);
        }

        Assert.Equal(RouteTests.Ids(id => id % 10 is 1 or 2, 50), seen);
        Assert.Equal(49, poller.Stage.Position);
    }

    [Fact]
    public async Task Halt_BatchOpen_WaitsForIt()
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(8).HaltOnDispose().Poller("asked").Run();
        pipeline.CreateProducer().Publish(default);
        Poller<Routed> poller = pipeline.GetPoller<Routed>("asked");
        var polled = new TaskCompletionSource();
        using var go = new ManualResetEventSlim();
        Task holding = Task.Run(() =>
        {
            using PolledBatch<Routed> batch = poller.Poll();
            polled.SetResult();
            go.Wait();
        });
        await polled.Task.OrHang();

        Task halted = pipeline.HaltAsync();
        Assert.False(pipeline.Completion.IsCompleted);
        go.Set();
        await halted.OrHang();
        await holding.OrHang();

        Assert.Equal(PollStatus.Ended, poller.Poll().Status);
        Assert.Equal(0, pipeline.Unprocessed);
    }

    [Fact]
    public async Task GetPoller_UnknownNameOrType_SaysWhatThereIs()
    {
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(8).HaltOnDispose().Poller("asked").Build();

        Assert.Contains("asked", Assert.Throws<KeyNotFoundException>(() => pipeline.GetPoller<Routed>("other")).Message, StringComparison.Ordinal);
        Assert.Throws<KeyNotFoundException>(() => pipeline.GetPoller<long>("asked"));
        Assert.Throws<ArgumentOutOfRangeException>(() => pipeline.GetPoller<Routed>("asked").Poll(0).Count);
    }
}
