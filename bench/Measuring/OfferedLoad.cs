namespace Raceway.Measuring;

/// <summary>The load of a case that is measured under several: its latencies are points of a curve.</summary>
/// <param name="Family">What the cases have in common, such as <c>one-way</c>.</param>
/// <param name="Rate">Operations a second that arrive, whether or not the contestant keeps up.</param>
public sealed record OfferedLoad(string Family, double Rate);
