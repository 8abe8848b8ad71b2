using System.Runtime.CompilerServices;

namespace Raceway.Rings.Tests;

/// <summary>Several threads on one handle: refused where that is checked, and without end or abort where it is not.</summary>
public sealed class OwnershipTests
{
    private const int Threads = 4;

    public static TheoryData<ProducerKind> Kinds => [.. Enum.GetValues<ProducerKind>()];

    private static RingBuffer<long> Ring(ProducerKind kind, bool check, int capacity = 8) => new(capacity, new RingOptions<long>
    {
        Producers = kind,
        MaxProducers = kind == ProducerKind.Sharded ? 1 : 2,
        CheckProducer = check,
        DrainTimeout = TimeSpan.Zero,
    });

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Publish_FirstCallsOfManyThreadsAtOnce_OneOwnsTheHandle(ProducerKind kind)
    {
        for (int round = 0; round < 50; round++)
        {
            RingBuffer<long> ring = Ring(kind, check: true);
            Producer<long> producer = Make.Producer(ring);
            using var start = new Barrier(Threads);
            using var end = new Barrier(Threads);
            Task<Exception?>[] users = [.. Enumerable.Range(0, Threads).Select(user => Watchdog.RunThread(() =>
            {
                start.SignalAndWait();
                try
                {
                    producer.Publish(user);
                }
                finally
                {
                    // All are alive until the last has called: no thread's id is used again.
                    end.SignalAndWait();
                }
            }).Ended)];
            Exception?[] outcomes = await Watchdog.Await(Task.WhenAll(users), ring);
            Assert.Single(outcomes, static outcome => outcome is null);
            Assert.All(outcomes, static outcome => Assert.True(outcome is null or InvalidOperationException, $"{outcome}"));
            Assert.Equal(0, ring.Sequencer.PublishedThrough());
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishAsync_ByManyThreads_IsPublishedOnceOrRefused(ProducerKind kind)
    {
        RingBuffer<long> ring = Ring(kind, check: true, capacity: 2);
        var handler = new Recorder();
        ring.Subscribe(handler);
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        List<long>[] accepted = [.. Enumerable.Range(0, Threads).Select(static _ => new List<long>())];
        await Watchdog.Await(
            Task.WhenAll(Enumerable.Range(0, Threads).Select(user => Task.Run(async () =>
            {
                for (int i = 0; i < 5_000; i++)
                {
                    long value = user * 100_000L + i;
                    try
                    {
                        if (i % 7 == 0) await producer.PublishAsync(new[] { value }.AsMemory());
                        else await producer.PublishAsync(value);
                        accepted[user].Add(value);
                    }
                    catch (InvalidOperationException)
                    {
                    }
                }
            }))),
            ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(accepted.SelectMany(static each => each).Order(), handler.Items.Order());
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task AnyCall_ByManyThreadsUnchecked_EndsAndADrainHoldsItsTime(ProducerKind kind)
    {
        RingBuffer<long> ring = Ring(kind, check: false, capacity: 4);
        Stage stage = ring.Subscribe(new Summer());
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        bool over = false;
        Task[] users = [.. Enumerable.Range(0, Threads).Select(user => Task.Run(async () =>
        {
            for (int i = 0; !Volatile.Read(ref over); i++)
            {
                try
                {
                    await Call(i + user);
                }
                catch (Exception refused) when (refused is InvalidOperationException or OperationCanceledException)
                {
                }
            }
        }))];
        try
        {
            // Until they have met often enough, however fast that is here.
            using (var patience = new CancellationTokenSource(TimeSpan.FromMilliseconds(300)))
                while (!patience.IsCancellationRequested && ring.Claims.ClaimedThrough < 20_000) await Task.Yield();
            DrainResult result = await Watchdog.Await(ring.DrainAsync(TimeSpan.FromMilliseconds(50)), ring);
            // The misuse may have left a claim, or a commit, that never ends. Then the time must be up; else all must have been handled.
            // The users still call: a claim that is refused may count as claimed, behind what the ring has sealed.
            if (result.Status == DrainStatus.Drained) Assert.Equal((RingState.Stopped, ring.Target), (ring.State, stage.Position));
            else Assert.Equal(DrainStatus.TimedOut, result.Status);
        }
        finally
        {
            // Else they would take the processors from all tests that follow.
            Volatile.Write(ref over, true);
        }

        await Watchdog.Await(ring.HaltAsync(), ring);
        await Watchdog.Await(Task.WhenAll(users), ring);

        ValueTask Call(int turn)
        {
            switch (turn % 6)
            {
                case 0:
                    return producer.PublishAsync(1);
                case 1:
                    producer.Publish(2);
                    return ValueTask.CompletedTask;
                case 2:
                    producer.TryPublish(3);
                    return ValueTask.CompletedTask;
                case 3:
                    producer.Publish([4, 5, 6]);
                    return ValueTask.CompletedTask;
                case 4:
                    producer.Claim(2).Dispose();
                    return ValueTask.CompletedTask;
                default:
                    return new ValueTask(producer.WaitForRoomAsync(2).AsTask());
            }
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Publish_WhileAnotherThreadWaitsForRoomUnchecked_IsRefused(ProducerKind kind)
    {
        RingBuffer<long> ring = Ring(kind, check: false, capacity: 2);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 1);
        Task<Exception?> waiting = Watchdog.RunThread(() => producer.Publish(2)).Ended;
        await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(ring), ring);
        Assert.Throws<InvalidOperationException>(() => producer.Publish(3));
        Assert.Throws<InvalidOperationException>(() => producer.TryPublish(3));
        await Assert.ThrowsAsync<InvalidOperationException>(() => producer.PublishAsync(3).AsTask());
        Make.StepAll(stage);
        Assert.Null(await Watchdog.Await(waiting, ring));
        producer.Publish(3);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 3), stage.GetHandler<Recorder>().Items);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Publish_RoomForOneWhileSeveralAreAwaited_IsRefused(ProducerKind kind)
    {
        RingBuffer<long> ring = Ring(kind, check: false);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 5);
        Task pending = producer.PublishAsync(Make.Range(6, 9).AsMemory()).AsTask();
        Assert.False(pending.IsCompleted);
        Assert.Throws<InvalidOperationException>(() => producer.Publish(100));
        Assert.Throws<InvalidOperationException>(() => producer.TryPublish(100));
        Make.StepAll(stage);
        await Watchdog.Await(pending, ring);
        producer.Publish(10);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 10), stage.GetHandler<Recorder>().Items);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishAsync_RoomThere_LeavesTheHandleToTheNextThread(ProducerKind kind)
    {
        RingBuffer<long> ring = Ring(kind, check: true);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Assert.True(producer.PublishAsync(0).AsTask().IsCompletedSuccessfully);
        await Watchdog.Await(Watchdog.Run(() => Assert.True(producer.PublishAsync(new long[] { 1 }.AsMemory()).AsTask().IsCompletedSuccessfully)));
        Assert.True(producer.WaitForRoomAsync().AsTask().IsCompletedSuccessfully);
        Assert.Null(await Watchdog.Await(Watchdog.RunThread(() => producer.Publish(2)).Ended));
        Make.StepAll(stage);
        Assert.Equal([0, 1, 2], stage.GetHandler<Recorder>().Items);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Dispose_UnderACallOfAnotherThread_NothingIsLostAndTheNextHandleGoesOn(ProducerKind kind)
    {
        RingBuffer<long> ring = Ring(kind, check: true, capacity: 16);
        var handler = new Recorder();
        ring.Subscribe(handler);
        ring.Start();
        List<long> accepted = [];
        for (int round = 0; round < 200; round++)
        {
            Producer<long> producer = Make.Producer(ring);
            List<long> mine = [];
            using var begun = new ManualResetEventSlim();
            long from = round * 1_000_000L;
            Task<Exception?> user = Watchdog.RunThread(() =>
            {
                for (long i = from; ; i++)
                {
                    producer.Publish(i);
                    mine.Add(i);
                    begun.Set();
                }
            }).Ended;
            begun.Wait();
            producer.Dispose();
            // In its place before the last call of the other thread has returned.
            while (true)
            {
                try
                {
                    using Producer<long> next = Make.Producer(ring);
                    next.Publish(from + 999_999);
                    accepted.Add(from + 999_999);
                    break;
                }
                catch (InvalidOperationException full) when (full.Message.Contains("one producer", StringComparison.Ordinal)
                    || full.Message.Contains("sized for", StringComparison.Ordinal))
                {
                    await Task.Yield();
                }
            }

            Assert.IsType<ObjectDisposedException>(await Watchdog.Await(user, ring));
            accepted.AddRange(mine);
        }

        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(accepted.Order(), handler.Items.Order());
    }

    [Fact]
    public async Task WaitForAsync_ASecondAtATime_IsRefused()
    {
        RingBuffer<long> ring = Make.Ring();
        var waiter = new AsyncWaiter();
        Task first = waiter.WaitForAsync(Item(0)).AsTask();
        await Assert.ThrowsAsync<InvalidOperationException>(() => waiter.WaitForAsync(Item(0)).AsTask());
        ring.CreateProducer().Publish(1);
        await Watchdog.Await(first, ring);
        Task second = waiter.WaitForAsync(Item(1)).AsTask();
        ring.Complete();
        await Watchdog.Await(second, ring);
        WaitTarget Item(long sequence) => new(ring.Sequencer.Cursor, sequence, Clock.Never, ring.Control, ring.Control.Word);
    }

    [Fact]
    public async Task DrainAsync_WhileACommitNeverEnds_ReturnsItsTaskAndHoldsItsTime()
    {
        RingBuffer<long> ring = Ring(ProducerKind.Multi, check: false);
        Producer<long> producer = Make.Producer(ring);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        producer.Publish(0);
        Make.StepAll(stage);
        // As a thread that was stopped between two stamps.
        Committing(producer.Claimer) = 1;
        Task<Task<DrainResult>> calling = Watchdog.Run(() => ring.DrainAsync(TimeSpan.FromMilliseconds(30)));
        Task<DrainResult> draining = await Watchdog.Await(calling, ring);
        Assert.Equal(DrainStatus.TimedOut, (await Watchdog.Await(draining, ring)).Status);
        Assert.Equal(RingState.Draining, ring.State);
        Committing(producer.Claimer) = 0;
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_committing")]
    private static extern ref int Committing(Claimer claimer);
}
