namespace Raceway.Suites.Batching;

/// <summary>What travels through the contestants of the batching suite: which message it is, and when it was due.</summary>
/// <remarks>
/// The message itself is in the <see cref="Corpus"/>, by its index. So every contestant moves the same 16 bytes, and what differs is
/// how many of them the work is given at once.
/// </remarks>
/// <param name="Index">0 for the first of a round; no gaps.</param>
/// <param name="Due">When it was due, in timer ticks; 0 where everything is due at the start.</param>
public readonly record struct Job(long Index, long Due);
