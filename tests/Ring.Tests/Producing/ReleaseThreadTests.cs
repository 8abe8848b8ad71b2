namespace Raceway.Rings.Tests;

/// <summary>A handle that its thread gives away: by the thread it belongs to, and with no claim open.</summary>
public sealed class ReleaseThreadTests
{
    public static TheoryData<ProducerKind> Kinds => [.. Enum.GetValues<ProducerKind>()];

    private static RingBuffer<long> Ring(ProducerKind kind) => new(8, new RingOptions<long>
    {
        Producers = kind,
        MaxProducers = kind == ProducerKind.Sharded ? 1 : 2,
        CheckProducer = true,
    });

    [Theory]
    [MemberData(nameof(Kinds))]
    public void ReleaseThread_ByAnotherThread_IsRefused(ProducerKind kind)
    {
        Producer<long> producer = Make.Producer(Ring(kind));
        producer.Publish(0);
        Assert.IsType<InvalidOperationException>(AnotherThread.Run(producer.ReleaseThread));
        producer.Publish(1);
        producer.ReleaseThread();
        Assert.Null(AnotherThread.Run(() => producer.Publish(2)));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void TryReleaseThread_ByTheOwner_FreesIt_AndByAnotherThreadDoesNothing(ProducerKind kind)
    {
        Producer<long> producer = Make.Producer(Ring(kind));
        producer.Publish(0);
        Assert.Null(AnotherThread.Run(producer.TryReleaseThread));
        // It is the owner's still.
        Assert.IsType<InvalidOperationException>(AnotherThread.Run(() => producer.Publish(1)));
        producer.TryReleaseThread();
        Assert.Null(AnotherThread.Run(() => producer.Publish(1)));
    }

    [Fact]
    public void TryReleaseThread_ClaimOpen_DoesNothing()
    {
        Producer<long> producer = Make.Producer(Ring(ProducerKind.Single));
        using Claim<long> claim = producer.Claim();
        producer.TryReleaseThread();
        Assert.IsType<InvalidOperationException>(AnotherThread.Run(() => producer.TryPublish(1)));
        claim.Commit();
    }

    [Fact]
    public void ReleaseThread_ClaimOpen_IsRefused()
    {
        Producer<long> producer = Make.Producer(Ring(ProducerKind.Single));
        using Claim<long> claim = producer.Claim();
        Assert.Throws<InvalidOperationException>(producer.ReleaseThread);
        claim.Commit();
        producer.ReleaseThread();
    }
}
