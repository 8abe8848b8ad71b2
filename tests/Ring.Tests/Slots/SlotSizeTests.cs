namespace Raceway.Rings.Tests;

/// <summary>How much memory slots and stamps need, where the numbers no longer fit an int.</summary>
public sealed class SlotSizeTests
{
    [Theory]
    [InlineData(16, 4, 64)]
    [InlineData(16, 64, 1024)]
    [InlineData(1 << 30, 4, 1L << 32)]
    [InlineData(1 << 26, 64, 1L << 32)]
    public void BytesFor_Stamps_HoldsAllOfThem(int capacity, int stride, long expected) =>
        Assert.Equal(expected, Availability.BytesFor(capacity, stride));

    [Theory]
    [InlineData(1 << 27)]
    [InlineData(1 << 28)]
    [InlineData(1 << 30)]
    public void BytesFor_MoreStampsThanAnArrayHas_IsRefused(int capacity) =>
        Assert.Contains(
            $"capacity={capacity}, stride=64",
            Assert.Throws<ArgumentException>(() => Availability.BytesFor(capacity, Availability.Line)).Message,
            StringComparison.Ordinal);

    [Theory]
    [InlineData(1 << 28, 3)]
    [InlineData(1 << 29, 3)]
    [InlineData(1 << 30, 2)]
    public void LengthFor_MoreSlotsThanAnArrayHas_IsRefused(int capacity, int shift) =>
        Assert.Contains(
            $"capacity={capacity}",
            Assert.Throws<ArgumentException>(() => SlotMemory<long>.LengthFor(capacity, shift, 16)).Message,
            StringComparison.Ordinal);

    [Fact]
    public void RingBuffer_StrideTooLargeForTheCapacity_IsRefused() =>
        Assert.Throws<ArgumentException>(() => new RingBuffer<long>(1 << 29, new RingOptions<long> { SlotStride = 64 }));
}
