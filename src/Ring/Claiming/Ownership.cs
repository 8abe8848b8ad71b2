using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>Which thread may use a producer's handle at the moment, in one word that changes by compare-and-swap.</summary>
/// <remarks>
/// The word is 0 while the handle is free, the id of the thread that owns it, or <see cref="Pending"/> while an async call
/// of it waits. A thread that waits for room owns the handle for that time whatever the options say, because the handle has
/// one waiter. With <see cref="RingOptions.CheckProducer"/> every call takes ownership, and keeps it.
/// </remarks>
internal struct Ownership
{
    private const int Free = 0;
    private const int Pending = -1;

    private int _word;

    /// <summary>Throws unless the handle is free or the caller's. Makes it the caller's if <paramref name="keep"/>.</summary>
    /// <returns>Whether the caller has become the owner by this call.</returns>
    /// <exception cref="InvalidOperationException">Another thread owns it, or an async call is pending.</exception>
    public bool Enter(bool keep)
    {
        int me = Environment.CurrentManagedThreadId;
        int word = Volatile.Read(ref _word);
        if (word == me) return false;
        // ORDER: full; pairs with the release stores below: what the owner before has written is visible to the next one.
        if (word == Free && keep) word = Interlocked.CompareExchange(ref _word, me, Free);
        return word switch
        {
            Free => keep,
            Pending => throw ClaimErrors.AsyncPending(),
            _ => throw ClaimErrors.WrongThread(word),
        };
    }

    /// <summary>An async call takes the handle from its caller, which owns it or finds it free.</summary>
    /// <exception cref="InvalidOperationException">Another thread owns it, or an async call is pending.</exception>
    public void Suspend()
    {
        Enter(keep: true);
        Volatile.Write(ref _word, Pending);
    }

    /// <summary>The handle is free, after the owner's last use of it: the async call that was pending, or the owner.</summary>
    // ORDER: release; pairs with the compare-and-swap of the next owner.
    public void Leave()
    {
        Debug.Assert(_word == Pending || _word == Environment.CurrentManagedThreadId, "Only the owner leaves.");
        Volatile.Write(ref _word, Free);
    }

    /// <summary>The same if the caller owns it; else nothing.</summary>
    public void LeaveIfMine()
    {
        if (Volatile.Read(ref _word) == Environment.CurrentManagedThreadId) Leave();
    }
}
