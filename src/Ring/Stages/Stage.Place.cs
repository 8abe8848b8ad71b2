using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <content>What a stage remembers from step to step.</content>
public abstract partial class Stage
{
    // What the stage knows of its own position: owner thread only, and two lines (some processors fetch them in pairs) away
    // from its neighbours.
    [StructLayout(LayoutKind.Explicit, Size = 416)]
    private struct Place
    {
        [FieldOffset(128)] public long Next;
        [FieldOffset(136)] public long Seen;
        [FieldOffset(144)] public long ControlSeen;
        [FieldOffset(152)] public long Depth;
        [FieldOffset(160)] public CloseReason Reason;
        [FieldOffset(164)] public CloseReason ShortReason;
        [FieldOffset(168)] public long SeenAt;
        [FieldOffset(248)] public long OldestThrough; // SeenAt holds for items up to here,
        [FieldOffset(256)] public long LaterSeenAt;   // and this for those behind, where it is not 0
        [FieldOffset(176)] public long NotBefore;
        [FieldOffset(184)] public int Running;
        [FieldOffset(188)] public int Attempt;
        [FieldOffset(192)] public long AttemptAt;
        [FieldOffset(200)] public long IsolateThrough;
        [FieldOffset(240)] public long OwedThrough;
        [FieldOffset(208)] public long Deadline;
        [FieldOffset(216)] public long IdleSince;
        [FieldOffset(224)] public long GapSince;
        [FieldOffset(232)] public long GapAt;
        [FieldOffset(264)] public long Steps;
        [FieldOffset(272)] public long Segment;
        [FieldOffset(280)] public long RestsFor;      // 0: does not rest; Never: for its time alone
        [FieldOffset(288)] public int Dropped;        // of the current call
        [FieldOffset(292)] public bool FoundNothing;  // at the last look

        public readonly bool IsPending => Running != 0 || NotBefore != 0;

        public readonly bool AwaitsMore => RestsFor is not (0 or Progress.Never);
    }
}
