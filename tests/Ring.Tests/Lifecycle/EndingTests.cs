namespace Raceway.Rings.Tests;

/// <summary>Halt, fault and dispose: who is released, with what, and what is left over.</summary>
public sealed class EndingTests
{
    public static TheoryData<string, ProducerKind, string> Endings()
    {
        var data = new TheoryData<string, ProducerKind, string>();
        foreach (Wait wait in Wait.All)
        {
            foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
                foreach (string ending in new[] { "complete", "halt", "fault", "dispose" }) data.Add(wait.Name, kind, ending);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Endings))]
    public async Task Ending_ProducerBlocked_ThrowsWhatBelongsToIt(string wait, ProducerKind kind, string ending)
    {
        var ring = Make.Ring(2, kind, Wait.All.Single(each => each.Name == wait));
        Stage stage = ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool _) => throw new FormatException()), Make.Stepped());
        // A consumer asleep as well: it must leave.
        var idle = new Recorder();
        ring.Subscribe(idle, Make.After(stage));
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 1);
        (_, Task<Exception?> ended) = Watchdog.RunThread(() => producer.Publish(2));
        if (wait is "park" or "async") await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(ring), ring);
        Task end = ending switch
        {
            "complete" => Task.Run(ring.Complete),
            "halt" => ring.HaltAsync(),
            "fault" => Task.Run(() => stage.Step()),
            _ => ring.DisposeAsync().AsTask(),
        };
        Exception? thrown = await Watchdog.Await(ended, ring);
        Type expected = ending switch
        {
            "fault" => typeof(RingFaultedException),
            "dispose" => typeof(ObjectDisposedException),
            _ => typeof(RingStoppedException),
        };
        Assert.IsType(expected, thrown);
        if (ending == "fault") Assert.IsType<FormatException>(thrown.InnerException);
        await Watchdog.Await(end, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal((1, 1), (idle.Starts, idle.Stops));
        Assert.Equal(2, ring.Unprocessed);
    }

    [Fact]
    public async Task HaltAsync_Unprocessed_IsCountedAndOffered()
    {
        List<long> offered = [];
        var ring = new RingBuffer<long>(16, new RingOptions<long>
        {
            Producers = ProducerKind.Multi, MaxProducers = 2, OnUnprocessed = (ref long item) => offered.Add(item),
        });
        Stage ahead = ring.Subscribe(new Recorder(), Make.Stepped());
        Stage behind = ring.Subscribe(new Recorder(), Make.Stepped());
        MultiProducer<long> producer = ring.CreateMultiProducer();
        Make.PublishRange(producer, 0, 5);
        producer.Claim(2).Abort();
        Make.PublishRange(producer, 8, 9);
        Make.StepAll(ahead);
        behind.Step(3);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal([3, 4, 5, 8, 9], offered);
        Assert.Equal(5, ring.Unprocessed);
        Assert.Equal(StepKind.Stopped, behind.Step().Kind);
        Assert.Equal(RingState.Stopped, ring.State);
        await Watchdog.Await(ring.Completion, ring);
    }

    [Fact]
    public async Task OnUnprocessed_Throws_FaultsTheRing()
    {
        var ring = new RingBuffer<long>(
            4, new RingOptions<long> { OnUnprocessed = (ref long _) => throw new FormatException() });
        ring.CreateProducer().Publish(1);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(RingState.Faulted, ring.State);
        await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
    }

    [Fact]
    public async Task HaltAsync_HandlerInACall_EndsAfterIt()
    {
        var ring = Make.Ring(8, wait: Wait.Park());
        var handler = new Blocker();
        ring.Subscribe(handler);
        ring.Start();
        using (Claim<long> claim = ring.CreateProducer().Claim(3)) claim.Commit();
        await Watchdog.Await(handler.Entered, ring);
        Task halt = ring.HaltAsync();
        Assert.False(halt.IsCompleted);
        handler.Release();
        await Watchdog.Await(halt, ring);
        Assert.Equal(3, handler.Items.Count);
        Assert.Equal(0, ring.Unprocessed);
    }

    [Theory]
    [InlineData("park")]
    [InlineData("async")]
    public async Task DisposeAsync_FromAHandler_Returns(string wait)
    {
        var ring = Make.Ring(8, wait: Wait.All.Single(each => each.Name == wait));
        Task? disposal = null;
        ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) => disposal ??= ring.DisposeAsync().AsTask()));
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.Await(ring.Completion, ring);
        Assert.True(disposal!.IsCompletedSuccessfully);
        Assert.Equal(RingState.Stopped, ring.State);
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
    }

    [Theory]
    [InlineData("park")]
    [InlineData("async")]
    public async Task DisposeAsync_AwaitedInAnAsyncHandler_Returns(string wait)
    {
        var ring = Make.Ring(8, wait: Wait.All.Single(each => each.Name == wait));
        ring.Subscribe(new AsyncLambda<long>(async (_, _) =>
        {
            await Task.Yield();
            await ring.DisposeAsync();
        }));
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.Await(ring.Completion, ring);
        Assert.Equal(RingState.Stopped, ring.State);
    }

    [Fact]
    public async Task DisposeAsync_Drains()
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long> { DrainTimeout = Timeout.InfiniteTimeSpan });
        var handler = new Recorder();
        ring.Subscribe(handler);
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 0, 7);
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        Assert.Equal(Make.Range(0, 7), handler.Items);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Commit_AfterTheRingStopped_Throws(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        ring.Subscribe(new Recorder());
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        Exception? thrown = await Watchdog.Await(
            Watchdog.RunThread(() =>
            {
                using Claim<long> claim = producer.Claim();
                Task halt = ring.HaltAsync();
                while (!halt.IsCompleted) Thread.Yield();
                claim.Commit();
            }).Ended,
            ring);
        Assert.IsType<RingStoppedException>(thrown);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Abort_AfterTheRingStopped_IsQuiet(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        Producer<long> producer = Make.Producer(ring);
        Assert.Null(await Watchdog.Await(
            Watchdog.RunThread(() =>
            {
                using Claim<long> claim = producer.Claim();
                Task halt = ring.HaltAsync();
                while (!halt.IsCompleted) Thread.Yield();
                claim.Abort();
            }).Ended,
            ring));
    }

    private sealed class Calling(Action call) : Waiter
    {
        internal override void Signal() => call();
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Complete_WhileAProducerBeginsToWait_ReleasesIt(ProducerKind kind)
    {
        // A producer that begins to wait wakes stages with a minimum; what is woken closes the ring on the producer's own
        // thread: after it has looked, and before it sleeps.
        var ring = Make.Ring(4, kind, Wait.Park());
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped(Dispatch.Batch(min: 2)));
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 3);
        stage.Done.Arm(new Calling(ring.Complete), Progress.Never);
        Exception? thrown = await Watchdog.Await(Watchdog.RunThread(() => producer.Publish(4)).Ended, ring);
        Assert.IsType<RingStoppedException>(thrown);
    }

    [Theory]
    [InlineData(DispatchLevel.Single, 1)]
    [InlineData(DispatchLevel.Each, 64)]
    public async Task HaltAsync_EventHandlerInALongBatch_EndsSoon(DispatchLevel level, int most)
    {
        var ring = Make.Ring(1024);
        int handled = 0;
        Stage stage = ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool _) =>
            {
                if (handled++ == 0) _ = ring.HaltAsync();
            }),
            Make.Stepped(level == DispatchLevel.Single ? Dispatch.Single : Dispatch.Each()));
        Make.PublishRange(ring.CreateProducer(), 0, 999);
        stage.Step();
        await Watchdog.Await(ring.Completion, ring);
        // How often event handlers look whether the ring has been halted.
        Assert.InRange(handled, 1, most);
        Assert.Equal(1000 - handled, ring.Unprocessed);
    }
}
