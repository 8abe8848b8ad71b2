namespace Raceway.Rings;

/// <summary>How far the stages of a <see cref="PoolGroup"/> are, in items.</summary>
/// <param name="Least">What all of them have done with.</param>
/// <param name="Mean">What they have done with on average. Apart, the first one gets ahead of the last one by up to a whole ring, and
/// falls back again. Both by themselves say more about that than about how fast the stages are; their mean does not.</param>
internal readonly record struct GroupPosition(long Least, long Mean);
