#if PEER_DISRUPTOR
using Disruptor;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Ping-pong of one message over two value rings of Disruptor-net, each handler publishing to the other ring.
/// </summary>
internal sealed class DisruptorRoundTripContestant(string name, RingShape shape, Func<IWaitStrategy> wait)
    : RingContestant(name, shape)
{
    private DisruptorValueRing<Number>[] _rings = [];

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        DisruptorValueRing<Number> there = new(Shape, wait());
        DisruptorValueRing<Number> back = new(Shape, wait());
        _rings = [there, back];
        var asker = new DisruptorAsker(there.Slots, load);
        there.Add(1, new DisruptorAnswerer(back.Slots, Shape.Increments));
        back.Add(1, asker);
        there.Start();
        back.Start();
        roundThreads.AddAsync(async () =>
        {
            load.StartLaps();
            asker.AskNext();
            await asker.Finished.Task;
        });
        roundThreads.OnCancel(() => asker.Finished.TrySetCanceled());
    }

    protected override void Finish(RingLoad load) => Array.ForEach(_rings, static ring => ring.End());
}
#endif
