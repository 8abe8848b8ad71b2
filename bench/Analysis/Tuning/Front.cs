using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>The choices that no other one beats in everything: the Pareto front over throughput, p99 and processor time.</summary>
internal static class Front
{
    /// <summary>The finalists with their figures, in the order given.</summary>
    public static IReadOnlyList<Finalist> Of(
        Finals finals, IReadOnlyList<(string Name, IReadOnlyDictionary<string, string> Knobs)> all, string? winner)
    {
        Finalist[] figures =
        [
            .. all.Select(one => new Finalist(
                one.Name, one.Knobs, winner is null ? null : finals.Ratio(winner, one.Name),
                Median(Finals.Samples(finals.FullSpeed, one.Name), static sample => sample.Rate),
                Median(Finals.Samples(finals.Paced, one.Name), TuneGoal.P99Of),
                Median(Finals.Samples(finals.Paced, one.Name), static sample => sample.Latency?.ValueAt(0.99)),
                Median(Finals.Samples(finals.Paced, one.Name), static sample => sample.CpuSeconds * 1e9 / sample.Operations),
                IsOnFront: false)),
        ];
        return [.. figures.Select(one => one with { IsOnFront = !Array.Exists(figures, other => IsBeaten(one, other)) })];
    }

    /// <summary>Whether <paramref name="other"/> is better in something and no worse in anything.</summary>
    public static bool IsBeaten(Finalist one, Finalist other)
    {
        (double? Own, double? Others)[] costs =
            [(-one.Throughput, -other.Throughput), (one.P99, other.P99), (one.Cpu, other.Cpu)];
        return Array.TrueForAll(costs, static cost => cost.Own is null || cost.Others is null || cost.Others <= cost.Own)
            && Array.Exists(costs, static cost => cost.Others < cost.Own);
    }

    public static double? Median(IReadOnlyList<Sample> samples, Func<Sample, double?> figure)
    {
        double[] numbers = [.. samples.Select(figure).OfType<double>()];
        return numbers.Length == 0 ? null : Statistics.Median(numbers);
    }
}
