using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Suites.MainJob;

namespace Raceway.Analysis.Tuning;

/// <summary>The main job, without the stage that hashes: what the hand-over costs shows there.</summary>
/// <param name="lines">The lines; taken again from the beginning when all are through.</param>
/// <param name="expected">What they must give.</param>
internal sealed class LineTrial(Line[] lines, ExpectedTotals expected) : ITrial<Line>
{
    private readonly LineTotals _totals = new();
    private int _next;

    /// <inheritdoc/>
    public Pipeline<Line> Build(PipelineSettings settings) =>
        LinePipeline.Of<Line>(LineContestants.DefaultCapacity, _totals, Dispatch.Batch(), settings.Plan).Build(settings);

    /// <inheritdoc/>
    public void Fill(ref Line slot, long number)
    {
        slot = lines[_next];
        if (++_next == lines.Length) _next = 0;
    }

    /// <inheritdoc/>
    public bool Check(long items)
    {
        _totals.Complete();
        return expected.Agree(_totals, items);
    }
}
