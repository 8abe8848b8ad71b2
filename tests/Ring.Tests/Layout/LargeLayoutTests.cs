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
        Assert.Throws<ArgumentException>(() => new RingBuffer<byte>(capacity, options));
    }

    [Theory]
    [InlineData(8, 4, 4)]
    [InlineData(8, 64, 12)]
    [InlineData(1 << 26, 64, (1 << 26) + 4)]
    [InlineData(RingOptions.MaxCapacity, 4, (1 << 26) + 4)]
    [InlineData(RingOptions.MaxCapacity, 64, RingOptions.MaxCapacity + 4)]
    public void LinesFor_LargeRings_CoverEveryStamp(int capacity, int stride, int lines) =>
        Assert.Equal(lines, Availability.LinesFor(capacity, stride));
}
