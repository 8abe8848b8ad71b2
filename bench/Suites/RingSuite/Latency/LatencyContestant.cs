namespace Raceway.Suites.RingSuite;

/// <summary>
/// A contestant of the latency cases: it says how an item is published and how it reaches the last stage. When items
/// are sent, what is timed and the verdict are the same for everyone.
/// </summary>
/// <param name="name">The name in the rows.</param>
/// <param name="shape">The stages; one producer.</param>
/// <param name="arrivals">When items are sent, and what is timed.</param>
internal abstract class LatencyContestant(string name, RingShape shape, Arrivals arrivals)
    : StagedContestant<Number>(name, shape)
{
    private LatencyRound? _round;

    public override long MaxOperations => arrivals.MaxItems;

    // Where the producer sleeps everybody is asleep but for moments: nothing competes for the cores.
    public sealed override int BusyThreads => arrivals.Sleeps ? 1 : Threads;

    /// <summary>Threads at work while items keep coming.</summary>
    protected virtual int Threads => Shape.BusyThreads;

    protected sealed override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        _round = new LatencyRound(arrivals, load, roundThreads.Cancellation);
        Prepare(_round, roundThreads);
    }

    /// <summary>
    /// Builds the queues and adds the roles: the producer's, which calls <see cref="LatencyRound.Send"/>, and those of the
    /// stages, the last of which is given a <see cref="Receiver"/>.
    /// </summary>
    protected abstract void Prepare(LatencyRound round, RoundThreads roundThreads);

    protected sealed override void AddCheckingStage(RingLoad load, RoundThreads roundThreads, int stage) =>
        AddStage(load, roundThreads, stage, _round!.NewReceiver());

    protected sealed override void Finish(RingLoad load)
    {
        Stop();
        _round?.Settle();
    }

    /// <summary>Cleans up; every role has ended, also where the round failed.</summary>
    protected virtual void Stop()
    {
    }
}
