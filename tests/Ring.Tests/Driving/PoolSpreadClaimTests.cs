namespace Raceway.Rings.Tests;

/// <summary>A producer of a ring that the pool steps notes where it blocks. Alone: producers of other tests would note the same.</summary>
[Collection(AllocationGroup.Name)]
public sealed class PoolSpreadClaimTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Claim_RingIsFull_IsNotedWhereThePoolStepsIt(bool isPooled)
    {
        Assert.SkipUnless(Peek.HasSpread(ReadyQueue.Shared), "there are not two processors, or this is not Linux");
        using var goes = new ManualResetEventSlim();
        RingBuffer<long> ring = Make.Ring(2);
        ring.Subscribe(new BatchLambda<long>(_ => goes.Wait()), new StageOptions { Wait = isPooled ? Wait.Async() : Wait.Default });
        try
        {
            Producer<long> producer = Make.Producer(ring);
            ring.Start();
            for (int i = 0; i < 2; i++) Assert.Equal(ClaimStatus.Done, producer.TryPublish(i));
            long before = MachineClock.Now;
            // A note that is younger than a millisecond is kept.
            for (int i = 0; i < 10; i++)
                Assert.Equal(ClaimStatus.TimedOut, producer.TryClaim(1, TimeSpan.FromMilliseconds(1), out _));
            Assert.Equal(isPooled, Peek.ProducerBlockedAt(ReadyQueue.Shared) > before);
        }
        finally
        {
            goes.Set();
            await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        }
    }
}
