using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Hand-written stages: one ring, a thread and a padded counter for every stage, items changed in place.
/// </summary>
internal sealed class RawStages<TSlot>(RingLoad load, RoundThreads threads) : Transport<TSlot>(load, threads)
    where TSlot : unmanaged, ISlot<TSlot>
{
    private const long LargestBatch = 4096;
    private const double LongestPause = 10_000;

    // Counter 0 is the producer's, counter s what stage s has done.
    private readonly PaddedLong[] _done = new PaddedLong[load.Shape.Stages + 1];
    private readonly AlignedBlock<TSlot> _slots = new(load.Shape.Capacity);

    public override void AddProducer(int producer)
    {
        Feed feed = Load.FeedOf(producer);
        Threads.Add(() => Produce(feed, Pacer.OfProducer(Shape.BusyThreads, Threads.Cancellation)));
    }

    public override void AddStage<TWork>(int stage, TWork work) => Threads.Add(() =>
        Handle(stage, work, Pacer.OfConsumer(Shape.BusyThreads, LongestPause, Threads.Cancellation)));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Produce(Feed feed, Pacer pacer)
    {
        AlignedBlock<TSlot> slots = _slots;
        var consumed = new Least(_done, Shape.LastStages);
        ref long published = ref _done[0].Value;
        (long capacity, long mask) = (Shape.Capacity, Shape.Capacity - 1);
        long limit = capacity;
        for (long next = 0; feed.MoveNext(); next++)
        {
            if (next >= limit)
            {
                while ((limit = consumed.Read() + capacity) <= next) pacer.Idle();
                pacer.Worked();
            }

            TSlot.Write(ref slots[next & mask], feed.Current);
            Volatile.Write(ref published, next + 1);
        }
    }

    private void Handle<TWork>(int stage, TWork work, Pacer pacer)
        where TWork : struct, IStageWork<TSlot>
    {
        AlignedBlock<TSlot> slots = _slots;
        IReadOnlyList<int> after = Shape.After(stage);
        bool first = after.Count == 0;
        var upstream = new Least(_done, first ? [0] : after);
        ref long done = ref _done[stage].Value;
        long mask = Shape.Capacity - 1;
        long items = Load.Operations;
        long next = 0;
        while (next < items)
        {
            long start = next;
            long end = Math.Min(upstream.Read(), start + LargestBatch);
            if (end == start)
            {
                pacer.Idle();
                continue;
            }

            for (; next < end; next++) work.Take(ref slots[next & mask]);
            Volatile.Write(ref done, next);

            // Only a first stage lets batches form; the others get what it made.
            if (first) pacer.Worked(end - start);
            else pacer.Worked();
        }

        work.Report(Load, stage);
    }

    /// <summary>The least of some counters: how far all of them have come.</summary>
    private readonly struct Least(PaddedLong[] counters, IReadOnlyList<int> which)
    {
        private readonly int[] _which = [.. which];

        public long Read()
        {
            long least = long.MaxValue;
            foreach (int one in _which) least = Math.Min(least, Volatile.Read(ref counters[one].Value));
            return least;
        }
    }
}
