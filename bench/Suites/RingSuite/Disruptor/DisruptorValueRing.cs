#if PEER_DISRUPTOR
using Disruptor;
using Disruptor.Dsl;

namespace Raceway.Suites.RingSuite;

/// <summary>A value ring of Disruptor-net, with one handler a stage, each on a thread of its own.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
internal sealed class DisruptorValueRing<TSlot>(RingShape shape, IWaitStrategy wait)
    where TSlot : struct, ISlot<TSlot>
{
    private readonly Dictionary<int, IValueEventHandler<TSlot>> _handlers = [];
    private readonly ValueDisruptor<TSlot> _disruptor = new(
        static () => TSlot.Create(), shape.Capacity, TaskScheduler.Default,
        shape.MultiProducer ? ProducerType.Multi : ProducerType.Single, wait);

    /// <summary>Where producers write to.</summary>
    public DisruptorValues<TSlot> Slots => new(_disruptor.RingBuffer);

    /// <summary>Adds the handler of a stage.</summary>
    public void Add(int stage, IValueEventHandler<TSlot> handler)
    {
        IValueEventHandler<TSlot>[] after = [.. shape.After(stage).Select(one => _handlers[one])];
        _handlers.Add(stage, handler);
        if (after.Length == 0) _disruptor.HandleEventsWith(handler);
        else _disruptor.After(after).HandleEventsWith(handler);
    }

    /// <summary>Starts the handlers.</summary>
    public void Start() => _disruptor.Start();

    /// <summary>Ends the handlers, where they were started.</summary>
    public void End()
    {
        if (!_disruptor.HasStarted) return;
        _disruptor.Halt().GetAwaiter().GetResult();
        _disruptor.Dispose();
    }
}
#endif
