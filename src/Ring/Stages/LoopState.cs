using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>What a stage's loop remembers from step to step. The thread that steps it owns all of it.</summary>
/// <remarks>
/// Mutable: keep it in a field that is not readonly. Padding lies on both sides, two lines each, as some processors fetch
/// lines in pairs.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = 400)]
internal struct LoopState
{
    /// <summary>The next sequence to hand over.</summary>
    [FieldOffset(128)] public long Next;

    /// <summary>The last sequence known to be readable.</summary>
    [FieldOffset(136)] public long Seen;

    /// <summary>The control word at the beginning of the current step.</summary>
    [FieldOffset(144)] public long ControlSeen;

    /// <summary>Items that were readable when the current batch was closed.</summary>
    [FieldOffset(152)] public long Depth;

    /// <summary>Why the current batch was closed.</summary>
    [FieldOffset(160)] public CloseReason Reason;

    /// <summary>Items that the current call has dropped.</summary>
    [FieldOffset(164)] public int Dropped;

    /// <summary>What keeps the stage from its next batch, and until when.</summary>
    [FieldOffset(168)] public LoopPause Pause;

    /// <summary>Items of the call with a task that still runs; 0 if there is none.</summary>
    [FieldOffset(200)] public int OpenCall;

    /// <summary>Whether the last look found nothing to close a batch from.</summary>
    [FieldOffset(204)] public bool FoundNothing;

    /// <summary>Whether a step reports its last progress: its handler has returned, and nothing of the user's is called any more.</summary>
    [FieldOffset(205)] public bool Settles;

    /// <summary>Items up to here failed in one call: the next call takes half of them, to find the one that fails.</summary>
    [FieldOffset(208)] public long FailedThrough;

    /// <summary>Sharded ring: where the stage stands among the runs, see <see cref="Lanes.Find"/>.</summary>
    [FieldOffset(216)] public long LaneRun;

    /// <summary>When a batch is closed.</summary>
    [FieldOffset(224)] public BatchCloser Closer;

    /// <summary>Moves <paramref name="done"/> to where a call has come.</summary>
    /// <param name="done">The stage's.</param>
    /// <param name="sequence">The last item that is completed.</param>
    /// <param name="ends">Whether the step <see cref="Settles"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Report(Progress done, long sequence, bool ends)
    {
        if (!done.Store(sequence)) return;
        Settles = ends;
        done.Signal(long.MinValue, sequence);
        Settles = false;
    }
}

/// <summary>What keeps a stage from its next batch.</summary>
internal enum PauseKind
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>The handler's task runs.</summary>
    Call,

    /// <summary>A retry is not due yet.</summary>
    Retry,

    /// <summary>The handler has consumed nothing: it is asked again when more can join the batch, or after a while.</summary>
    Rest,

    /// <summary>The handler has consumed a part: the rest is offered again with what has come meanwhile, so look first.</summary>
    Look,
}

/// <summary>A pause and its end.</summary>
/// <param name="Kind">Why.</param>
/// <param name="Until">When it ends at the latest, by the clock of the ring.</param>
/// <param name="Joins">Rest: the item that ends it as soon as it is readable; null if none can join.</param>
internal readonly record struct LoopPause(PauseKind Kind, long Until = Clock.Never, long? Joins = null)
{
    /// <summary>Whether it ends by itself, as time passes.</summary>
    public bool EndsByTime => Kind is PauseKind.Retry or PauseKind.Rest or PauseKind.Look;

    /// <summary>Whether its time has come, or the item that ends it.</summary>
    public bool IsOver(in SequenceBarrier barrier, Clock clock) =>
        (Joins is { } item && barrier.ReadableEnd(item) >= item) || clock.Now >= Until;
}
