#if PEER_DISRUPTOR
using Disruptor;
using Disruptor.Dsl;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.RingSuite;

/// <summary>A value ring of Disruptor-net with one handler a stage, each on a thread of its own.</summary>
internal sealed class DisruptorLatencyContestant(
    string name, RingShape shape, Arrivals arrivals, Func<IWaitStrategy> wait) : LatencyContestant(name, shape, arrivals)
{
    private ValueDisruptor<long>? _disruptor;

    protected override void Prepare(LatencyRound round, Crew crew)
    {
        ValueDisruptor<long> disruptor = _disruptor = new ValueDisruptor<long>(
            static () => 0L, RingShape.DefaultCapacity, TaskScheduler.Default, ProducerType.Single, wait());
        var finished = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        ValueEventHandlerGroup<long>? stages = null;
        for (int s = 1; s <= Shape.Stages; s++)
        {
            var handler = new Handler(
                Shape.Increments, Shape.Producers + s - 1, s == Shape.Stages ? round : null, finished);
            stages = stages is null ? disruptor.HandleEventsWith(handler) : stages.Then(handler);
        }

        disruptor.Start();
        crew.Add(() => round.Send(new Sender(disruptor.RingBuffer)));
        crew.AddAsync(() => finished.Task);
        crew.OnCancel(() => finished.TrySetCanceled());
    }

    protected override void Stop()
    {
        if (_disruptor is not { HasStarted: true }) return;
        _disruptor.Halt().GetAwaiter().GetResult();
        _disruptor.Dispose();
    }

    private readonly struct Sender(ValueRingBuffer<long> ring) : ISender
    {
        private readonly ValueRingBuffer<long> _ring = ring;

        public void Send(long item) => DisruptorContestants.Publish(_ring, item);
    }

    // Of the last stage when it has a round.
    private sealed class Handler(int increments, int place, LatencyRound? round, TaskCompletionSource finished)
        : IValueEventHandler<long>
    {
        private readonly long _last = round is null ? -1 : round.Items - 1;
        private readonly bool _takes = round is not null;
        private Receiver _receiver = round?.NewReceiver() ?? default;

        public void OnStart() => Placement.StartApart(place);

        public void OnEvent(ref long data, long sequence, bool endOfBatch)
        {
            Body.Work(ref data, increments);
            if (!_takes) return;
            _receiver.Take(data);
            if (sequence != _last) return;
            round!.Report(_receiver);
            finished.TrySetResult();
        }
    }
}
#endif
