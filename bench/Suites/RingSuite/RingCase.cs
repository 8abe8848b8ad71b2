using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>One case of the ring suite.</summary>
/// <param name="Name">The name in the result rows.</param>
/// <param name="Description">What happens in it, in a sentence.</param>
/// <param name="Metric">What its headline figure is.</param>
/// <param name="Shape">Producers, stages and their work.</param>
/// <param name="Contestants">Makes the contestants; each is made once for a measuring run.</param>
public sealed record RingCase(
    string Name, string Description, MetricKind Metric, RingShape Shape, IReadOnlyList<Func<IContestant>> Contestants)
    : SuiteCase(Name, Description, Metric, Contestants)
{
    /// <summary>The case with further contestants in front of those it has.</summary>
    public RingCase With(params IEnumerable<Func<IContestant>> further) =>
        this with { Contestants = [.. further, .. Contestants] };
}
