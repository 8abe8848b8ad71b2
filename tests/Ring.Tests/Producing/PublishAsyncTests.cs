namespace Raceway.Rings.Tests;

/// <summary>Publishing that waits for room without a thread.</summary>
public sealed class PublishAsyncTests
{
    public static TheoryData<ProducerKind> Kinds => [.. Enum.GetValues<ProducerKind>()];

    private static (RingBuffer<long> Ring, Stage Stage, Producer<long> Producer) Full(ProducerKind kind)
    {
        var ring = Make.Ring(4, kind, maxProducers: 1);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 3);
        return (ring, stage, producer);
    }

    private static List<long> Seen(Stage stage) => stage.GetHandler<Recorder>().Items;

    private static void Write(ref long slot, int value) => slot = value;

    [Theory]
    [MemberData(nameof(Kinds))]
    public void PublishAsync_RoomThere_IsDoneAtOnceInEveryForm(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind, maxProducers: 1);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Assert.True(producer.PublishAsync(0).AsTask().IsCompletedSuccessfully);
        Assert.True(producer.PublishAsync(1, Write).AsTask().IsCompletedSuccessfully);
        Assert.True(producer.PublishAsync(new long[] { 2, 3, 4 }.AsMemory()).AsTask().IsCompletedSuccessfully);
        Assert.True(producer.PublishAsync(ReadOnlyMemory<long>.Empty).AsTask().IsCompletedSuccessfully);
        // Where it need not wait it is not cancelled.
        Assert.True(producer.PublishAsync(5, new CancellationToken(canceled: true)).AsTask().IsCompletedSuccessfully);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 5), Seen(stage));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishAsync_Full_CompletesWithTheRoomInOrder(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        for (int i = 4; i < 104; i += 2)
        {
            Task first = producer.PublishAsync(i).AsTask();
            Assert.False(first.IsCompleted);
            Assert.Equal(i - 1, ring.Claims.ClaimedThrough);
            stage.Step(1);
            await Watchdog.Await(first, ring);
            Task second = producer.PublishAsync(i + 1, Write).AsTask();
            Assert.False(second.IsCompleted);
            stage.Step(1);
            await Watchdog.Await(second, ring);
        }

        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 103), Seen(stage));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishAsync_ManyItems_GoInPartsAsThereIsRoom(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        Task publishing = producer.PublishAsync(Make.Range(4, 53).AsMemory()).AsTask();
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                while (stage.Position < 53)
                    if (stage.Step(1).Kind != StepKind.Progressed) Thread.Yield();
            }),
            ring);
        await Watchdog.Await(publishing, ring);
        Assert.Equal(Make.Range(0, 53), Seen(stage));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishAsync_Cancelled_OwnsNothing(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        using var cancel = new CancellationTokenSource();
        Task publishing = producer.PublishAsync(9, cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Watchdog.Await(publishing, ring));
        Assert.False(Peek.IsArmed(stage.Done));
        Assert.Equal(3, ring.Claims.ClaimedThrough);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => producer.PublishAsync(9, cancel.Token).AsTask());
        Make.StepAll(stage);
        await producer.PublishAsync(4, cancel.Token);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 4), Seen(stage));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishAsync_CancelStorm_LosesNothing(ProducerKind kind)
    {
        var ring = Make.Ring(4, kind, Wait.Park(), maxProducers: 1);
        var handler = new Summer();
        ring.Subscribe(handler);
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        int published = 0;
        await Watchdog.Await(
            Task.Run(async () =>
            {
                var random = new Random(5);
                for (int i = 0; i < 1_000; i++)
                {
                    using var cancel = new CancellationTokenSource();
                    Task cancelling = random.Next(2) == 0 ? Task.Run(cancel.Cancel) : Task.CompletedTask;
                    try
                    {
                        await producer.PublishAsync(published, cancel.Token);
                        published++;
                    }
                    catch (OperationCanceledException)
                    {
                    }

                    await cancelling;
                }
            }),
            ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal((published, true), (handler.Count, handler.InOrder));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishAsync_Pending_OtherCallsAreRefused(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        Task pending = producer.PublishAsync(4).AsTask();
        foreach (Action call in (Action[])
            [
                () => producer.PublishAsync(5).AsTask(), () => producer.PublishAsync(5, Write).AsTask(), () => producer.Publish(5),
                () => producer.PublishAsync(new long[1].AsMemory()).AsTask(), () => producer.TryPublish(5), () => producer.Claim().Abort(),
                () => producer.WaitForRoomAsync().AsTask().GetAwaiter().GetResult(),
            ])
        {
            Assert.Contains("pending", Assert.Throws<InvalidOperationException>(call).Message, StringComparison.Ordinal);
        }

        Make.StepAll(stage);
        await Watchdog.Await(pending, ring);
        producer.Publish(5);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 5), Seen(stage));
        // The same the other way round.
        Make.PublishRange(producer, 6, 9);
        Task<bool> room = producer.WaitForRoomAsync().AsTask();
        await Assert.ThrowsAsync<InvalidOperationException>(() => producer.PublishAsync(10).AsTask());
        Make.StepAll(stage);
        Assert.True(await Watchdog.Await(room, ring));
        Assert.True(producer.PublishAsync(10).AsTask().IsCompletedSuccessfully);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishAsync_RingEnds_ThrowsAsPublishDoes(ProducerKind kind)
    {
        (RingBuffer<long> ring, _, Producer<long> producer) = Full(kind);
        Task pending = producer.PublishAsync(4).AsTask();
        ring.Complete();
        await Assert.ThrowsAsync<RingStoppedException>(() => Watchdog.Await(pending, ring));
        await Assert.ThrowsAsync<RingStoppedException>(() => producer.PublishAsync(4).AsTask());
        await Assert.ThrowsAsync<RingStoppedException>(() => producer.PublishAsync(new long[9].AsMemory()).AsTask());
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => producer.PublishAsync(4).AsTask());

        var faulted = Make.Ring(2, kind, maxProducers: 1);
        Stage stage = faulted.Subscribe(new EventLambda<long>((ref long _, long _, bool _) => throw new FormatException()), Make.Stepped());
        Producer<long> other = Make.Producer(faulted);
        Make.PublishRange(other, 0, 1);
        Task waiting = other.PublishAsync(2).AsTask();
        stage.Step();
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(waiting, faulted));
        Assert.IsType<FormatException>(fault.InnerException);
    }

    [Fact]
    public void PublishAsync_ByAHandlerOfAFullRing_ThrowsAtOnce()
    {
        var ring = Make.Ring(4);
        SingleProducer<long> producer = ring.CreateProducer();
        List<Task> tasks = [];
        Stage stage = ring.Subscribe(
            new BatchLambda<long>(_ =>
            {
                tasks.Add(producer.PublishAsync(8).AsTask());
                tasks.Add(producer.PublishAsync(new long[1].AsMemory()).AsTask());
            }),
            Make.Stepped());
        Make.PublishRange(producer, 0, 3);
        stage.Step();
        Assert.Equal(2, tasks.Count);
        Assert.All(tasks, task => Assert.IsType<ReentrantPublishException>(task.Exception?.InnerException));
        Assert.Equal(ClaimStatus.Done, producer.TryPublish(4));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishAsync_WriterThrows_ClaimIsAborted(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        Task pending = producer.PublishAsync(1, static (ref long _, int _) => throw new FormatException()).AsTask();
        Make.StepAll(stage);
        await Assert.ThrowsAsync<FormatException>(() => Watchdog.Await(pending, ring));
        await Assert.ThrowsAsync<ArgumentNullException>(() => producer.PublishAsync(1, null!).AsTask());
        producer.Publish(4);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 4), Seen(stage));
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    public async Task PublishAsync_ThreadsAreChecked_TheNextCallerOwnsTheHandle(ProducerKind kind)
    {
        var ring = new RingBuffer<long>(
            2, new RingOptions<long> { CheckProducer = true, Producers = kind, MaxProducers = 1, DrainTimeout = TimeSpan.Zero });
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 1);
        Task pending = producer.PublishAsync(2).AsTask();
        Make.StepAll(stage);
        await Watchdog.Await(pending, ring);
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                producer.Publish(3);
                // Another thread for certain: this one is still there.
                Watchdog.Run(() => Assert.Throws<InvalidOperationException>(() => producer.Publish(4))).GetAwaiter().GetResult();
            }),
            ring);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 3), Seen(stage));
    }
}
