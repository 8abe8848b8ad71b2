using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Rings.Tests;

/// <summary>Slots that lie apart: where they are, and what can be done with them.</summary>
public sealed class StrideTests
{
    [StructLayout(LayoutKind.Sequential, Pack = 1, Size = 12)]
    private struct Odd
    {
        public int Value;
    }

    [StructLayout(LayoutKind.Sequential, Size = 64)]
    private struct Line
    {
        public long Value;
    }

    private static unsafe void AssertApart<T>(int capacity, int stride, ProducerKind kind = ProducerKind.Single)
        where T : unmanaged
    {
        var ring = new RingBuffer<T>(
            capacity, new RingOptions<T> { SlotStride = stride, Producers = kind, MaxProducers = 2 });
        for (int lane = 0; lane < (kind == ProducerKind.Sharded ? 2 : 1); lane++)
        {
            Slots<T> slots = ring.Slots.OfLane(lane);
            nint first = Address(ref slots.Own(0));
            Assert.Equal(0, first % 64);
            for (long i = 0; i < 3 * slots.Capacity; i++)
            {
                nint expected = first + (nint)(i % slots.Capacity) * stride;
                Assert.Equal(expected, Address(ref slots.Own(i)));
                Batch<T> batch = slots.View(i, slots.Capacity, null);
                Assert.Equal(expected, Address(ref batch[0]));
                int at = 0;
                foreach (ref T item in batch) Assert.Equal(Address(ref batch[at++]), Address(ref item));
                Assert.Equal(slots.Capacity, at);
                long segment = -1;
                Assert.Equal(expected, Address(ref slots.Run(i, slots.Capacity, ref segment, out int length)));
                Assert.Equal(slots.Capacity - i % slots.Capacity, length);
            }
        }

        GC.KeepAlive(ring);
        static nint Address(ref T slot) => (nint)Unsafe.AsPointer(ref slot);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(8)]
    [InlineData(64)]
    public void Slots_EveryStride_LieThatFarApartFromALineOn(int capacity)
    {
        for (int times = 1; times <= 64; times *= 2)
        {
            AssertApart<byte>(capacity, times);
            AssertApart<long>(capacity, 8 * times);
            AssertApart<Odd>(capacity, 12 * times);
            AssertApart<Line>(capacity, 64 * times);
        }
    }

    [Fact]
    public void Slots_Lanes_LieThatFarApartInEach()
    {
        AssertApart<long>(16, 64, ProducerKind.Sharded);
        AssertApart<Odd>(16, 48, ProducerKind.Sharded);
    }

    [Fact]
    public void First_SlotsApart_ThrowsWhatToDoInstead()
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long> { SlotStride = 64 });
        Assert.Contains("SlotStride=64", Refused(() => ring.Slots.View(0, 4, null).First), StringComparison.Ordinal);
        Assert.Contains("SlotStride=64", Refused(() => ring.Slots.View(6, 4, null).Second), StringComparison.Ordinal);
        SingleProducer<long> producer = ring.CreateProducer();
        Assert.Contains(
            "Enumerate or index",
            Assert.Throws<InvalidOperationException>(() =>
            {
                using Claim<long> claim = producer.Claim(2);
                return claim.First.Length;
            }).Message,
            StringComparison.Ordinal);
        Assert.Equal(4, new RingBuffer<long>(8, new RingOptions<long> { SlotStride = 8 }).Slots.View(0, 4, null).First.Length);

        static string Refused(Length span) => Assert.Throws<InvalidOperationException>(() => span().Length).Message;
    }

    private delegate Span<long> Length();

    [Fact]
    public void Indexer_SlotsApart_OutOfRangeThrows()
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long> { SlotStride = 32 });
        foreach (int index in new[] { -1, 6, int.MaxValue, int.MinValue })
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => ring.Slots.View(5, 6, null)[index]);
            Assert.Throws<ArgumentOutOfRangeException>(() => ring.Slots.View(0, 6, null)[index]);
        }
    }

    private static string Text<T>(RingOptions<T> options) =>
        Assert.ThrowsAny<ArgumentException>(() => new RingBuffer<T>(8, options)).Message;

    [Theory]
    [InlineData(4)]
    [InlineData(12)]
    [InlineData(24)]
    [InlineData(-8)]
    [InlineData(int.MinValue)]
    public void SlotStride_NotTheSizeTimesAPowerOfTwo_IsRefused(int stride) =>
        Assert.Contains($"stride={stride}, size=8", Text(new RingOptions<long> { SlotStride = stride }), StringComparison.Ordinal);

    [Fact]
    public void Options_LayoutsThatCannotBe_AreRefusedWithTheRemedy()
    {
        Assert.Contains("item=String", Text(new RingOptions<string> { SlotStride = 64 }), StringComparison.Ordinal);
        Assert.Contains("item=String", Text(new RingOptions<string> { Stamps = StampLayout.InSlot }), StringComparison.Ordinal);
        Assert.Contains("four aligned bytes", Text(new RingOptions<long> { Stamps = StampLayout.InSlot }), StringComparison.Ordinal);
        Assert.Contains(
            "four aligned bytes", Text(new RingOptions<long> { Stamps = StampLayout.InSlot, SlotStride = 8 }), StringComparison.Ordinal);
        Assert.Contains(
            "power of two", Text(new RingOptions<Odd> { Stamps = StampLayout.InSlot, SlotStride = 48 }), StringComparison.Ordinal);
        Assert.Contains("stamps=9", Text(new RingOptions<long> { Stamps = (StampLayout)9 }), StringComparison.Ordinal);
        RingOptions<long> sharded = new() { Producers = ProducerKind.Sharded, MaxProducers = 2 };
        Assert.Contains(
            "A sharded ring has no stamps",
            Text(sharded with { Stamps = StampLayout.InSlot, SlotStride = 64 }),
            StringComparison.Ordinal);
        Assert.Contains(
            "maxProducers=5, capacity=8. Use at most 4", Text(sharded with { MaxProducers = 5 }), StringComparison.Ordinal);
        Assert.Contains(
            "no pooled payloads",
            Text(new RingOptions<Paid> { Producers = ProducerKind.Sharded, MaxProducers = 2, Payload = static (ref Paid item) => ref item.Body }),
            StringComparison.Ordinal);
    }

    private struct Paid
    {
        public Payload Body;
    }

    [Theory]
    [InlineData(8, 1, 8)]
    [InlineData(8, 2, 4)]
    [InlineData(8, 3, 2)]
    [InlineData(8, 4, 2)]
    [InlineData(64, 3, 16)]
    [InlineData(64, 16, 4)]
    [InlineData(1 << 20, 7, 1 << 17)]
    public void LaneCapacity_AnyNumberOfProducers_IsTheLargestPowerOfTwoThatFits(int capacity, int producers, int expected) =>
        Assert.Equal(expected, ShardedClaims.LaneCapacity(capacity, new RingOptions { MaxProducers = producers }));
}
