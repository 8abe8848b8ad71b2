namespace Raceway.Measuring;

/// <summary>One round of one contestant.</summary>
/// <param name="Index">Rounds of the same index ran next to each other and may be paired.</param>
/// <param name="Sample">What the round gave.</param>
/// <param name="LineBefore">Line round trip before it, in nanoseconds.</param>
/// <param name="LineAfter">Line round trip after it, in nanoseconds.</param>
public readonly record struct Round(int Index, Sample Sample, double? LineBefore, double? LineAfter);
