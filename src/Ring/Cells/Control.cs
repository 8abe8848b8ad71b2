using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>The one word by which the ring tells producers and stages that its state has changed.</summary>
/// <remarks>
/// Low bits are flags, the rest counts changes, so that a thread about to sleep can tell that anything changed since it
/// last looked. The thread that changes it wakes every cell afterwards; a waiter arms under the cell's gate and compares the word
/// after that: either it sees the change, or its arming came before the wake and it is woken.
/// </remarks>
internal sealed unsafe class Control(RingMemory memory)
{
    /// <summary>No new claims.</summary>
    public const long Closed = 1;

    /// <summary>Stages end after their current call.</summary>
    public const long Halted = 2;

    private const long OneChange = 4;

    private readonly RingMemory _memory = memory;

    /// <summary>Address of the word, for producers.</summary>
    public long* Cell { get; } = memory.Take();

    /// <summary>The word (acquire).</summary>
    public long Word
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref *Cell);
    }

    /// <summary>No new claims are let in.</summary>
    public bool IsClosed => (Word & Closed) != 0;

    /// <summary>Stages end.</summary>
    public bool IsHalted => (Word & Halted) != 0;

    /// <summary>Sets <paramref name="flags"/> and counts the change. A full fence. Under the lifecycle gate.</summary>
    // ORDER: full; pairs with producers that claim by fetch-add and then look, and with steps by a caller.
    public void Change(long flags)
    {
        Debug.Assert((flags & ~(Closed | Halted)) == 0, "The rest of the word counts changes.");
        Interlocked.Exchange(ref *Cell, (*Cell | flags) + OneChange);
    }
}
