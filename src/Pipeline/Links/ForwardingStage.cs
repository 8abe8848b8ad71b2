using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A stage that publishes into a further ring, and is pending while that has no room: it never waits.</summary>
/// <remarks>
/// <para>1. Claim what is free of the next ring. 2. Write, commit, report progress. 3. Where nothing is free: arm a waiter on
/// what the next ring's room waits for, look again, and rest. 4. The waiter advances a cell of this stage's own ring, which
/// wakes the driver of the stage as a publish would; so does the end of either ring.</para>
/// <para>The stage owns its producer alone, and gives nothing up but at the next ring's end: nothing is lost, nothing is
/// published twice.</para>
/// </remarks>
internal abstract class ForwardingStage<TIn, TOut> : ColumnStage<TIn>
{
    // How many items may be passed on between two looks at whether the ring has been halted.
    private const int MostAtATime = 4096;

    private readonly Progress _rooms;
    private readonly RoomWaiter _waiter;
    private Progress? _armedOn;
    private long _awaited;

    protected ForwardingStage(Ring ring, Slots<TIn> column, Producer<TOut> next, StageOptions options, string name)
        : base(ring, column, options, name)
    {
        Next = next;
        _rooms = ring.Sequencer.NewProgress(0);
        _waiter = new RoomWaiter(this);
    }

    protected Producer<TOut> Next { get; }

    /// <summary>Whether it has to end, with what is left unhandled.</summary>
    protected bool Ends => Owner.Control.IsHalted || IsLeaving;

    internal override object Handler
    {
        get => this;
        set { }
    }

    private protected override (Progress Cell, long Awaited, long Deadline) Completion => (_rooms, _awaited, Clock.Never);

    private protected override Stall PendingFor => Stall.Blocked;

    internal override void WakeWaiters()
    {
        base.WakeWaiters();
        _rooms.WakeAll();
    }

    /// <summary>Handles items from <see cref="Stage.Reached"/> to <see cref="Stage.CallEnd"/>, as many as there is room for.</summary>
    /// <returns>False where it rests until there is room (<see cref="TryRest"/>).</returns>
    protected abstract bool Forward();

    internal override bool FaultIsExact => true;

    internal override bool FeedsOthers => true;

    internal override bool Invoke(long first, int count, Dispatch dispatch)
    {
        CallEnd = first + Math.Min(count, MostAtATime);
        return Forward();
    }

    private protected override bool TryFinish()
    {
        if (_armedOn is { } cell)
        {
            if (!_rooms.IsReached(_awaited) && !Ends) return false;
            cell.Disarm(_waiter);
            _armedOn = null;
            Next.Ring.EndBlocked();
        }

        return Ends || Forward();
    }

    /// <summary>Claims up to <paramref name="most"/> slots of the next ring that are free now.</summary>
    /// <returns>How many; 0 where none is free, or where the next ring has ended, and this one ends with it.</returns>
    protected int Claim(int most, out Claim<TOut> claim)
    {
        int count = Math.Clamp(most, 1, Math.Clamp(Next.Remaining, 1, Next.MaxClaim));
        while (true)
        {
            switch (Next.TryClaim(count, out claim))
            {
                case ClaimStatus.Done:
                    return count;
                case ClaimStatus.Full when count > 1:
                    // Other producers of that ring hold some of it.
                    count /= 2;
                    break;
                case ClaimStatus.Full:
                    return 0;
                default:
                    EndWithNext();
                    return 0;
            }
        }
    }

    /// <summary>Prepares to rest until <paramref name="wished"/> slots of the next ring are free, or as many as make sense.</summary>
    /// <returns>False where there is something to do already: look again.</returns>
    protected bool TryRest(int wished)
    {
        if (Ends) return false;
        int count = Math.Clamp(wished, 1, Math.Max(1, Math.Min(Next.MaxClaim, Next.Ring.Capacity / 4)));
        long seen = Next.Ring.BeginBlocked();
        // Closed: the next claim says so.
        if (!Next.Claimer.HasRoom(count, out Progress cell, out long awaited) && (seen & Control.Closed) == 0)
        {
            _awaited++;
            cell.Arm(_waiter, awaited);
            _armedOn = cell;
            // Looked at again after arming. If it is over and no signal has come yet, none will come.
            if (!(cell.IsReached(awaited) || Next.Ring.Control.Word != seen) || !cell.Disarm(_waiter)) return true;
            _armedOn = null;
        }

        Next.Ring.EndBlocked();
        return false;
    }

    /// <summary>The next ring takes no more, so that nothing can be passed on: this one ends as it did.</summary>
    protected void EndWithNext()
    {
        if (Next.Ring.Fault is { } fault) Owner.Fail(fault);
        else _ = Owner.HaltAsync();
    }

    private sealed class RoomWaiter(ForwardingStage<TIn, TOut> stage) : Waiter
    {
        internal override void Signal() => stage._rooms.Advance(stage._awaited);
    }
}
