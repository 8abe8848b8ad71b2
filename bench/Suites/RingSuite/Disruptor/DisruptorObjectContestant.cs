#if PEER_DISRUPTOR
using Disruptor;
using Disruptor.Dsl;

namespace Raceway.Suites.RingSuite;

/// <summary>A ring of objects of Disruptor-net, with handlers of events or of batches.</summary>
internal sealed class DisruptorObjectContestant<TSlot>(
    string name, RingShape shape, Func<IWaitStrategy> wait, bool batches) : DisruptorContestant<TSlot>(name, shape)
    where TSlot : struct, ISlot<TSlot>
{
    private readonly Dictionary<int, IEventHandler> _handlers = [];
    private Disruptor<DisruptorEvent<TSlot>> _disruptor = null!;

    protected override void Create()
    {
        _handlers.Clear();
        _disruptor = new Disruptor<DisruptorEvent<TSlot>>(
            static () => new DisruptorEvent<TSlot>(), Shape.Capacity, TaskScheduler.Default,
            Shape.MultiProducer ? ProducerType.Multi : ProducerType.Single, wait());
    }

    protected override void AddStage<TWork>(RingLoad load, RoundThreads roundThreads, int stage, TWork work)
    {
        if (batches)
        {
            var handler = new DisruptorBatchHandler<TSlot, TWork>(Ending, stage, PlaceOf(stage), work);
            IBatchEventHandler<DisruptorEvent<TSlot>>[] after = After<IBatchEventHandler<DisruptorEvent<TSlot>>>(stage);
            _handlers.Add(stage, handler);
            if (after.Length == 0) _disruptor.HandleEventsWith(handler);
            else _disruptor.After(after).HandleEventsWith(handler);
        }
        else
        {
            var handler = new DisruptorEventHandler<TSlot, TWork>(Ending, stage, PlaceOf(stage), work);
            IEventHandler<DisruptorEvent<TSlot>>[] after = After<IEventHandler<DisruptorEvent<TSlot>>>(stage);
            _handlers.Add(stage, handler);
            if (after.Length == 0) _disruptor.HandleEventsWith(handler);
            else _disruptor.After(after).HandleEventsWith(handler);
        }
    }

    protected override void Start() => _disruptor.Start();

    protected override void End()
    {
        _disruptor.Halt().GetAwaiter().GetResult();
        _disruptor.Dispose();
    }

    protected override void Publish(Feed feed, long items, CancellationToken cancellation) =>
        Publish(new DisruptorObjects<TSlot>(_disruptor.RingBuffer), feed, items, cancellation);

    private THandler[] After<THandler>(int stage) => [.. Shape.After(stage).Select(one => (THandler)_handlers[one])];
}
#endif
