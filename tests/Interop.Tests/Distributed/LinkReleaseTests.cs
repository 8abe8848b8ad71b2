using Raceway.Interop.Distributed;
using Raceway.Rings;
using static Raceway.Interop.Tests.Distributed.Receiving;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>Giving partitions up: what is waited for, and what is not.</summary>
public sealed class LinkReleaseTests
{
    [Fact]
    public async Task Release_ItemsOfAnEndedSessionInTheRing_WaitsForThem()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10, 11));
        receiving.Handler.OnSession(2);
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        Assert.False(released.IsCompleted);
        receiving.Driver.RunUntilIdle();
        await released.OrHang();
        Assert.Equal([10, 11], receiving.Items);
    }

    [Fact]
    public async Task Release_SessionEndsMeanwhile_WaitsForWhatIsInTheRing()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10, 11));
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        receiving.Handler.OnSession(2);
        Assert.False(released.IsCompleted);
        receiving.Driver.RunUntilIdle();
        await released.OrHang();
    }

    [Fact]
    public async Task Release_StageFails_SaysSoInsteadOfWaiting()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, Poison));
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        receiving.Driver.RunUntilIdle();
        await Assert.ThrowsAsync<RingFaultedException>(() => released.OrHang());
    }

    [Fact]
    public async Task Release_SourceIsDisposed_SaysSoInsteadOfWaiting()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10));
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        await receiving.Source.DisposeAsync();
        ObjectDisposedException ended = await Assert.ThrowsAsync<ObjectDisposedException>(() => released.OrHang());
        Assert.Contains("link='test.link'", ended.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Release_FramesWaitForOneBeforeThem_AreTakenWithoutIt()
    {
        await using Receiving receiving = await StartAsync(options: LinkHoldTests.Holding);
        await receiving.Deliver(1, 1, FrameOf(5, 15));
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        receiving.Driver.RunUntilIdle();
        await released.OrHang();
        Assert.Equal([15], receiving.Items);
    }

    [Fact]
    public async Task Release_FrameParkedBehindOneThatWaits_IsNotWaitedFor()
    {
        await using Receiving receiving = await StartAsync(options: LinkHoldTests.Holding);
        await receiving.Deliver(1, 1, FrameIn(1, 1UL, 5, 15), partition: 1);
        await receiving.Deliver(1, 2, [1, 2, 3]);
        Assert.Equal([2UL], receiving.Port.Parked);
        // The broker waits for nothing of partition 0: what partition 1 waits for may never come.
        await receiving.Source.ReleaseAsync([0]).AsTask().OrHang();
        Assert.Empty(receiving.Items);
    }

    [Fact]
    public async Task Release_FramesOfAnotherPartitionWait_ThoseBeforeAreTakenAndThoseBehindGoOnWaiting()
    {
        await using Receiving receiving = await StartAsync(options: LinkHoldTests.Holding);
        // Acknowledged in this order: the second not without the first, and whatever becomes of the third.
        await receiving.Deliver(1, 1, FrameIn(1, 1UL, 5, 15), partition: 1);
        await receiving.Deliver(1, 2, FrameOf(0, 20));
        await receiving.Deliver(1, 3, FrameIn(1, 2UL, 7, 17), partition: 1);
        receiving.Driver.RunUntilIdle();
        Assert.Equal([20], receiving.Items);
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        receiving.Driver.RunUntilIdle();
        await released.OrHang();
        Assert.Equal([20, 15], receiving.Items);
        Assert.Equal((1L, 2UL), receiving.Port.Acknowledged[^1]);
        Assert.Equal((1L, 1), (receiving.Source.Statistics.Gaps, receiving.Source.Statistics.Unacknowledged));
    }
}
