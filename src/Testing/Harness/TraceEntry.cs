using System.Globalization;

namespace Raceway.Testing;

/// <summary>One thing that happened in a <see cref="PipelineHarness{T}"/>.</summary>
/// <param name="At">When, by the virtual time.</param>
/// <param name="What">The stage that was stepped, and that it waits if its call or a retry is open; or "publish".</param>
/// <param name="Sequence">The last sequence that it has come to.</param>
/// <param name="Count">Items handled.</param>
public readonly record struct TraceEntry(TimeSpan At, string What, long Sequence, int Count)
{
    /// <summary>The time, what happened, and the sequences.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{At:c} {What} {Count} to {Sequence}");
}
