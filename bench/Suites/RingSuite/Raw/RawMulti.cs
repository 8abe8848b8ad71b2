using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Hand-written ring for several producers: a fetch-add claims, a stamp in the slot says that it is filled.
/// </summary>
internal sealed class RawMulti<TSlot>(RingLoad load, RoundThreads threads) : Transport<TSlot>(load, threads)
    where TSlot : unmanaged, ISlot<TSlot>
{
    private const double LongestPause = 20_000;
    private const int LargestBatch = 4096;

    private readonly StampedRing<TSlot> _ring = new(load.Shape.Capacity);

    public override void AddProducer(int producer)
    {
        Feed feed = Load.FeedOf(producer);
        Threads.Add(() => Produce(_ring, feed, Pacer.OfProducer(Shape.BusyThreads, Threads.Cancellation)));
    }

    public override void AddStage<TWork>(int stage, TWork work) => Threads.Add(() =>
        Consume(_ring, Load.Operations, work, Pacer.OfConsumer(Shape.BusyThreads, LongestPause, Threads.Cancellation))
            .Report(Load, stage));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Produce(StampedRing<TSlot> ring, Feed feed, Pacer pacer)
    {
        long limit = ring.Capacity;
        while (feed.MoveNext())
        {
            long next = Interlocked.Increment(ref ring.Claimed.Value) - 1;
            if (next >= limit) limit = pacer.AwaitRoom(ref ring.Consumed.Value, next, ring.Capacity);
            ref StampedRing<TSlot>.Place place = ref ring[next];
            TSlot.Write(ref place.Slot, feed.Current);
            Volatile.Write(ref place.Stamp, next + 1);
        }
    }

    private static TWork Consume<TWork>(StampedRing<TSlot> ring, long items, TWork work, Pacer pacer)
        where TWork : struct, IStageWork<TSlot>
    {
        long next = 0;
        while (next < items)
        {
            long start = next;
            long end = start + LargestBatch;
            for (; next < end; next++)
            {
                ref StampedRing<TSlot>.Place place = ref ring[next];
                if (Volatile.Read(ref place.Stamp) != next + 1) break;
                Beside.Take(ref work, ref place.Slot);
            }

            if (next == start)
            {
                pacer.Idle();
                continue;
            }

            Volatile.Write(ref ring.Consumed.Value, next);
            pacer.Worked(next - start);
        }

        return work;
    }
}

/// <summary>The memory of the hand-written ring for several producers: each slot has its stamp beside it.</summary>
internal sealed class StampedRing<TSlot>(int capacity)
    where TSlot : unmanaged
{
    /// <summary>Sequences handed out.</summary>
    public PaddedLong Claimed;

    /// <summary>Items consumed.</summary>
    public PaddedLong Consumed;

    private readonly AlignedBlock<Place> _places = new(capacity);
    private readonly long _mask = capacity - 1;

    /// <summary>Items that it holds.</summary>
    public int Capacity { get; } = capacity;

    /// <summary>The place of a sequence; that of a number lies in one cache line.</summary>
    public ref Place this[long sequence]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _places[sequence & _mask];
    }

    /// <summary>A stamp, followed by its slot.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct Place
    {
        /// <summary>The number of the item that was written last, counted from 1.</summary>
        public long Stamp;

        /// <summary>The item.</summary>
        public TSlot Slot;
    }
}
