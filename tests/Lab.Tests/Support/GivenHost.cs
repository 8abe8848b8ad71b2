using Raceway.Analysis.Tuning;

namespace Raceway.Lab.Tests.Support;

/// <summary>Says what a choice costs: as time an item, as latency and as processor time.</summary>
/// <param name="cost">Microseconds under given settings; no number is a wrong result.</param>
internal sealed class GivenHost(Func<IReadOnlyDictionary<string, string>, double> cost) : ITrialHost
{
    public string Name => "given";

    public List<TrialRequest> Asked { get; } = [];

    public IReadOnlyList<TrialFinding> Findings { get; init; } = [];

    /// <summary>Microseconds of most items and of a fifth of them while next to nothing comes, if it is another time then.</summary>
    public Func<IReadOnlyDictionary<string, string>, (double Most, double Late)>? AtLowLoad { get; init; }

    public TrialReply Run(TrialRequest request, CancellationToken cancellation)
    {
        Asked.Add(request);
        double given = cost(request.Knobs);
        bool isRight = !double.IsNaN(given);
        double micros = isRight ? given : 1;
        long items = Math.Min(request.Items, 1_000);
        return new TrialReply
        {
            Items = items, Seconds = items * micros * 1e-6, Verified = isRight, CpuSeconds = items * micros * 1e-6,
            Latencies = request.Rate switch
            {
                null => [],
                TuneOptions.LowRate when AtLowLoad?.Invoke(request.Knobs) is { } low =>
                    [(long)(low.Most * 1_000), items - (items / 5), (long)(low.Late * 1_000), items / 5],
                _ => [(long)(micros * 1_000), items],
            },
            Findings = request.Diagnose ? Findings : [],
        };
    }
}
