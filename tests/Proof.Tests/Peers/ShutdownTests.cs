namespace Raceway.Proof.Tests.Peers;

/// <summary>Where peers lost events at their end, never came to it, or left producers behind.</summary>
public sealed class ShutdownTests
{
    public static TheoryData<string, ProducerKind> WaitsAndKinds()
    {
        var data = new TheoryData<string, ProducerKind>();
        foreach (Wait wait in Wait.All)
            foreach (ProducerKind kind in Enum.GetValues<ProducerKind>()) data.Add(wait.Name, kind);
        return data;
    }

    private static Wait Named(string name) => Wait.All.Single(wait => wait.Name == name);

    [Theory]
    [MemberData(nameof(WaitsAndKinds))]
    public async Task ConsumerDies_RingFull_ProducerAndDrainAreTold(string wait, ProducerKind kind)
    {
        var ring = Make.Ring(4, kind, Named(wait));
        using var go = new ManualResetEventSlim();
        ring.Subscribe(new EventLambda<long>((ref long _, long _, bool _) =>
        {
            go.Wait();
            throw new FormatException();
        }));
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 3);
        (_, Task<Exception?> ended) = Watchdog.RunThread(() => producer.Publish(4));
        go.Set();
        var told = Assert.IsType<RingFaultedException>(await Watchdog.Await(ended, ring));
        Assert.IsType<FormatException>(told.InnerException);
        Assert.Equal(DrainStatus.Faulted, (await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).Status);
        await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Equal(4, ring.Unprocessed);
    }

    [Theory]
    [MemberData(nameof(WaitsAndKinds))]
    public async Task Shutdown_BeforeTheConsumersThreadHasRun_HandlesEverything(string wait, ProducerKind kind)
    {
        var ring = Make.Ring(8, kind, Named(wait));
        var handler = new Recorder();
        ring.Subscribe(handler);
        Make.PublishRange(Make.Producer(ring), 0, 4);
        Task<DrainResult> drain = ring.DrainAsync(Timeout.InfiniteTimeSpan);
        Assert.False(drain.IsCompleted);
        Task start = ring.StartAsync();
        Assert.True((await Watchdog.Await(drain, ring)).IsDrained);
        await Watchdog.Await(start, ring);
        Assert.Equal([0, 1, 2, 3, 4], handler.Items);
    }

    [Theory]
    [MemberData(nameof(WaitsAndKinds))]
    public async Task Halt_ProducerBlocked_ReleasesItAndEnds(string wait, ProducerKind kind)
    {
        var ring = Make.Ring(4, kind, Named(wait));
        var handler = new Blocker();
        ring.Subscribe(handler);
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 3);
        await Watchdog.Await(handler.Entered, ring);
        (_, Task<Exception?> ended) = Watchdog.RunThread(() => producer.Publish(4));
        Task halt = ring.HaltAsync();
        // The producer is released though the handler has not returned; the ring ends once it has.
        Assert.IsType<RingStoppedException>(await Watchdog.Await(ended, ring));
        Assert.False(halt.IsCompleted);
        handler.Release();
        await Watchdog.Await(halt, ring);
        Assert.Equal(4, handler.Items.Count + ring.Unprocessed);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task StartCompleteHaltDispose_AllAtOnce_End(ProducerKind kind)
    {
        int rounds = Tally.IsLong ? 1_000 : 150;
        for (int round = 0; round < rounds; round++)
        {
            var random = new Random(round);
            var ring = Make.Ring(4, kind, random.Next(2) == 0 ? Wait.Park() : Wait.Async());
            var handler = new Recorder();
            ring.Subscribe(handler);
            Producer<long> producer = Make.Producer(ring);
            for (int i = random.Next(4); i > 0; i--) producer.Publish(i);
            Func<Task>[] acts =
            [
                () => Record.ExceptionAsync(ring.StartAsync).AsTask(),
                () => Task.Run(ring.Complete),
                ring.HaltAsync,
                () => ring.DisposeAsync().AsTask(),
                () => ring.DrainAsync(TimeSpan.Zero),
            ];
            random.Shuffle(acts);
            Task[] all = [.. acts.Select(Task.Run)];
            await Watchdog.Await(Task.WhenAll(all), ring);
            await Watchdog.Await(ring.Completion, ring);
            Assert.Equal(RingState.Stopped, ring.State);
            Assert.Equal(handler.Starts, handler.Stops);
        }
    }

    [Fact]
    public async Task Drain_AThousandConsumers_Ends()
    {
        const int consumers = 1000;
        var ring = Make.Ring(16, wait: Wait.Async());
        Summer[] handlers = [.. Enumerable.Range(0, consumers).Select(static _ => new Summer())];
        foreach (Summer handler in handlers) ring.Subscribe(handler);
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        await Watchdog.Await(Watchdog.Run(() => Make.PublishRange(producer, 0, 99)), ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.All(handlers, handler => Assert.Equal((100, true), (handler.Count, handler.InOrder)));
    }
}
