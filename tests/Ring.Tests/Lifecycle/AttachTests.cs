namespace Raceway.Rings.Tests;

/// <summary>Stages that join a ring that runs, and rings under stages that come and go.</summary>
public sealed class AttachTests
{
    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void Subscribe_BeforeTheStart_SeesEverythingPublished(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 2);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        Make.PublishRange(producer, 3, 4);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 4), handler.Items);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Subscribe_Running_SeesExactlyWhatIsPublishedAfterwards(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        Stage first = ring.Subscribe(new Recorder(), Make.Stepped());
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 4);
        var late = new Recorder();
        Stage second = ring.Subscribe(late, Make.Stepped());
        Assert.Equal(4, second.Position);
        Make.PublishRange(producer, 5, 7);
        Assert.Equal(ClaimStatus.Full, producer.TryPublish(8));
        Make.StepAll(second);
        Make.StepAll(first);
        Assert.Equal(ClaimStatus.Done, producer.TryPublish(8));
        Make.StepAll(second);
        Assert.Equal(Make.Range(5, 8), late.Items);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    [Fact]
    public async Task Subscribe_RunningMulti_ClaimedUnpublishedIsItsToSee()
    {
        var ring = Make.Ring(8, ProducerKind.Multi);
        Stage first = ring.Subscribe(new Recorder(), Make.Stepped());
        ring.Start();
        var late = new Recorder();
        Stage second = Attach();
        Make.StepAll(first);
        Make.StepAll(second);
        // 0 was published, 1 was open, 2 was published behind it: 1 and 2 are after the published mark.
        Assert.Equal([1, 2], late.Items);
        await Watchdog.Await(ring.HaltAsync(), ring);

        Stage Attach()
        {
            MultiProducer<long> one = ring.CreateMultiProducer();
            MultiProducer<long> two = ring.CreateMultiProducer();
            one.Publish(0);
            using Claim<long> open = one.Claim();
            two.Publish(2);
            Stage stage = ring.Subscribe(late, Make.Stepped());
            open.Slot = 1;
            open.Commit();
            return stage;
        }
    }

    [Fact]
    public async Task Subscribe_RunningBehindAStage_BeginsWhereThatOneIs()
    {
        var ring = Make.Ring(8);
        Stage first = ring.Subscribe(new Recorder(), Make.Stepped());
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 5);
        first.Step(2);
        var late = new Recorder();
        Stage second = ring.Subscribe(late, Make.Stepped(after: [first]));
        Make.StepAll(second);
        Assert.Empty(late.Items);
        Make.StepAll(first);
        Make.StepAll(second);
        Assert.Equal(Make.Range(2, 5), late.Items);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    [Fact]
    public async Task Subscribe_ProducerWaitsForAnyStage_IsReleased()
    {
        var ring = Make.Ring(4);
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 3);
        Task publishing = Watchdog.Run(() => Make.PublishRange(producer, 4, 99));
        await Watchdog.UntilAsync(() => !Peek.IsCalm(ring.Sequencer.Cursor), ring);
        var handler = new Recorder();
        ring.Subscribe(handler);
        ring.Start();
        await Watchdog.Await(publishing, ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(Make.Range(0, 99), handler.Items);
    }

    // Sees an unbroken run, wherever it begins.
    private sealed class RunChecker : IBatchHandler<long>
    {
        private readonly Dictionary<long, long> _last = [];

        public long Count { get; private set; }

        public int Gaps { get; private set; }

        // Items are lane × 10⁹ + number: of each lane, every number after the first must come.
        public void OnBatch(Batch<long> batch)
        {
            foreach (ref long item in batch)
            {
                long lane = item / 1_000_000_000, number = item % 1_000_000_000;
                if (_last.TryGetValue(lane, out long last) && number != last + 1) Gaps++;
                _last[lane] = number;
                Count++;
            }
        }
    }

    [Theory]
    [InlineData(ProducerKind.Single, 2)]
    [InlineData(ProducerKind.Multi, 2)]
    [InlineData(ProducerKind.Sharded, 4)]
    [InlineData(ProducerKind.Single, 64)]
    [InlineData(ProducerKind.Multi, 64)]
    [InlineData(ProducerKind.Sharded, 64)]
    public async Task AttachAndDetach_UnderLoad_LosesNothing(ProducerKind kind, int capacity)
    {
        const int Changes = 60;
        var ring = Make.Ring(capacity, kind, maxProducers: 2);
        var always = new RunChecker();
        ring.Subscribe(always);
        ring.Start();
        bool stop = false;
        int lanes = kind == ProducerKind.Single ? 1 : 2;
        long[] published = new long[lanes];
        Task[] publishing = [.. Enumerable.Range(0, lanes).Select(lane =>
        {
            Producer<long> producer = Make.Producer(ring);
            return Watchdog.Run(() =>
            {
                while (!Volatile.Read(ref stop)) producer.Publish(lane * 1_000_000_000L + published[lane]++);
            });
        })];
        List<RunChecker> guests = [];
        for (int i = 0; i < Changes; i++)
        {
            var guest = new RunChecker();
            guests.Add(guest);
            Stage stage = ring.Subscribe(guest);
            long from = stage.Position;
            await Watchdog.UntilAsync(() => stage.Position > from + capacity, ring);
            await Watchdog.Await(ring.DetachAsync(stage), ring);
        }

        Volatile.Write(ref stop, true);
        await Watchdog.Await(Task.WhenAll(publishing), ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal((published.Sum(), 0), (always.Count, always.Gaps));
        Assert.All(guests, guest => Assert.Equal(0, guest.Gaps));
        Assert.Single(ring.Stages);
    }

    [Fact]
    public async Task Start_Twice_Throws()
    {
        var ring = Make.Ring();
        await Watchdog.Await(ring.StartAsync(), ring);
        await Assert.ThrowsAsync<InvalidOperationException>(ring.StartAsync);
        await Watchdog.Await(ring.HaltAsync(), ring);
        await Assert.ThrowsAsync<InvalidOperationException>(ring.StartAsync);
    }

    [Fact]
    public async Task Halt_WhileStarting_EndsStopped()
    {
        for (int round = 0; round < 50; round++)
        {
            var ring = Make.Ring();
            List<Recorder> handlers = [.. Enumerable.Range(0, 4).Select(_ => new Recorder())];
            foreach (Recorder handler in handlers) ring.Subscribe(handler);
            Task starting = Task.Run(ring.StartAsync);
            if (round % 2 == 0) await Task.Yield();
            await Watchdog.Await(ring.HaltAsync(), ring);
            await Watchdog.Await(starting.ContinueWith(_ => { }, TaskScheduler.Default), ring);
            Assert.Equal(RingState.Stopped, ring.State);
            Assert.All(handlers, handler => Assert.Equal(handler.Starts, handler.Stops));
        }
    }

    [Fact]
    public async Task DetachAsync_OfAStageAndOfTheOneItFollows_KeepsTheSlotsOfThoseBefore()
    {
        using var letFirst = new ManualResetEventSlim();
        using var letSecond = new ManualResetEventSlim();
        using var letThird = new ManualResetEventSlim();
        using var inSecond = new ManualResetEventSlim();
        using var inThird = new ManualResetEventSlim();
        var seen = new List<long>();
        await using var ring = new RingBuffer<long>(4);
        Stage first = ring.Subscribe((ref long item) =>
        {
            if (item == 2) letFirst.Wait();
            seen.Add(item);
        }, new StageOptions { Dispatch = Dispatch.Single });
        Stage second = ring.Subscribe(
            (ref long item) =>
            {
                if (item != 1) return;
                inSecond.Set();
                letSecond.Wait();
            }, new StageOptions { After = [first], Dispatch = Dispatch.Single });
        Stage third = ring.Subscribe(
            (ref long _) =>
            {
                inThird.Set();
                letThird.Wait();
            }, new StageOptions { After = [second], Dispatch = Dispatch.Single });
        // Beside them: with it there is always a stage that holds slots back.
        Stage beside = ring.Subscribe(static (ref long _) => { });
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        for (long item = 0; item < 4; item++) producer.Publish(item);
        Watchdog.Until(() => inThird.IsSet && inSecond.IsSet, "both calls");

        // Both are inside a call: the last one goes out first, while the one before it is on its way out.
        Task last = ring.DetachAsync(third);
        Task before = ring.DetachAsync(second);
        letThird.Set();
        await last.OrHang();
        Watchdog.Until(() => beside.Position == 3, "the stage beside them");
        ClaimStatus[] whileItLeaves = [producer.TryPublish(4), producer.TryPublish(5)];
        letSecond.Set();
        await before.OrHang();
        // The slots of the first stage from here on: it holds item 2.
        ClaimStatus[] behind = [producer.TryPublish(5), producer.TryPublish(6)];
        letFirst.Set();
        Assert.True((await ring.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.Equal([ClaimStatus.Done, ClaimStatus.Full], whileItLeaves);
        Assert.Equal([ClaimStatus.Done, ClaimStatus.Full], behind);
        Assert.Equal([0, 1, 2, 3, 4, 5], seen);
    }
}
