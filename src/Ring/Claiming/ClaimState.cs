using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>A producer's hot state, away from its neighbours' lines, and from the pairs that they are fetched in.</summary>
[StructLayout(LayoutKind.Explicit, Size = 288)]
internal struct ClaimState
{
    /// <summary>The highest sequence known to have room.</summary>
    [FieldOffset(128)] public long Limit;

    /// <summary>The same for the fast path; −1 forces the slow one.</summary>
    [FieldOffset(136)] public long FastLimit;

    /// <summary>Multi producer: claims that room has been taken for.</summary>
    [FieldOffset(144)] public long Credits;

    /// <summary>Multi producer: the first sequence of the last claim, while that is known to be open; else −1.</summary>
    [FieldOffset(152)] public long Open;
}
