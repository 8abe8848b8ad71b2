namespace Raceway.Rings.Tests;

/// <summary>Publishing an item with a token or a time-out, and the short forms of batches and policies.</summary>
public sealed class LimitedPublishTests
{
    public static TheoryData<ProducerKind> Kinds => [.. Enum.GetValues<ProducerKind>()];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void TryPublish_Timed_SaysWhatItCameTo(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        long backlog = ring.Backlog;
        Assert.Equal(ClaimStatus.TimedOut, producer.TryPublish(7, TimeSpan.FromMilliseconds(1)));
        Assert.Equal(backlog, ring.Backlog);
        stage.Step();
        Assert.Equal(ClaimStatus.Done, producer.TryPublish(7, Timeout.InfiniteTimeSpan));
        ring.Complete();
        Assert.Equal(ClaimStatus.Stopped, producer.TryPublish(8, TimeSpan.FromHours(1)));
        Assert.Throws<ArgumentOutOfRangeException>("timeout", () => producer.TryPublish(9, TimeSpan.FromTicks(-5)));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Publish_TokenIsSignalled_ThrowsAndPublishesNothing(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        long backlog = ring.Backlog;
        using var cancelled = new CancellationTokenSource();
        cancelled.Cancel();
        Assert.ThrowsAny<OperationCanceledException>(() => producer.Publish(7, cancelled.Token));
        Assert.ThrowsAny<OperationCanceledException>(() => producer.TryPublish(7, Timeout.InfiniteTimeSpan, cancelled.Token));
        Assert.Equal(backlog, ring.Backlog);
        stage.Step();
        // There is room: nothing waits, so nothing is cancelled.
        producer.Publish(7, cancelled.Token);
        Assert.Equal(1, ring.Backlog);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task TryPublish_TimedAndFull_GoesOnWhenThereIsRoom(ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = Full(kind);
        ClaimStatus status = ClaimStatus.Full;
        Task publishing = Watchdog.Run(() => status = producer.TryPublish(7, TimeSpan.FromHours(1)));
        await Watchdog.UntilAsync(() => producer.Claimer.RoomWaits.Waits > 0, ring);
        Assert.False(publishing.IsCompleted);
        stage.Step();
        await Watchdog.Await(publishing, ring);
        Assert.Equal(ClaimStatus.Done, status);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Publish_TokenIsSignalledInTheWait_ThrowsAndPublishesNothing(ProducerKind kind)
    {
        (RingBuffer<long> ring, _, Producer<long> producer) = Full(kind);
        long backlog = ring.Backlog;
        using var cancelled = new CancellationTokenSource();
        (_, Task<Exception?> publishing) = Watchdog.RunThread(() => producer.Publish(7, cancelled.Token));
        await Watchdog.UntilAsync(() => producer.Claimer.RoomWaits.Waits > 0, ring);
        await cancelled.CancelAsync();
        Assert.IsAssignableFrom<OperationCanceledException>(await Watchdog.Await(publishing, ring));
        Assert.Equal(backlog, ring.Backlog);
    }

    [Fact]
    public async Task Batches_OfBothKinds_AreCopiedAndWalked()
    {
        await using var ring = Make.Ring(4);
        List<long[]> copies = [];
        List<long> walked = [];
        ring.Subscribe(new BatchLambda<long>(batch => copies.Add(batch.ToArray())), Make.Stepped());
        ring.Subscribe(
            new AsyncLambda<long>((batch, _) =>
            {
                foreach (ref long item in batch) walked.Add(item);
                copies.Add(batch.ToArray());
                return ValueTask.CompletedTask;
            }),
            Make.Stepped());
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        // The second lap wraps: a batch of two spans.
        foreach (long[] items in new[] { new long[] { 0, 1, 2 }, [3, 4, 5] })
        {
            producer.Publish(items);
            foreach (Stage stage in ring.Stages) stage.Step();
        }

        Assert.Equal([[0, 1, 2], [0, 1, 2], [3, 4, 5], [3, 4, 5]], copies);
        Assert.Equal([0, 1, 2, 3, 4, 5], walked);
    }

    [Fact]
    public void Retry_WithoutAPause_TriesAtOnce()
    {
        RingBuffer<long> ring = Make.Ring(4);
        int calls = 0;
        Stage stage = ring.Subscribe(
            (ref long _) =>
            {
                if (++calls < 3) throw new FormatException();
            },
            Make.Stepped() with { OnFault = FaultPolicy.Retry(2) });
        ring.Start();
        Make.Producer(ring).Publish(1);
        for (int i = 0; i < 3; i++) stage.Step();

        Assert.Equal((3, 0L), (calls, stage.Position));
    }

    // Stepped by the test alone.
    private static (RingBuffer<long> Ring, Stage Stage, Producer<long> Producer) Full(ProducerKind kind)
    {
        RingBuffer<long> ring = Make.Ring(2, kind);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped());
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        while (producer.TryPublish(1) == ClaimStatus.Done)
        {
        }

        return (ring, stage, producer);
    }
}
