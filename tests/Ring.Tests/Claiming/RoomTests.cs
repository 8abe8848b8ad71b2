namespace Raceway.Rings.Tests;

/// <summary>Waiting for room: what ends the wait, and that whatever ends it owns nothing.</summary>
public sealed class RoomTests
{
    public static TheoryData<string, ProducerKind> Waits()
    {
        var data = new TheoryData<string, ProducerKind>();
        foreach (Wait wait in Wait.All)
        {
            data.Add(wait.Name, ProducerKind.Single);
            data.Add(wait.Name, ProducerKind.Multi);
            data.Add(wait.Name, ProducerKind.Sharded);
        }

        return data;
    }

    public static TheoryData<ProducerKind> Kinds => [ProducerKind.Single, ProducerKind.Multi, ProducerKind.Sharded];

    private static (RingBuffer<long> Ring, Stage Stage, Producer<long> Producer) Full(
        ProducerKind kind, string wait = "park")
    {
        var ring = Make.Ring(4, kind, Wait.All.Single(each => each.Name == wait));
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        Make.PublishRange(producer, 0, 3);
        return (ring, stage, producer);
    }

    private static async Task AssertNothingClaimed(RingBuffer<long> ring, Stage stage, Producer<long> producer)
    {
        Assert.Equal(3, ring.Claims.ClaimedThrough);
        Make.StepAll(stage);
        for (int i = 4; i < 8; i++) Assert.Equal(ClaimStatus.Done, producer.TryPublish(i));
        Assert.Equal(ClaimStatus.Full, producer.TryPublish(8));
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 7), stage.GetHandler<Recorder>().Items);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task TryClaim_Timed_TimesOutOwningNothing(string wait, ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind, wait);
        Assert.Equal(ClaimStatus.Full, producer.TryClaim(1, out _));
        Assert.Equal(ClaimStatus.TimedOut, producer.TryClaim(1, TimeSpan.Zero, out _));
        Assert.Equal(
            ClaimStatus.TimedOut,
            await Watchdog.Await(
                Watchdog.Run(() => producer.TryClaim(2, TimeSpan.FromMilliseconds(3), out _)), ring));
        await AssertNothingClaimed(ring, stage, producer);
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task TryClaim_RoomComesInTime_IsDone(string wait, ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind, wait);
        Task<ClaimStatus> claiming = Watchdog.Run(() =>
        {
            ClaimStatus status = producer.TryClaim(2, TimeSpan.FromDays(1), out Claim<long> claim);
            claim.Abort();
            return status;
        });
        await Watchdog.UntilAsync(() => claiming.IsCompleted || Peek.IsProducerAsleep(ring) || wait is not ("park" or "async"));
        stage.Step(2);
        Assert.Equal(ClaimStatus.Done, await Watchdog.Await(claiming, ring));
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task Claim_Cancelled_OwnsNothing(string wait, ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind, wait);
        using var cancel = new CancellationTokenSource();
        Task claiming = Watchdog.Run(() => producer.Claim(1, cancel.Token).Commit());
        if (wait is "park" or "async") await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(ring), ring);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Watchdog.Await(claiming, ring));
        await AssertNothingClaimed(ring, stage, producer);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Claim_CancelledBefore_MattersOnlyWhereItWaits(ProducerKind kind)
    {
        (_, Stage stage, Producer<long> producer) = Full(kind);
        var cancelled = new CancellationToken(canceled: true);
        Assert.ThrowsAny<OperationCanceledException>(() => producer.Claim(1, cancelled).Count);
        Make.StepAll(stage);
        using Claim<long> claim = producer.Claim(1, cancelled);
        Assert.Equal(4, claim.Sequence);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Claim_CancelStorm_LosesNoRoomAndNoItem(ProducerKind kind)
    {
        var ring = Make.Ring(4, kind, Wait.Park());
        var handler = new Summer();
        ring.Subscribe(handler);
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        int published = 0;
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                var random = new Random(3);
                for (int i = 0; i < 1_000; i++)
                {
                    using var cancel = new CancellationTokenSource();
                    Task cancelling = random.Next(2) == 0 ? Task.Run(cancel.Cancel) : Task.CompletedTask;
                    try
                    {
                        using Claim<long> claim = producer.Claim(random.Next(1, 4), cancel.Token);
                        foreach (ref long slot in claim) slot = published++;
                        claim.Commit();
                    }
                    catch (OperationCanceledException)
                    {
                    }

                    cancelling.GetAwaiter().GetResult();
                }
            }),
            ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal((published, true), (handler.Count, handler.InOrder));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Publish_InterruptedAsleep_ClaimsNothing(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        (Thread thread, Task<Exception?> ended) = Watchdog.RunThread(() => producer.Publish(9));
        await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(ring), ring);
        thread.Interrupt();
        Assert.IsType<ThreadInterruptedException>(await Watchdog.Await(ended, ring));
        Assert.False(Peek.IsProducerAsleep(ring));
        await AssertNothingClaimed(ring, stage, producer);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task WaitForRoomAsync_RoomThere_CompletesAtOnce(ProducerKind kind)
    {
        var ring = Make.Ring(4, kind);
        Producer<long> producer = Make.Producer(ring);
        ValueTask<bool> waiting = producer.WaitForRoomAsync(producer.MaxClaim);
        Assert.True(waiting.IsCompleted);
        Assert.True(await waiting);
        Assert.Equal(ClaimStatus.Done, producer.TryClaim(producer.MaxClaim, out _));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task WaitForRoomAsync_Full_CompletesWithTheRoom(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        for (int i = 0; i < 100; i++)
        {
            Task<bool> waiting = producer.WaitForRoomAsync(2).AsTask();
            Assert.False(waiting.IsCompleted);
            stage.Step(1);
            stage.Step(1);
            Assert.True(await Watchdog.Await(waiting, ring));
            Assert.Equal(ClaimStatus.Done, producer.TryPublish(1));
            Assert.Equal(ClaimStatus.Done, producer.TryPublish(2));
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task WaitForRoomAsync_CancelledOrClosed_Ends(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        using var cancel = new CancellationTokenSource();
        Task<bool> cancelled = producer.WaitForRoomAsync(1, cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Watchdog.Await(cancelled, ring));
        Assert.False(Peek.IsArmed(stage.Done));
        Task<bool> closed = producer.WaitForRoomAsync().AsTask();
        ring.Complete();
        Assert.False(await Watchdog.Await(closed, ring));
        Assert.False(await producer.WaitForRoomAsync());
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => producer.WaitForRoomAsync(0).AsTask());
    }
}
