namespace Raceway.Proof.Tests.Peers;

/// <summary>What peers lost or burned while they waited: interrupts, holes, chains asleep, callbacks of tokens.</summary>
public sealed class WaitingTests
{
    private const int Looks = 1000;

    public static TheoryData<string, ProducerKind> Sleeping()
    {
        var data = new TheoryData<string, ProducerKind>();
        foreach (string wait in new[] { "park", "timed-park", "async" })
            foreach (ProducerKind kind in Enum.GetValues<ProducerKind>()) data.Add(wait, kind);
        return data;
    }

    private static Wait Named(string name) => Wait.All.Single(wait => wait.Name == name);

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Interrupt_WhileWaiting_SkipsNothing(ProducerKind kind)
    {
        // Both anchors counted the sequence they waited for as failed, and went on behind it.
        var ring = Make.Ring(8, kind, Wait.Park());
        Thread? thread = null;
        var handler = new Started(() => thread = Thread.CurrentThread);
        Stage stage = ring.Subscribe(handler);
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        for (long item = 0; item < 20; item++)
        {
            await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
            thread!.Interrupt();
            await Watchdog.UntilAsync(() => stage.GetStatistics().Interrupts == item + 1, ring);
            producer.Publish(item);
            await Watchdog.UntilAsync(() => stage.Position == item, ring);
        }

        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        Assert.Equal(Make.Range(0, 19), handler.Items);
        Assert.Equal(0, stage.GetStatistics().Faults);
    }

    [Theory]
    [InlineData("park")]
    [InlineData("async")]
    public async Task ClaimNeverPublished_ItemsBehindIt_TheStageSleeps(string wait)
    {
        var ring = Make.Ring(8, ProducerKind.Multi, Named(wait));
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler);
        ring.Start();
        MultiProducer<long> holder = ring.CreateMultiProducer();
        MultiProducer<long> other = ring.CreateMultiProducer();
        long hole = holder.Claim().Sequence;
        await Watchdog.UntilAsync(() => stage.GetStatistics().Parks > 0 && Peek.IsArmed(ring.Sequencer.Cursor), ring);
        long waits = stage.GetStatistics().Waits;
        // Peers span here: there is something to read, but not yet.
        for (long item = 1; item <= 3; item++) other.Publish(item);
        await LookAgainAndAgain();
        Assert.Equal(waits, stage.GetStatistics().Waits);
        ring.Slots[hole] = 0;
        holder.Claimer.Settle(hole, 1, 1);
        await Watchdog.UntilAsync(() => stage.Position == 3, ring);
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        Assert.Equal([0, 1, 2, 3], handler.Items);
    }

    [Theory]
    [InlineData("park")]
    [InlineData("async")]
    public async Task ChainAndProducer_AllAsleepBehindAHole_NobodySteps(string wait)
    {
        const int capacity = 8;
        var ring = Make.Ring(capacity, ProducerKind.Multi, Named(wait));
        Recorder[] handlers = [new(), new(), new(), new()];
        Stage[] stages = new Stage[handlers.Length];
        for (int i = 0; i < handlers.Length; i++)
            stages[i] = ring.Subscribe(handlers[i], i == 0 ? null : Make.After(stages[i - 1]));
        ring.Start();
        MultiProducer<long> holder = ring.CreateMultiProducer();
        MultiProducer<long> other = ring.CreateMultiProducer();
        long hole = holder.Claim().Sequence;
        Task publishing = Watchdog.Run(() => Make.PublishRange(other, 1, 100));
        Progress[] cells = [ring.Sequencer.Cursor, .. stages.Select(stage => stage.Done)];
        await Watchdog.UntilAsync(
            () => Array.TrueForAll(cells, Peek.IsArmed) && Array.TrueForAll(stages, stage => stage.GetStatistics().Parks > 0), ring);
        long[] waits = Waits();
        await LookAgainAndAgain();
        Assert.All(cells, cell => Assert.True(Peek.IsArmed(cell)));
        Assert.Equal(waits, Waits());
        Assert.False(publishing.IsCompleted);

        ring.Slots[hole] = 0;
        holder.Claimer.Settle(hole, 1, 1);
        holder.Dispose();
        await Watchdog.Await(publishing, ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.All(handlers, handler => Assert.Equal(Make.Range(0, 100), handler.Items));

        long[] Waits() => [.. stages.Select(stage => stage.GetStatistics().Waits)];
    }

    [Theory]
    [MemberData(nameof(Sleeping))]
    public async Task CancelledCallback_EndsTheRing_NobodyDeadlocks(string wait, ProducerKind kind)
    {
        // The callback runs while the waiter takes its own registration back, and ends what the waiter waits for.
        var ring = Make.Ring(2, kind, Named(wait));
        ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 1);
        using var source = new CancellationTokenSource();
        await using CancellationTokenRegistration registration = source.Token.Register(() => _ = ring.HaltAsync());
        (_, Task<Exception?> ended) = Watchdog.RunThread(() => producer.Claim(1, source.Token).Commit());
        await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(ring), ring);
        await Watchdog.Await(source.CancelAsync(), ring);
        Exception? thrown = await Watchdog.Await(ended, ring);
        Assert.True(thrown is OperationCanceledException or RingStoppedException, thrown?.ToString());
        await Watchdog.Await(ring.Completion, ring);
        Assert.Equal(2, ring.Unprocessed);
    }

    // Gives whoever is about to step the time for it.
    private static async Task LookAgainAndAgain()
    {
        for (int i = 0; i < Looks; i++) await Task.Yield();
    }

    private sealed class Started(Action then) : IBatchHandler<long>, IStageLifetime
    {
        public List<long> Items { get; } = [];

        public void OnBatch(Batch<long> batch)
        {
            foreach (ref long item in batch) Items.Add(item);
        }

        public void OnStart() => then();

        public void OnStop()
        {
        }
    }
}
