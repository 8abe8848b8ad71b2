#if PEER_DISRUPTOR
using Disruptor;
using Disruptor.Dsl;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.RingSuite;

/// <summary>
/// Ping-pong of one message over two value rings of Disruptor-net, each handler publishing to the other ring.
/// </summary>
internal sealed class DisruptorRoundTripContestant(string name, RingShape shape, Func<IWaitStrategy> wait)
    : RingContestant(name, shape)
{
    private ValueDisruptor<long>[] _disruptors = [];

    protected override void Prepare(RingLoad load, Crew crew)
    {
        ValueDisruptor<long> there = Create();
        ValueDisruptor<long> back = Create();
        _disruptors = [there, back];
        var asker = new Asker(there.RingBuffer, load);
        there.HandleEventsWith(new Answerer(back.RingBuffer, Shape.Increments));
        back.HandleEventsWith(asker);
        there.Start();
        back.Start();
        crew.AddAsync(async () =>
        {
            load.StartLaps();
            asker.AskNext();
            await asker.Finished.Task;
        });
        crew.OnCancel(() => asker.Finished.TrySetCanceled());
    }

    protected override void Finish(RingLoad load)
    {
        foreach (ValueDisruptor<long> disruptor in _disruptors.Where(static d => d.HasStarted))
        {
            disruptor.Halt().GetAwaiter().GetResult();
            disruptor.Dispose();
        }
    }

    private ValueDisruptor<long> Create() => new(
        static () => 0L, Shape.Capacity, TaskScheduler.Default, ProducerType.Single, wait());

    private sealed class Answerer(ValueRingBuffer<long> back, int increments) : IValueEventHandler<long>
    {
        public void OnStart() => Placement.StartApart(1);

        public void OnEvent(ref long data, long sequence, bool endOfBatch)
        {
            Body.Work(ref data, increments);
            DisruptorContestants.Publish(back, data);
        }
    }

    private sealed class Asker(ValueRingBuffer<long> there, RingLoad load) : IValueEventHandler<long>
    {
        private Feed _feed = load.FeedOf();
        private Check _check = load.NewCheck();

        public TaskCompletionSource Finished { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void AskNext()
        {
            if (_feed.MoveNext())
            {
                DisruptorContestants.Publish(there, _feed.Current);
                return;
            }

            load.Report(_check);
            Finished.TrySetResult();
        }

        public void OnStart() => Placement.StartApart(0);

        public void OnEvent(ref long data, long sequence, bool endOfBatch)
        {
            _check.Take(data);
            load.Lap();
            AskNext();
        }
    }
}
#endif
