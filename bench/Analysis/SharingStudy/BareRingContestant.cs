using System.Runtime.CompilerServices;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Analysis.SharingStudy;

/// <summary>A hand-written ring with its parts where a layout puts them. Both sides poll without a pause.</summary>
/// <remarks>
/// Small, so that it stays in the cores' own caches, and without any pause: the layout decides then, not how batches form. In
/// one thread the producer and the consumer take turns, a batch each.
/// </remarks>
internal sealed class BareRingContestant(string name, BareLayout layout, int threads) : RingContestant(name, s_shape)
{
    private const int Capacity = 1024;
    private const int LargestBatch = 64;
    private const int PollsBeforeYield = 20_000;

    private static readonly RingShape s_shape = new(1, 1, 0) { Capacity = Capacity };

    public override int BusyThreads => threads;

    public override IReadOnlyDictionary<string, string>? Knobs { get; init; } = layout.Knobs(threads);

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        var memory = new Memory(layout);
        switch (layout.Availability)
        {
            case Availability.Cursor:
                AddRoles(load, roundThreads, memory, new PublishedByCursor(memory.Cells));
                break;
            case Availability.Bit:
                AddRoles(load, roundThreads, memory, new PublishedByBit(new AlignedBlock<long>(Capacity / 64), Capacity));
                break;
            case Availability.InSlot:
                AddRoles(load, roundThreads, memory, new PublishedByStamp(memory.Slots, first: 2, layout.StampStride, Capacity));
                break;
            default:
                var stamps = new AlignedBlock<int>(Capacity * layout.StampStride / sizeof(int));
                AddRoles(load, roundThreads, memory, new PublishedByStamp(stamps, first: 0, layout.StampStride, Capacity));
                break;
        }
    }

    private void AddRoles<TPublished>(RingLoad load, RoundThreads roundThreads, Memory memory, TPublished published)
        where TPublished : struct, IPublished
    {
        Feed feed = load.FeedOf();
        if (threads == 1)
        {
            roundThreads.Add(() => InTurn(load, memory, published, feed));
            return;
        }

        roundThreads.Add(() => Produce(memory, published, feed, roundThreads.Cancellation));
        roundThreads.Add(() => Consume(load, memory, published, roundThreads.Cancellation));
    }

    private static void Produce<TPublished>(Memory memory, TPublished published, Feed feed, CancellationToken cancellation)
        where TPublished : struct, IPublished
    {
        _ = Placement.Pin(0);
        long limit = Capacity;
        for (long next = 0; feed.MoveNext(); next++)
        {
            for (int polls = 0; next >= limit; polls++)
            {
                limit = Volatile.Read(ref memory.Consumed) + Capacity;
                GiveWay(polls, cancellation);
            }

            memory.ItemOf(next) = feed.Current;
            published.Publish(next);
        }
    }

    private static void Consume<TPublished>(
        RingLoad load, Memory memory, TPublished published, CancellationToken cancellation)
        where TPublished : struct, IPublished
    {
        _ = Placement.Pin(1);
        Check check = load.NewCheck();
        int polls = 0;
        for (long next = 0; next < load.Operations;)
        {
            long start = next, end = Math.Min(start + LargestBatch, load.Operations);
            while (next < end && published.Has(next)) check.Take(memory.ItemOf(next++));
            if (next != start) Volatile.Write(ref memory.Consumed, next);
            polls = next != start ? 0 : polls + 1;
            GiveWay(polls, cancellation);
        }

        load.Report(check);
    }

    private static void InTurn<TPublished>(RingLoad load, Memory memory, TPublished published, Feed feed)
        where TPublished : struct, IPublished
    {
        _ = Placement.Pin(0);
        Check check = load.NewCheck();
        long put = 0, taken = 0;
        for (bool more = true; more;)
        {
            for (long end = put + LargestBatch; put < end && (more = feed.MoveNext()); put++)
            {
                memory.ItemOf(put) = feed.Current;
                published.Publish(put);
            }

            while (taken < put && published.Has(taken)) check.Take(memory.ItemOf(taken++));
            Volatile.Write(ref memory.Consumed, taken);
        }

        load.Report(check);
    }

    // Where both threads were put on one processor, the other one cannot go on while this one polls.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void GiveWay(int polls, CancellationToken cancellation)
    {
        if (polls < PollsBeforeYield) return;
        cancellation.ThrowIfCancellationRequested();
        Thread.Yield();
    }

    private sealed class Memory(BareLayout layout)
    {
        private readonly int _slotInts = layout.SlotStride / sizeof(int);
        private readonly int _consumed = layout.CellStride / sizeof(long);

        public AlignedBlock<long> Cells { get; } = new((layout.CellStride / sizeof(long)) + 1);

        public AlignedBlock<int> Slots { get; } = new(Capacity * layout.SlotStride / sizeof(int));

        public ref long Consumed => ref Cells[_consumed];

        // SAFETY: a slot has room for a long, the block begins on a boundary of 128 bytes and the stride is a multiple of 8.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public ref long ItemOf(long sequence) =>
            ref Unsafe.As<int, long>(ref Slots[(sequence & (Capacity - 1)) * _slotInts]);
    }
}
