using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Rings.Tests;

/// <summary>Typed columns: where slots lie, and that all kinds of types can be reached.</summary>
public sealed class SlotsTests
{
    [StructLayout(LayoutKind.Sequential, Size = 64)]
    private struct Line
    {
        public long Value;
    }

    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct Pair
    {
        public long Value;
    }

    [StructLayout(LayoutKind.Sequential, Pack = 1, Size = 12)]
    private struct Odd
    {
        public int Value;
    }

    private struct WithReference
    {
        public object? Reference;
        public long Value;
    }

    private sealed class Node
    {
        public long Value { get; set; }
    }

    private static void WalkAll<T>(int capacity, Func<long, T> make, Func<T, long> read)
    {
        var ring = new RingBuffer<T>(capacity);
        for (long i = 0; i < capacity; i++) ring.Slots[i] = make(i);
        for (long lap = 0; lap < 3; lap++)
            for (long i = 0; i < capacity; i++) Assert.Equal(i, read(ring.Slots[i + lap * capacity]));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(64)]
    [InlineData(1024)]
    public void Indexer_EveryKindOfType_EverySlotIsItsOwn(int capacity)
    {
        WalkAll(Math.Min(capacity, 256), i => (byte)i, value => value);
        WalkAll(capacity, i => i, value => value);
        WalkAll(capacity, i => new Odd { Value = (int)i }, value => value.Value);
        WalkAll(capacity, i => new Line { Value = i }, value => value.Value);
        WalkAll(capacity, i => new Pair { Value = i }, value => value.Value);
        WalkAll(capacity, i => new WithReference { Value = i, Reference = capacity }, value => value.Value);
        WalkAll(capacity, i => new Node { Value = i }, value => value.Value);
        WalkAll(capacity, i => $"{i}", value => long.Parse(value, System.Globalization.CultureInfo.InvariantCulture));
    }

    [Fact]
    public unsafe void Origin_UnmanagedTypes_BeginsALine()
    {
        // Several of each: one may be aligned by luck.
        for (int i = 0; i < 16; i++)
        {
            AssertAligned<byte>();
            AssertAligned<long>();
            AssertAligned<Odd>();
            AssertAligned<Line>();
            AssertAligned<Pair>();
        }

        static void AssertAligned<T>()
            where T : unmanaged
        {
            var ring = new RingBuffer<T>(8);
            Assert.Equal(0, (nint)Unsafe.AsPointer(ref ring.Slots[0]) % 64);
            GC.KeepAlive(ring);
        }
    }

    [Fact]
    public unsafe void Slots_LineSized_EachHasALineToItself()
    {
        var ring = new RingBuffer<Line>(16);
        HashSet<nint> lines = [];
        for (int i = 0; i < 16; i++)
        {
            nint first = (nint)Unsafe.AsPointer(ref ring.Slots[i]);
            Assert.Equal(first / 64, (first + sizeof(Line) - 1) / 64);
            Assert.True(lines.Add(first / 64));
        }

        GC.KeepAlive(ring);
    }

    [Fact]
    public void Slots_BothEnds_KeepALinePairFromTheArraysEnds()
    {
        AssertPadded<byte>(8);
        AssertPadded<long>(8);
        AssertPadded<Odd>(4);
        AssertPadded<Line>(4);
        AssertPadded<Pair>(2);
        AssertPadded<WithReference>(4);
        AssertPadded<object>(4);

        static void AssertPadded<T>(int capacity)
        {
            for (int i = 0; i < 8; i++)
            {
                var ring = new RingBuffer<T>(capacity);
                T[] items = Items(ring.Slots);
                ref T start = ref MemoryMarshal.GetArrayDataReference(items);
                nint before = Unsafe.ByteOffset(ref start, ref ring.Slots[0]);
                nint end = (nint)items.Length * Unsafe.SizeOf<T>();
                nint after = end - (Unsafe.ByteOffset(ref start, ref ring.Slots[capacity - 1]) + Unsafe.SizeOf<T>());
                Assert.True(before >= 128, $"{typeof(T).Name}: {before} bytes before");
                Assert.True(after >= 128, $"{typeof(T).Name}: {after} bytes after");
            }
        }
    }

    [Fact]
    public void Slots_UnmanagedTypes_StayWhereTheyAre()
    {
        var ring = new RingBuffer<long>(8);
        nint before = Address(ref ring.Slots[3]);
        GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
        Assert.Equal(before, Address(ref ring.Slots[3]));
    }

    [Fact]
    public void CreateSlot_EachSlotHasItsOwnObject_ReusedEveryLap()
    {
        var ring = new RingBuffer<Node>(4, new RingOptions<Node> { CreateSlot = () => new Node(), });
        Node[] nodes = [.. Enumerable.Range(0, 4).Select(i => ring.Slots[i])];
        Assert.Equal(4, nodes.Distinct().Count());
        Stage stage = ring.Subscribe((ref Node node) => node.Value++, Make.Stepped());
        SingleProducer<Node> producer = ring.CreateProducer();
        for (int i = 0; i < 12; i++)
        {
            producer.Publish(i, static (ref Node node, int _) => Assert.NotNull(node));
            stage.Step();
        }

        Assert.Equal(nodes, Enumerable.Range(0, 4).Select(i => ring.Slots[i]));
        Assert.All(nodes, node => Assert.Equal(3, node.Value));
    }

    [Fact]
    public void AddColumn_CreateSlot_FillsIt()
    {
        var ring = new RingBuffer<long>(4);
        Slots<Node> column = ring.AddColumn(() => new Node());
        Assert.Equal(4, Enumerable.Range(0, 4).Select(i => column[i]).Distinct().Count());
        Assert.Same(ring, column.Ring);
        Assert.Equal(4, column.Capacity);
    }

    private static T[] Items<T>(Slots<T> slots) =>
        (T[])typeof(Slots<T>)
            .GetField("_items", System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Instance)!
            .GetValue(slots)!;

    private static unsafe nint Address<T>(ref T slot) => (nint)Unsafe.AsPointer(ref slot);
}
