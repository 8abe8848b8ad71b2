#if PEER_DISRUPTOR
namespace Raceway.Suites.RingSuite;

/// <summary>The end of a round: every handler that checks has seen the last item.</summary>
internal sealed class DisruptorEnding(RingLoad load)
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left = load.Shape.Checks;

    /// <summary>Completes at the end.</summary>
    public Task Task => _ended.Task;

    /// <summary>The last sequence of the round.</summary>
    public long LastSequence { get; } = load.Operations - 1;

    /// <summary>Ends it early.</summary>
    public void Cancel() => _ended.TrySetCanceled();

    /// <summary>A handler has seen the last item.</summary>
    public void Report<TSlot, TWork>(TWork work, int stage)
        where TSlot : struct, ISlot<TSlot>
        where TWork : struct, IStageWork<TSlot>
    {
        work.Report(load, stage);
        if (Interlocked.Decrement(ref _left) == 0) _ended.TrySetResult();
    }
}
#endif
