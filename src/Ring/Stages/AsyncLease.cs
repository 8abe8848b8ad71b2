using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>Says how long an async handler may use its batch, and keeps a mark that comes late from counting.</summary>
/// <remarks>
/// The lease of each call has a number. Zero stands for no lease; the number negated for one that a thread holds while it marks
/// items. The end of a lease waits for that thread: a mark comes before the end, or finds the lease over.
/// </remarks>
internal sealed class AsyncLease<T>(Stage stage, Slots<T> column)
{
    private long _number;
    private long _lent;

    public Stage Stage => stage;

    public Slots<T> Column => column;

    /// <summary>The number of the lease that was begun last. The stage's driver.</summary>
    public long Number => _number;

    /// <summary>Begins the next lease. The stage's driver.</summary>
    public long Begin()
    {
        Debug.Assert(Volatile.Read(ref _lent) == 0, "the lease before has ended");
        Volatile.Write(ref _lent, ++_number);
        return _number;
    }

    /// <summary>Whether the batch handed out under <paramref name="number"/> is still the handler's.</summary>
    public bool IsLent(long number) => Math.Abs(Volatile.Read(ref _lent)) == number;

    /// <summary>Holds the end of the lease back, for a mark; false where it is over, or another thread is marking.</summary>
    // ORDER: full; pairs with End.
    public bool TryHold(long number) => Interlocked.CompareExchange(ref _lent, -number, number) == number;

    /// <summary>Lets the lease end. The thread that holds it.</summary>
    public void LetGo(long number)
    {
        Debug.Assert(IsHeld(number), "The thread that holds a lease lets it go.");
        Volatile.Write(ref _lent, number);
    }

    /// <summary>Whether another thread holds it.</summary>
    public bool IsHeld(long number) => Volatile.Read(ref _lent) == -number;

    /// <summary>Ends the lease. The stage's driver.</summary>
    // ORDER: full; pairs with TryHold: a mark comes before the end of the lease, or finds it over.
    public void End()
    {
        while (Interlocked.CompareExchange(ref _lent, 0, _number) != _number) Thread.Yield();
    }
}
