using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <content>How a stage finds out what it may read, and whether to wait for more.</content>
public abstract partial class Stage
{
    internal override WaitTarget NextTarget()
    {
        if (_at.IsPending && !_at.AwaitsMore)
        {
            (Progress cell, long awaited, long due) = _at.NotBefore != 0
                ? (Done, Progress.Never, _at.NotBefore)
                : Completion;
            Stall stall = _at.NotBefore != 0 ? Stall.Own : PendingFor;
            return new WaitTarget(cell, awaited, due, _ring.Control, _at.ControlSeen) { Stall = stall };
        }

        Dispatch dispatch = Dispatch;
        bool closing = (_at.ControlSeen & Control.Closed) != 0;
        bool ages = dispatch.MaxAgeTicks != long.MaxValue && _at.Seen < _at.Next;
        // Below the minimum one item is enough where nothing more may come, where its age has yet to begin, and where a
        // producer waits for the room that it holds.
        long wanted = closing || ages || _ring.HasBlockedProducers ? _at.Next : _at.Next + dispatch.Min - 1;
        long deadline = _at.Deadline;
        if (_at.AwaitsMore) (wanted, deadline) = (_at.RestsFor, _at.NotBefore);
        if (_upstream.Length == 0)
        {
            // ORDER: the word was read before the end is; pairs with Ring.Seal, which changes the word after it has set the
            // end. What was published behind the end is never this stage's: only a change is worth waking up for.
            if (wanted > _sequencer.Final) wanted = Progress.Never;
            else if (_sequencer.Availability is { } stamps && stamps.IsPublished(wanted))
            {
                // There, but behind a hole: then the hole is what is awaited. Without one the target is simply over, as items
                // may have come since the step looked; it must not be moved behind them.
                long end = stamps.ReadableEnd(_at.Next);
                if (end < wanted) wanted = end + 1;
            }

            return new WaitTarget(_sequencer.Cursor, wanted, deadline, _ring.Control, _at.ControlSeen);
        }

        Progress lagging = _upstream[0];
        foreach (Progress cell in _upstream)
        {
            if (cell.IsReached(wanted)) continue;
            lagging = cell;
            break;
        }

        return new WaitTarget(lagging, wanted, deadline, _ring.Control, _at.ControlSeen);
    }

    /// <summary>Looks upstream once. Returns how many items to close a batch from, or 0: wait.</summary>
    private long Look(Dispatch dispatch)
    {
        bool cut = false;
        long left = _at.Seen;
        // From behind what is known: lanes are merged only for somebody who has used up what there was.
        long seen = ReadUpstream(left + 1);
        if (_sequencer.HasTombstones) seen = PassTombstones(seen, out cut);
        if (_at.SeenAt != 0 && _at.LaterSeenAt == 0 && seen > left)
        {
            // What was left over is older than what this look has found.
            _at.OldestThrough = left;
            _at.LaterSeenAt = Clock.Now;
        }

        _at.Seen = seen;
        long known = seen - _at.Next + 1;
        if (known < dispatch.Min)
        {
            known = LookShort(dispatch, known, cut);
            if (known == 0) _at.FoundNothing = true;
            else EndWait();
            return known;
        }

        EndWait();
        _at.ShortReason = CloseReason.Drained;
        // Only what stays behind for a later batch can have an age worth knowing: one clock read a look, not a batch.
        if (_at.SeenAt == 0 && (known > dispatch.MaxIn(_sequencer.Capacity) || dispatch.HasMaxWeight)) _at.SeenAt = Clock.Now;
        return known;
    }

