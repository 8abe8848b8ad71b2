namespace Raceway.Suites.RingSuite;

/// <summary>Hand-written ring for one producer and one consumer that polls without a pause: the floor.</summary>
internal sealed class RawLatencyContestant(RingShape shape, Arrivals arrivals) : LatencyContestant("raw", shape, arrivals)
{
    private const int Patience = 20_000;

    private RawRing<Number> _ring = new(0);

    protected override void Prepare(LatencyRound round, RoundThreads roundThreads)
    {
        RawRing<Number> ring = _ring = new(Shape.Capacity);
        roundThreads.Add(() => round.Send(new Sender(ring, Pacer.OfProducer(BusyThreads, roundThreads.Cancellation))));
        AddStages(round.Load, roundThreads);
    }

    protected override void AddStage<TWork>(RingLoad load, RoundThreads roundThreads, int stage, TWork work)
    {
        RawRing<Number> ring = _ring;
        roundThreads.Add(() => Consume(ring, load.Operations, work, roundThreads.Cancellation).Report(load, stage));
    }

    private static TWork Consume<TWork>(RawRing<Number> ring, long items, TWork work, CancellationToken cancellation)
        where TWork : struct, IStageWork<Number>
    {
        AlignedBlock<Number> slots = ring.Slots;
        long mask = ring.Capacity - 1;
        int polls = 0;
        for (long next = 0; next < items;)
        {
            long end = Volatile.Read(ref ring.Published.Value);
            if (end == next)
            {
                if (++polls < Patience) continue;
                // The producer may need this processor, or be gone.
                cancellation.ThrowIfCancellationRequested();
                Thread.Yield();
                continue;
            }

            for (; next < end; next++)
            {
                // One consumer: the work is done beside the slot, which stays as it is.
                Number item = slots[next & mask];
                work.Take(ref item);
            }

            Volatile.Write(ref ring.Consumed.Value, next);
            polls = 0;
        }

        return work;
    }

    private struct Sender(RawRing<Number> ring, Pacer pacer) : ISender
    {
        private readonly RawRing<Number> _ring = ring;
        private Pacer _pacer = pacer;
        private long _next;
        private long _limit = ring.Capacity;

        public void Send(long item)
        {
            if (_next >= _limit) _limit = _pacer.AwaitRoom(ref _ring.Consumed.Value, _next, _ring.Capacity);
            Number.Write(ref _ring.Slots[_next & (_ring.Capacity - 1)], item);
            Volatile.Write(ref _ring.Published.Value, ++_next);
        }
    }
}
