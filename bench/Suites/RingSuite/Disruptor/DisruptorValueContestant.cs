#if PEER_DISRUPTOR
using Disruptor;

namespace Raceway.Suites.RingSuite;

/// <summary>A value ring of Disruptor-net.</summary>
internal sealed class DisruptorValueContestant<TSlot>(string name, RingShape shape, Func<IWaitStrategy> wait)
    : DisruptorContestant<TSlot>(name, shape)
    where TSlot : struct, ISlot<TSlot>
{
    private DisruptorValueRing<TSlot> _ring = null!;

    protected override void Create() => _ring = new DisruptorValueRing<TSlot>(Shape, wait());

    protected override void AddStage<TWork>(RingLoad load, RoundThreads roundThreads, int stage, TWork work) =>
        _ring.Add(stage, new DisruptorValueHandler<TSlot, TWork>(Ending, stage, PlaceOf(stage), work));

    protected override void Start() => _ring.Start();

    protected override void End() => _ring.End();

    protected override void Publish(Feed feed, long items, CancellationToken cancellation) =>
        Publish(_ring.Slots, feed, items, cancellation);
}
#endif
