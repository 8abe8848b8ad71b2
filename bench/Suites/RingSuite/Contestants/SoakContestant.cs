using Raceway.Measuring;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Ours with its default settings, on one ring for all rounds: a round publishes further items and ends when the
/// consumer has them. Sequences go on from round to round; nothing is begun anew.
/// </summary>
internal sealed class SoakContestant(RingShape shape) : RingContestant("raceway/default", shape), IDisposable
{
    private RingBuffer<long>? _ring;
    private SingleProducer<long>? _producer;
    private Slice? _slice;
    private long _published;
    private bool _finished;

    public void Dispose() => Halt();

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        _finished = false;
        if (_ring is null) Start();
        Slice slice = _slice!;
        slice.Begin(load, _published + load.Operations - 1);
        SingleProducer<long> producer = _producer!;
        roundThreads.Add(() =>
        {
            Publish(producer, load.FeedOf());
            slice.Ended.Wait(roundThreads.Cancellation);
            _finished = true;
        });
        RingBuffer<long> ring = _ring!;
        roundThreads.OnCancel(() => ring.HaltAsync());
    }

    protected override void Finish(RingLoad load)
    {
        // After a round that failed it is not known where the ring is.
        if (_finished) _published += load.Operations;
        else Halt();
    }

    private void Start()
    {
        _published = 0;
        _slice = new Slice();
        _ring = new RingBuffer<long>(RingShape.DefaultCapacity);
        _ring.Slots.SubscribeEvents(new Handler(_slice, Shape.Producers));
        _ring.Start();
        _producer = _ring.CreateProducer();
    }

    private void Halt()
    {
        _ring?.HaltAsync().GetAwaiter().GetResult();
        _ring = null;
    }

    private static void Publish(SingleProducer<long> producer, Feed feed)
    {
        // Every round has its own thread; the producer goes on with it.
        using (OpenProducer<long> open = producer.Open())
        {
            while (feed.MoveNext())
            {
                open.Claim() = feed.Current;
                open.Commit();
            }
        }

        producer.ReleaseThread();
    }

    /// <summary>What a round and the handler know of each other.</summary>
    private sealed class Slice
    {
        private RingLoad? _load;

        public ManualResetEventSlim Ended { get; } = new(false, spinCount: 0);

        /// <summary>The last sequence of the round.</summary>
        public long Last { get; private set; }

        /// <summary>The check of a round that begins. The stage sees it with the first item, not before.</summary>
        public Check Check { get; private set; }

        public void Begin(RingLoad load, long last)
        {
            Ended.Reset();
            (_load, Last, Check) = (load, last, load.NewCheck());
        }

        public void End(in Check check)
        {
            _load!.Report(check);
            Ended.Set();
        }
    }

    private struct Handler(Slice slice, int place) : IEventHandler<long>, IStageLifetime
    {
        private readonly Slice _slice = slice;
        private readonly int _place = place;
        private long _last = -1;
        private Check _check;

        public readonly void OnStart() => Placement.StartApart(_place);

        public readonly void OnStop()
        {
        }

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            if (sequence > _last) (_last, _check) = (_slice.Last, _slice.Check);
            _check.Take(item);
            if (sequence == _last) _slice.End(_check);
        }
    }
}
