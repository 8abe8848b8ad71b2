#if PEER_DISRUPTOR
using Disruptor;

namespace Raceway.Suites.RingSuite;

/// <summary>A value ring of Disruptor-net with one handler a stage, each on a thread of its own.</summary>
internal sealed class DisruptorLatencyContestant(
    string name, RingShape shape, Arrivals arrivals, Func<IWaitStrategy> wait) : LatencyContestant(name, shape, arrivals)
{
    private DisruptorValueRing<Number>? _ring;
    private DisruptorEnding? _ending;

    protected override void Prepare(LatencyRound round, RoundThreads roundThreads)
    {
        DisruptorValueRing<Number> ring = _ring = new(Shape, wait());
        DisruptorEnding ending = _ending = new(round.Load);
        AddStages(round.Load, roundThreads);
        ring.Start();
        roundThreads.Add(() => round.Send(new Sender(ring.Slots)));
        roundThreads.AddAsync(() => ending.Task);
        roundThreads.OnCancel(ending.Cancel);
    }

    protected override void AddStage<TWork>(RingLoad load, RoundThreads roundThreads, int stage, TWork work) =>
        _ring!.Add(stage, new DisruptorValueHandler<Number, TWork>(_ending!, stage, Shape.Producers + stage - 1, work));

    protected override void Stop() => _ring?.End();

    private readonly struct Sender(DisruptorValues<Number> slots) : ISender
    {
        private readonly DisruptorValues<Number> _slots = slots;

        public void Send(long item) => DisruptorPublishing.One<Number, DisruptorValues<Number>>(_slots, item);
    }
}
#endif
