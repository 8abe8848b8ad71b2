namespace Raceway.Rings.Tests;

/// <summary>Rings whose memory would not fit an array say so, instead of being built with less.</summary>
public sealed class LargeLayoutTests
{
    [Theory]
    [InlineData(ProducerKind.Single, 1 << 25, 128)]
    [InlineData(ProducerKind.Multi, 1 << 20, 4096)]
    [InlineData(ProducerKind.Single, 1 << 20, 1 << 30)]
    [InlineData(ProducerKind.Sharded, 1 << 30, 16)]
    public void Build_StrideTimesCapacityBeyondAnArray_Throws(ProducerKind kind, int capacity, int stride)
    {
        var options = new RingOptions<byte> { Producers = kind, MaxProducers = 2, SlotStride = stride };
        Assert.ThrowsAny<ArgumentException>(() => new RingBuffer<byte>(capacity, options));
    }
}