    // Where this look finds what the last poll of a wait did not, the wait ends here: what follows is the handler's time.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void EndWait()
    {
        if (!_at.FoundNothing) return;
        _at.FoundNothing = false;
        _waiting?.Stalls.Work();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long ReadUpstream(long from)
    {
        Progress[] upstream = _upstream;
        // ORDER: what is published first, then where the end is; pairs with the barrier of Ring.Seal: who sees what was
        // published behind it sees that it is too late. What was known before was in time.
        if (upstream.Length == 0) return Math.Max(from - 1, Math.Min(_sequencer.ReadableEnd(from), _sequencer.Final));
        long seen = upstream[0].ReadAcquire();
        for (int i = 1; i < upstream.Length; i++) seen = Math.Min(seen, upstream[i].ReadAcquire());
        return seen;
    }

    // Fewer than the minimum: close all the same, or say until when to wait.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private long LookShort(Dispatch dispatch, long known, bool cut)
    {
        _at.Deadline = Clock.Never;
        if (known <= 0) return LookIdle();

        _at.ShortReason = CloseReason.Drained;
        // A batch that failed, or was handed over in parts, is owed whatever the minimum says, and nothing joins it behind a given-up claim.
        if (cut || _at.Next <= _at.OwedThrough) return known;
        // Nor can it be met where a producer waits for the room that these items hold.
        if (_ring.HasBlockedProducers) return known;
        if ((_at.ControlSeen & Control.Closed) != 0)
        {
            _at.ShortReason = CloseReason.Stop;
            return known;
        }

        if (_at.SeenAt == 0) _at.SeenAt = Clock.Now;
        if (dispatch.MaxAgeTicks == long.MaxValue) return 0;
        _at.Deadline = Clock.After(_at.SeenAt, dispatch.MaxAgeTicks);
        if (Clock.Now < _at.Deadline) return 0;
        _at.ShortReason = CloseReason.Age;
        return known;
    }

    private long LookIdle()
    {
        try
        {
            // Nothing to do: the time to take released slots back, where the producers may be idle too.
            _sequencer.Sweeper?.SweepThrough(_sequencer.ReleasedThrough());
            if (_options.IdleTimeout != Timeout.InfiniteTimeSpan) CheckIdle();
            if (_ring.ClaimTimeout != Timeout.InfiniteTimeSpan && LeadsChain) CheckGap();
        }
        catch (Exception fault)
        {
            _ring.Fail(fault, this);
        }

        return 0;
    }

    private void CheckIdle()
    {
        long now = Clock.Now;
        if (_at.IdleSince == 0) _at.IdleSince = now;
        _at.Deadline = Clock.After(_at.IdleSince, _options.IdleTimeout);
        if (now < _at.Deadline) return;
        _at.IdleSince = now;
        _at.Deadline = Clock.After(now, _options.IdleTimeout);
        CallHook<IIdleHandler>(static idle => idle.OnIdle());
    }

    // A claimed sequence that is never published stops everybody behind it: after the limit that is a fault with a name.
    private void CheckGap()
    {
        if (!_sequencer.IsMultiProducer) return;
        long now = Clock.Now;
        if (_sequencer.ClaimedThrough < _at.Next)
        {
            // A claim wakes nobody, so a sleeper looks now and then whether one has been made.
            _at.Deadline = Math.Min(_at.Deadline, Clock.After(now, _ring.ClaimTimeout));
            return;
        }

        if (_at.GapSince == 0 || _at.GapAt != _at.Next)
        {
            _at.GapAt = _at.Next;
            _at.GapSince = now;
        }

        long due = Clock.After(_at.GapSince, _ring.ClaimTimeout);
        if (now >= due) throw Throw.ClaimLost(_at.Next, _ring.ClaimTimeout);
        _at.Deadline = Math.Min(_at.Deadline, due);
    }

    /// <summary>Moves over given-up claims, and cuts what is readable off before the next one.</summary>
    private long PassTombstones(long seen, out bool cut)
    {
        Availability availability = _sequencer.Availability!;
        long next = _at.Next;
        while ((LeadsChain || next <= seen) && availability.IsTombstone(next)) next++;
        if (next != _at.Next)
        {
            Counters.Add(Counter.Tombstones, next - _at.Next);
            _at.Next = next;
            Reached = next;
            Done.Advance(next - 1);
            if (LeadsChain) seen = _sequencer.ReadableEnd(next);
        }

        if (!LeadsChain)
        {
            long live = availability.LastBeforeTombstone(next, seen);
            cut = live != seen;
            return live;
        }

        cut = seen >= next && availability.IsTombstone(seen + 1);
        return seen;
    }
}
