using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>Decides when too few items make a batch all the same, and knows how old the oldest item is.</summary>
/// <remarks>
/// <para>A batch is closed as soon as there are as many items as its minimum. Fewer are handed over if nothing can join
/// them, if they are owed, if a producer waits for the room that they hold, if the ring takes no more, or if the oldest is
/// too old.</para>
/// <para>Ages: items that stay behind for a later batch are as old as the look that found them. Two looks are told apart,
/// the one that found the oldest and the next one; so a batch is never said to be younger than it is, and the clock is read
/// once a look and not once an item.</para>
/// </remarks>
internal struct BatchCloser
{
    private long _oldestSeenAt; // 0: nothing has stayed behind
    private long _oldestThrough; // the last item of that look
    private long _laterSeenAt;  // of the items behind; 0: there are none

    /// <summary>Items up to here were handed over before, or counted for a minimum together: no minimum holds them back.</summary>
    public long OwedThrough;

    /// <summary>When to look again, if nothing comes.</summary>
    public long Deadline;

    /// <summary>Why a batch of all that is there would be closed.</summary>
    public CloseReason ShortReason;

    /// <summary>How long ago the oldest item was seen; zero if it was taken at once.</summary>
    public readonly TimeSpan Age => _oldestSeenAt == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(_oldestSeenAt);

    /// <summary>A look has found more behind <paramref name="left"/>, which was known before.</summary>
    public void Found(long left)
    {
        if (_oldestSeenAt == 0 || _laterSeenAt != 0) return;
        _oldestThrough = left;
        _laterSeenAt = Clock.Now;
    }

    /// <summary>There are enough for a batch. What <paramref name="stays"/> behind begins to age.</summary>
    public void Enough(bool stays)
    {
        ShortReason = CloseReason.Drained;
        if (stays && _oldestSeenAt == 0) _oldestSeenAt = Clock.Now;
    }

    /// <summary>Whether fewer items than the minimum are a batch; else <see cref="Deadline"/> says when to look again.</summary>
    /// <param name="dispatch">The policy.</param>
    /// <param name="cannotGrow">Nothing can join them, they are owed, or a producer waits for their room.</param>
    /// <param name="closing">The ring takes no more.</param>
    public bool ClosesShort(Dispatch dispatch, bool cannotGrow, bool closing)
    {
        ShortReason = CloseReason.Drained;
        if (cannotGrow) return true;
        if (closing)
        {
            ShortReason = CloseReason.Stop;
            return true;
        }

        if (_oldestSeenAt == 0) _oldestSeenAt = Clock.Now;
        if (dispatch.MaxAgeTicks == long.MaxValue) return false;
        Deadline = Clock.After(_oldestSeenAt, dispatch.MaxAgeTicks);
        if (Clock.Now < Deadline) return false;
        ShortReason = CloseReason.Age;
        return true;
    }

    /// <summary>A batch has been settled: the next one begins at <paramref name="next"/>.</summary>
    /// <param name="next">The next item to hand over.</param>
    /// <param name="more">Whether items that are known stay behind.</param>
    public void Settle(long next, bool more)
    {
        if (!more) _oldestSeenAt = _laterSeenAt = 0;
        if (_laterSeenAt == 0 || next <= _oldestThrough) return;
        _oldestSeenAt = _laterSeenAt;
        _laterSeenAt = 0;
    }

    /// <summary>No minimum holds items up to <paramref name="sequence"/> back.</summary>
    public void Owe(long sequence) => OwedThrough = Math.Max(OwedThrough, sequence);
}
