namespace Raceway.Proof.Tests.BadInput;

/// <summary>Values that are let in, at the edges: what they then do is what they say.</summary>
public sealed class BadOptionsTests
{
    // Behind the end of the clock, and just before it.
    public static TheoryData<TimeSpan> Ages => [TimeSpan.MaxValue, TimeSpan.FromDays(106_751), TimeSpan.FromDays(53_000)];

    [Theory]
    [MemberData(nameof(Ages))]
    public void IdleTimeout_BeyondTheClock_IsNeverOver(TimeSpan timeout)
    {
        RingBuffer<long> ring = Make.Ring();
        var recorder = new Recorder();
        Stage stage = ring.Subscribe(recorder, Make.Stepped() with { IdleTimeout = timeout });
        for (int i = 0; i < 3; i++) Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(0, recorder.Idles);
    }

    [Theory]
    [MemberData(nameof(Ages))]
    public void ClaimTimeout_BeyondTheClock_IsNeverOver(TimeSpan timeout)
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long> { Producers = ProducerKind.Multi, MaxProducers = 2, ClaimTimeout = timeout });
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        using Claim<long> claim = ring.CreateMultiProducer().Claim();
        for (int i = 0; i < 3; i++) Assert.Equal(StepKind.Idle, stage.Step().Kind);
        Assert.Equal(RingState.Created, ring.State);
    }

    [Theory]
    [MemberData(nameof(Ages))]
    public void MaxAge_BeyondTheClock_IsNeverReached(TimeSpan age)
    {
        RingBuffer<long> ring = Make.Ring();
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped(Dispatch.Batch(min: 2, maxAge: age)));
        ring.CreateProducer().Publish(1);
        for (int i = 0; i < 3; i++) Assert.Equal(StepKind.Idle, stage.Step().Kind);
    }

    [Theory]
    [InlineData((FaultAction)99)]
    [InlineData((FaultAction)(-1))]
    [InlineData(FaultAction.DeadLetter)]
    public async Task Decider_AnswersWhatItMayNot_RingFaultsAndPassesNothing(FaultAction answer)
    {
        RingBuffer<long> ring = Make.Ring();
        Stage stage = ring.Subscribe(
            static (ref long _) => throw new TimeoutException("of the handler"),
            Make.Stepped(onFault: FaultPolicy.Decide((ref long _, in FaultContext _) => answer)));
        ring.CreateProducer().Publish(1);

        Assert.Equal(StepKind.Stopped, stage.Step().Kind);

        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Contains($"answer={answer}", fault.InnerException!.Message, StringComparison.Ordinal);
        Assert.Equal((-1, 1), (stage.Position, ring.Unprocessed));
        Assert.Equal(0, stage.GetStatistics().Skipped);
    }

    [Fact]
    public void PayloadOptions_Null_IsRefused() =>
        Assert.Throws<ArgumentNullException>("options", () => new RingBuffer<Parcel>(
            8, new RingOptions<Parcel> { Payload = static (ref Parcel parcel) => ref parcel.Payload, PayloadOptions = null! }));

    [Fact]
    public async Task DetachAsync_StageOfAnotherRing_IsRefusedByItsName()
    {
        var fault = await Assert.ThrowsAsync<ArgumentException>("stage", () => Make.Ring().DetachAsync(World.Foreign));
        Assert.Contains("stage='foreign'", fault.Message, StringComparison.Ordinal);
    }
}
