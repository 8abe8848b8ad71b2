#if PEER_DISRUPTOR
using Disruptor;
using Disruptor.Dsl;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.RingSuite;

/// <summary>A value ring of Disruptor-net with one handler a stage, each on a thread of its own.</summary>
internal sealed class DisruptorContestant(string name, RingShape shape, Func<IWaitStrategy> wait)
    : RingContestant(name, shape)
{
    private ValueDisruptor<long>? _disruptor;

    protected override void Prepare(RingLoad load, Crew crew)
    {
        ValueDisruptor<long> disruptor = _disruptor = new ValueDisruptor<long>(
            static () => 0L, RingShape.Capacity, TaskScheduler.Default,
            Shape.MultiProducer ? ProducerType.Multi : ProducerType.Single, wait());
        var finished = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        ValueEventHandlerGroup<long>? stages = null;
        for (int s = 1; s <= Shape.Stages; s++)
        {
            IValueEventHandler<long> handler =
                s == Shape.Stages ? new Last(load, finished) : new Stage(Shape.Increments, Shape.Producers + s - 1);
            stages = stages is null ? disruptor.HandleEventsWith(handler) : stages.Then(handler);
        }

        disruptor.Start();
        for (int p = 0; p < Shape.Producers; p++)
        {
            Feed feed = load.FeedOf(p);
            crew.Add(() => Produce(disruptor.RingBuffer, feed, crew.Cancellation));
        }

        crew.AddAsync(() => finished.Task);
        crew.OnCancel(() => finished.TrySetCanceled());
    }

    protected override void Finish(RingLoad load)
    {
        if (_disruptor is not { HasStarted: true }) return;
        _disruptor.Halt().GetAwaiter().GetResult();
        _disruptor.Dispose();
    }

    private static void Produce(ValueRingBuffer<long> ring, Feed feed, CancellationToken cancellation)
    {
        // A wait for room cannot be cancelled, but it ends: the handlers go on until the producers are done.
        for (int i = 1; feed.MoveNext(); i++)
        {
            DisruptorContestants.Publish(ring, feed.Current);
            if (i % 1024 == 0) cancellation.ThrowIfCancellationRequested();
        }
    }

    private sealed class Stage(int increments, int place) : IValueEventHandler<long>
    {
        public void OnStart() => Placement.StartApart(place);

        public void OnEvent(ref long data, long sequence, bool endOfBatch) => Body.Work(ref data, increments);
    }

    private sealed class Last(RingLoad load, TaskCompletionSource finished) : IValueEventHandler<long>
    {
        private readonly int _increments = load.Shape.Increments;
        private readonly long _last = load.Operations - 1;
        private Check _check = load.NewCheck();

        public void OnStart() => Placement.StartApart(load.Shape.BusyThreads - 1);

        public void OnEvent(ref long data, long sequence, bool endOfBatch)
        {
            Body.Work(ref data, _increments);
            _check.Take(data);
            if (sequence != _last) return;
            load.Report(_check);
            finished.TrySetResult();
        }
    }
}
#endif
