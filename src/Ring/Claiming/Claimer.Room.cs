using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <content>Room: looked for, and waited for with or without a thread.</content>
/// <remarks>A wait owns nothing, so it can end at any moment. Each round looks, and waits only for what that look has missed.</remarks>
internal abstract partial class Claimer
{
    // Of the ring: an eighth is enough for a wake-up to pay, and leaves the stage seven to work on meanwhile.
    private const int GatherShare = 8;

    private readonly Waiting _waiting;
    private readonly AsyncWaiter _room = new();

    /// <summary>How it has waited for room.</summary>
    public RoomWaits RoomWaits
    {
        get
        {
            StallTimes times = _waiting.Stalls.Read();
            return new RoomWaits(_waiting.Waits, _waiting.Parks, times.Blocked, times.Waking);
        }
    }

    /// <summary>How many slots the last <see cref="Reserve"/> found free; 0 where it had no need to look.</summary>
    private protected long Found { get; set; }

    /// <summary>Where it stands among several producers that wait for room; null where it is alone.</summary>
    private protected TurnPlace? Place { get; private set; }

    /// <summary>Whether <paramref name="count"/> slots are free for this producer; where not, what to wait for.</summary>
    public bool HasRoom(int count, out Progress cell, out long awaited)
    {
        bool free = Reserve(count, out long last);
        (cell, awaited) = RoomTarget(last);
        return free;
    }

    /// <summary>Its callers begin to wait for room elsewhere; returns the control word to wait with.</summary>
    public long BeginRest()
    {
        _waiting.Rest(Stall.Blocked);
        return Owner.BeginBlocked();
    }

    /// <summary>They have room, or have given up.</summary>
    public void EndRest()
    {
        _waiting.Stalls.Work();
        Owner.EndBlocked();
    }

    /// <summary>Waits without a thread until <paramref name="count"/> slots are free; false when the ring takes no more items.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> WaitForRoomAsync(int count, CancellationToken cancellation)
    {
        CheckCount(count);
        try
        {
            // A closed ring looks as if there were room.
            if (LookNow(count, suspended: false, out _)) return !Sequencer.Control.IsClosed;
            Suspend();
        }
        finally
        {
            ForgetThread();
        }

        try
        {
            return await RoomAsync(count, cancellation).ConfigureAwait(false);
        }
        finally
        {
            Resume();
        }
    }

    /// <summary>The same for an async call that has been suspended.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> RoomAsync(int count, CancellationToken cancellation)
    {
        if (Owner.IsHandling && !Sequencer.Control.IsClosed) throw ClaimErrors.Reentrant();
        long seen = Owner.BeginBlocked();
        try
        {
            while (true)
            {
                if ((seen & Control.Closed) != 0) return false;
                if (LookNow(count, suspended: true, out long last)) return true;
                WaitTarget target = TargetOf(count, last, Clock.Never, seen);
                _waiting.Rest(Stall.Blocked);
                await _room.WaitForAsync(target, cancellation).ConfigureAwait(false);
                _waiting.Stalls.EndAt(_room.EndedAt);
                seen = Sequencer.Control.Word;
            }
        }
        finally
        {
            EndWait();
        }
    }

    /// <summary>Makes sure of room without claiming. Where there is none: the sequence that room must reach.</summary>
    private protected abstract bool Reserve(int count, out long last);

    /// <summary>What keeps <paramref name="last"/> from being claimed, and where it must get to.</summary>
    private protected abstract (Progress Cell, long Awaited) RoomTarget(long last);

    /// <summary>The handle takes turns with others.</summary>
    private protected void TakePlace(Turns turns) => Place = turns.NewPlace(_waiting, _room);

    /// <summary>Waits until <see cref="Reserve"/> succeeds.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private protected ClaimStatus WaitForRoom(int count, TimeSpan timeout, CancellationToken cancellation)
    {
        if (Sequencer.Control.IsClosed) return ClaimStatus.Stopped;
        if (Reserve(count, out long last)) return timeout == TimeSpan.Zero ? ClaimStatus.Done : Gather();
        if (timeout == TimeSpan.Zero) return ClaimStatus.TimedOut;
        if (Owner.IsHandling) throw ClaimErrors.Reentrant();
        cancellation.ThrowIfCancellationRequested();
        Owner.BlocksHere();

        // There is one waiter. Without checks a second thread, which is misuse, is told here at the latest.
        bool taken = _owner.Enter(keep: true);
        ClosePlain();
        long deadline = Owner.Clock.In(timeout);
        long seen = Owner.BeginBlocked();
        CancellationTokenRegistration registration = default;
        try
        {
            registration = cancellation.UnsafeRegister(static waiting => ((Waiting)waiting!).Wake(), _waiting);
            while (true)
            {
                // At first as well: the word just read may be that of a ring closed since, or of room given back since. All
                // have been woken for it, so none would be again.
                if ((seen & Control.Closed) != 0) return ClaimStatus.Stopped;
                if (Look(count, out last)) return Gather();
                cancellation.ThrowIfCancellationRequested();
                if (deadline != Clock.Never && Owner.Clock.Now >= deadline) return ClaimStatus.TimedOut;
                _waiting.Idle(TargetOf(count, last, deadline, seen));
                seen = Sequencer.Control.Word;
            }
        }
        finally
        {
            // After this no wake can come, so that none is left for the next wait.
            registration.Dispose();
            EndWait();
            OpenPlain();
            if (taken) _owner.Leave();
        }
    }

    // A look within a wait.
    private bool Look(int count, out long last)
    {
        Place?.Ask(count);
        bool found = Reserve(count, out last);
        if (found) Place?.Served();
        return found;
    }

    private bool LookNow(int count, bool suspended, out long last)
    {
        Enter(suspended);
        try
        {
            if (HasOpenClaim) throw ClaimErrors.ClaimOpen();
            return Look(count, out last);
        }
        finally
        {
            Leave();
        }
    }

    private WaitTarget TargetOf(int count, long last, long deadline, long seen)
    {
        (Progress cell, long awaited) = RoomTarget(last);
        var target = new WaitTarget(cell, awaited, deadline, Sequencer.Control, seen)
        {
            Clock = Owner.Clock, Stall = Stall.Blocked,
            Company = Math.Max(0, (MaxClaim / GatherShare) - count),
        };
        return Place is null ? target : Place.Behind(target);
    }

    private void EndWait()
    {
        Place?.Leave();
        _waiting.ForgetWake();
        _waiting.Stalls.Work();
        Owner.EndBlocked();
    }

    // Where room comes in drops, a few slots a look, each look costs a line transfer: the strategy may let some gather.
    private ClaimStatus Gather()
    {
        if (Found > 0) _waiting.Progressed((int)Math.Min(Found, int.MaxValue), more: false);
        return ClaimStatus.Done;
    }
}
