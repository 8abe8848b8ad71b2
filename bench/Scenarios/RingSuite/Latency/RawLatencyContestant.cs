namespace Raceway.Scenarios.RingSuite;

/// <summary>Hand-written ring for one producer and one consumer that polls without a pause: the floor.</summary>
internal sealed class RawLatencyContestant(RingShape shape, Arrivals arrivals) : LatencyContestant("raw", shape, arrivals)
{
    private const long Mask = RingShape.DefaultCapacity - 1;
    private const int Patience = 20_000;

    protected override void Prepare(LatencyRound round, Crew crew)
    {
        var ring = new Ring();
        crew.Add(() => round.Send(new Sender(ring, Pacer.OfProducer(BusyThreads, crew.Cancellation))));
        crew.Add(() => Consume(ring, round, crew.Cancellation));
    }

    private void Consume(Ring ring, LatencyRound round, CancellationToken cancellation)
    {
        Receiver receiver = round.NewReceiver();
        int polls = 0;
        for (long next = 0; next < round.Items;)
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
                long item = ring.Slots[next & Mask];
                Body.Work(ref item, Shape.Increments);
                receiver.Take(item);
            }

            Volatile.Write(ref ring.Consumed.Value, next);
            polls = 0;
        }

        round.Report(receiver);
    }

    private struct Sender(Ring ring, Pacer pacer) : ISender
    {
        private readonly Ring _ring = ring;
        private Pacer _pacer = pacer;
        private long _next;
        private long _limit = RingShape.DefaultCapacity;

        public void Send(long item)
        {
            if (_next >= _limit) _limit = _pacer.AwaitRoom(ref _ring.Consumed.Value, _next, RingShape.DefaultCapacity);
            _ring.Slots[_next & Mask] = item;
            Volatile.Write(ref _ring.Published.Value, ++_next);
        }
    }

    private sealed class Ring
    {
        public readonly AlignedBlock<long> Slots = new(RingShape.DefaultCapacity);
        public PaddedLong Published;
        public PaddedLong Consumed;
    }
}
