#if PEER_DISRUPTOR
using Disruptor;
using Disruptor.Dsl;

namespace Raceway.Scenarios.RingSuite;

/// <summary>A value ring of Disruptor-net.</summary>
internal sealed class DisruptorValueContestant<TSlot>(string name, RingShape shape, Func<IWaitStrategy> wait)
    : DisruptorContestant<TSlot>(name, shape)
    where TSlot : struct, ISlot<TSlot>
{
    private readonly Dictionary<int, IValueEventHandler<TSlot>> _handlers = [];
    private ValueDisruptor<TSlot> _disruptor = null!;

    protected override void Create()
    {
        _handlers.Clear();
        _disruptor = new ValueDisruptor<TSlot>(
            static () => TSlot.Create(), Shape.Capacity, TaskScheduler.Default,
            Shape.MultiProducer ? ProducerType.Multi : ProducerType.Single, wait());
    }

    protected override void AddStage<TWork>(RingLoad load, Crew crew, int stage, TWork work)
    {
        var handler = new DisruptorValueHandler<TSlot, TWork>(Ending, stage, PlaceOf(stage), work);
        IValueEventHandler<TSlot>[] after = [.. Shape.After(stage).Select(one => _handlers[one])];
        _handlers.Add(stage, handler);
        if (after.Length == 0) _disruptor.HandleEventsWith(handler);
        else _disruptor.After(after).HandleEventsWith(handler);
    }

    protected override void Start() => _disruptor.Start();

    protected override void End()
    {
        _disruptor.Halt().GetAwaiter().GetResult();
        _disruptor.Dispose();
    }

    protected override void Publish(Feed feed, long items, CancellationToken cancellation) =>
        Publish(new DisruptorValues<TSlot>(_disruptor.RingBuffer), feed, items, cancellation);
}
#endif
