namespace Raceway.Rings.Tests;

/// <summary>The stamps of a multi-producer ring against a model that looks at one sequence after another.</summary>
public sealed class AvailabilityTests
{
    // What was done to each sequence; nothing else decides what may be read.
    private sealed class Model
    {
        private readonly Dictionary<long, bool> _live = [];

        public void Publish(long sequence) => _live[sequence] = true;

        public void Bury(long sequence) => _live[sequence] = false;

        public bool IsPublished(long sequence) => _live.ContainsKey(sequence);

        public bool IsTombstone(long sequence) => _live.TryGetValue(sequence, out bool live) && !live;

        public long Scan(long from, int capacity)
        {
            long sequence = from;
            while (sequence < from + capacity && _live.TryGetValue(sequence, out bool live) && live) sequence++;
            return sequence - 1;
        }
    }

    /// <summary>Where the stamps lie.</summary>
    public enum Layout
    {
        Separate,
        Padded,
        InSlot,
    }

    private static Availability Stamps(int capacity, long start, Layout layout = Layout.Separate) => layout switch
    {
        Layout.Separate => new Availability(new RingMemory(CellPadding.None), capacity, start),
        Layout.Padded => new Availability(new RingMemory(CellPadding.None), capacity, start, Availability.Line),
        _ => new SlotMemory<long>(new RingMemory(CellPadding.None), capacity, 16).StampsInSlots(capacity, start),
    };

    public static TheoryData<int, long, Layout> Starts()
    {
        var data = new TheoryData<int, long, Layout>();
        foreach (int capacity in new[] { 2, 16, 32, 64, 256 })
        {
            // Laps near the edges of the 30-bit lap, of int and of uint, and sequences near those of long.
            foreach (long start in new[]
            {
                0L, 5L, int.MaxValue - 8L, uint.MaxValue - 8L, (1L << 30) * capacity - 8, (1L << 31) * capacity - 8,
                (1L << 32) * capacity - 8, long.MaxValue - 4L * capacity,
            })
            {
                foreach (Layout layout in Enum.GetValues<Layout>()) data.Add(capacity, start, layout);
            }
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Starts))]
    public void ReadableEnd_Fresh_FindsNothing(int capacity, long start, Layout layout)
    {
        Availability stamps = Stamps(capacity, start, layout);
        for (long from = start; from < start + capacity; from++)
        {
            Assert.Equal(from - 1, stamps.ReadableEnd(from));
            Assert.False(stamps.IsPublished(from));
            Assert.False(stamps.IsTombstone(from));
        }

        Assert.False(stamps.HasTombstones);
    }

    [Theory]
    [MemberData(nameof(Starts))]
    public void ReadableEnd_EveryOffsetAndLength_EndsWhereTheRunDoes(int capacity, long start, Layout layout)
    {
        int most = Math.Min(capacity, 48);
        for (int offset = 0; offset < Math.Min(capacity, 20); offset++)
        {
            for (int length = 0; length <= most; length++)
            {
                Availability stamps = Stamps(capacity, start, layout);
                if (length > 0) stamps.Publish(start + offset, start + offset + length - 1);
                Assert.Equal(start + offset + length - 1, stamps.ReadableEnd(start + offset));
            }
        }
    }

    [Theory]
    [MemberData(nameof(Starts))]
    public void ReadableEnd_HolesTombstonesAndLaps_AgreesWithTheModel(int capacity, long start, Layout layout)
    {
        var random = new Random(capacity);
        Availability stamps = Stamps(capacity, start, layout);
        var model = new Model();
        long tail = start; // the first sequence whose slot is still held
        long head = start; // the next to be claimed
        List<long> open = [];
        long end = long.MaxValue - 2L * capacity;
        for (int i = 0; i < 600; i++)
        {
            while (head < tail + capacity && head < end && random.Next(4) != 0) open.Add(head++);
            if (open.Count > 0)
            {
                int which = random.Next(open.Count);
                long sequence = open[which];
                open.RemoveAt(which);
                if (random.Next(8) == 0)
                {
                    stamps.Bury(sequence, sequence);
                    model.Bury(sequence);
                }
                else
                {
                    stamps.Publish(sequence, sequence);
                    model.Publish(sequence);
                }
            }

            for (long from = tail; from < head; from++)
            {
                Assert.Equal(model.Scan(from, capacity), stamps.ReadableEnd(from));
                Assert.Equal(model.IsPublished(from), stamps.IsPublished(from));
                Assert.Equal(model.IsTombstone(from), stamps.IsTombstone(from));
            }

            while (tail < head && model.IsPublished(tail) && random.Next(3) != 0) tail++;
        }
    }

    [Theory]
    [InlineData(Layout.Separate)]
    [InlineData(Layout.Padded)]
    [InlineData(Layout.InSlot)]
    public void ReadableEnd_AllPublished_LooksOneLapAheadOnly(Layout layout)
    {
        Availability stamps = Stamps(32, 0, layout);
        stamps.Publish(0, 31);
        Assert.Equal(31, stamps.ReadableEnd(0));
        Assert.Equal(31, stamps.ReadableEnd(7));
        stamps.Publish(32, 38);
        Assert.Equal(38, stamps.ReadableEnd(7));
    }

    [Theory]
    [InlineData(Layout.Separate)]
    [InlineData(Layout.Padded)]
    [InlineData(Layout.InSlot)]
    public void LastBeforeTombstone_EveryPlace_IsTheOneBefore(Layout layout)
    {
        for (long buried = 0; buried < 16; buried++)
        {
            Availability stamps = Stamps(16, 0, layout);
            stamps.Publish(0, 15);
            stamps.Bury(buried, buried);
            Assert.True(stamps.HasTombstones);
            Assert.Equal(buried - 1, stamps.LastBeforeTombstone(0, 15));
            Assert.Equal(15, stamps.LastBeforeTombstone(buried + 1, 15));
        }
    }
}
