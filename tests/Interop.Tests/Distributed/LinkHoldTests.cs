using Raceway.Interop.Distributed;
using static Raceway.Interop.Tests.Distributed.Receiving;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>Frames that wait for one before them.</summary>
public sealed class LinkHoldTests
{
    /// <summary>Two frames of a partition may wait.</summary>
    internal static LinkOptions Holding { get; } = new() { HeldFrames = 2, Prefetch = 3, PositionOf = static _ => -1 };

    [Fact]
    public async Task HeldFrames_OthersOfThePartitionUseUpThePrefetch_IsTakenWithoutTheMissingOne()
    {
        // Nothing behind the first is acknowledged while it waits: after a third one the broker delivers no more.
        await using Receiving receiving = await StartAsync(options: Holding);
        await receiving.Deliver(1, 1, FrameOf(5, 15));
        await receiving.Deliver(1, 2, FrameOf(2UL, 0, 20));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([20], receiving.Items);
        Assert.Empty(receiving.Port.Acknowledged);
        await receiving.Deliver(1, 3, FrameOf(2UL, 1, 21));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([20, 21, 15], receiving.Items);
        Assert.Equal((1L, 3UL), receiving.Port.Acknowledged[^1]);
        Assert.Equal(1, receiving.Source.Statistics.Gaps);
    }

    [Fact]
    public async Task HeldFrames_MissingOneComesInTime_GoInOrder()
    {
        await using Receiving receiving = await StartAsync(options: Holding);
        await receiving.Deliver(1, 1, FrameOf(2, 12));
        await receiving.Deliver(1, 2, FrameOf(0, 10, 11));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11, 12], receiving.Items);
        Assert.Equal((1L, 2UL), receiving.Port.Acknowledged[^1]);
        Assert.Equal(0, receiving.Source.Statistics.Gaps);
    }

    [Fact]
    public void Streams_MoreThanAreKept_NoneIsForgottenWhoseFramesWait()
    {
        var streams = new LinkStreams();
        StreamState waiting = streams.Get(new LinkStream(1, 1, 0));
        waiting.Held.Add(new HeldFrame(waiting, default, 0, 1, 0, []));
        StreamState other = streams.Get(new LinkStream(2, 1, 0));
        for (int i = 0; i < LinkStreams.Most; i++) streams.Get(new LinkStream((ulong)i + 10, 1, 0));
        Assert.Same(waiting, streams.Get(new LinkStream(1, 1, 0)));
        Assert.NotSame(other, streams.Get(new LinkStream(2, 1, 0)));
    }

    [Theory]
    [InlineData(8, 8)]
    [InlineData(-1, 8)]
    public void Options_HeldFramesNotBelowPrefetch_AreRefused(int held, int prefetch)
    {
        ArgumentOutOfRangeException refused = Assert.Throws<ArgumentOutOfRangeException>(
            () => new LinkOptions { HeldFrames = held, Prefetch = prefetch, PositionOf = static _ => null }.Checked());
        Assert.Contains($"heldFrames={held}, prefetch={prefetch}", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Options_HeldFramesWithoutPositions_AreRefused()
    {
        ArgumentException refused = Assert.Throws<ArgumentException>(() => new LinkOptions { HeldFrames = 2 }.Checked());
        Assert.Contains("positionOf=none", refused.Message, StringComparison.Ordinal);
    }
}
