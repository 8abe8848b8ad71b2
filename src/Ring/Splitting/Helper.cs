using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>A unit of the thread pool that takes parts of a stage's split calls, one a step.</summary>
/// <remarks>
/// It calls the handler through a stage of the same kind that is in no ring: the seat. What a handler marks, drops or asks of its
/// batch concerns the part alone, and the seat keeps it.
/// </remarks>
/// <param name="calls">The calls of which it takes parts.</param>
/// <param name="seat">Calls the handler.</param>
/// <param name="offers">The last call that it was offered; asleep it waits for the next.</param>
internal sealed class Helper(SplitCalls calls, Stage seat, Progress offers) : Steppable
{
    private PoolDriver? _driver;
    private long _seen;
    private long _controlSeen;
    private bool _settles;

    public Stage Seat { get; } = seat;

    /// <summary>The last call of which it took a part. Under the gate of the calls.</summary>
    public long TookPartIn { get; set; }

    internal override IUnitOwner Owner => Seat.Ring;

    internal override bool LeadsChain => false;

    internal override bool Settles => _settles;

    /// <summary>Makes it ready for the parts of <paramref name="call"/>. The stage's driver alone.</summary>
    public void Offer(long call, Stage stage, Wait wait)
    {
        offers.Advance(call);
        if (_driver is not null) return;
        // A struct handler as its start hook has left it.
        Seat.Handler = stage.Handler;
        _driver = new PoolDriver(this, wait.PoolSlice!.Value, wait.CutsBatches);
        _driver.Launch();
    }

    internal override StepResult StepOnce(int quantum = int.MaxValue)
    {
        _controlSeen = Seat.Ring.Control.Word;
        // Before it looks for a part: an offer that comes after that is not missed.
        _seen = offers.ReadAcquire();
        if (calls.HasEnded) return StepResult.Stopped;
        if (!calls.TryTake(this, out int index, out Part part, out Dispatch? dispatch)) return StepResult.Idle;
        long from = MachineClock.Now;
        Exception? fault = Run(part.First, part.Count, dispatch);
        bool more = calls.Finish(this, index, fault, MachineClock.Now - from);
        // Pending, as it has worked: what comes next is another call.
        return more ? new StepResult(StepKind.Progressed, part.Count, More: true) : StepResult.Pending;
    }

    internal override WaitTarget NextTarget() => new(offers, _seen + 1, Clock.Never, Seat.Ring.Control, _controlSeen);

    /// <summary>What its batch is asked for is what the stage has closed. Under the gate of the calls.</summary>
    public void TakeBatchOf(Stage stage)
    {
        // While a call is open the stage's driver writes none of this.
        ref LoopState from = ref stage.State;
        ref LoopState at = ref Seat.State;
        (at.Seen, at.Depth, at.Reason, at.Closer) = (from.Seen, from.Depth, from.Reason, from.Closer);
        at.Dropped = 0;
    }

    /// <summary>The stage has ended: it is stepped no more.</summary>
    public void Dismiss(long call)
    {
        if (_driver is not null) offers.Advance(call);
    }

    /// <summary>Moves <paramref name="cell"/>, of which it may not be the only owner, as the last thing that its step does.</summary>
    public void Report(Progress cell, long sequence)
    {
        _settles = true;
        cell.AdvanceTo(sequence);
        _settles = false;
    }

    private Exception? Run(long first, int count, Dispatch dispatch)
    {
        Seat.Reached = first;
        object? outer = Reentrancy.Enter(Seat.Ring.Family);
        try
        {
            bool done = Seat.Invoke(first, count, dispatch);
            Debug.Assert(done, "Only handlers that are done when they return are split.");
            return null;
        }
        catch (Exception fault)
        {
            return fault;
        }
        finally
        {
            Reentrancy.Exit(outer);
        }
    }
}
