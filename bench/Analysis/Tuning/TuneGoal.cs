using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>What a setting is to be good at: one figure, or several with weights.</summary>
/// <remarks>
/// The cost of a round is the weighted sum of the logarithms of its figures, divided by the sum of the weights: a setting that
/// halves a figure of weight 2 gains as much as one that quarters a figure of weight 1, whatever their units. A difference
/// of two costs is the logarithm of "so many times as good".
/// </remarks>
/// <param name="Weights">By <see cref="Throughput"/>, <see cref="P99"/> and <see cref="Cpu"/>; above 0.</param>
public sealed record TuneGoal(IReadOnlyDictionary<string, double> Weights)
{
    public const string Throughput = "throughput", P99 = "p99", Cpu = "cpu";

    private static readonly string[] s_names = [Throughput, P99, Cpu];

    /// <summary>Whether rounds at full speed tell of it.</summary>
    public bool NeedsFullSpeed => Weights.ContainsKey(Throughput);

    /// <summary>Whether rounds at a given rate tell of it: latency has a meaning there alone, and waiting shows its price there.</summary>
    public bool NeedsPaced => Weights.ContainsKey(P99) || Weights.ContainsKey(Cpu);

    /// <summary>Reads <c>throughput</c>, <c>p99</c>, <c>cpu</c>, or <c>throughput=1,p99=2</c>.</summary>
    /// <exception cref="FormatException">It is none of them; the message says why.</exception>
    public static TuneGoal Parse(string text)
    {
        var weights = new SortedDictionary<string, double>(StringComparer.Ordinal);
        foreach (string part in text.Split(','))
        {
            string[] pair = part.Trim().Split('=', 2);
            double weight = 1;
            if (!s_names.Contains(pair[0]))
                throw new FormatException($"a goal is of {string.Join(", ", s_names)}, as in throughput or throughput=1,p99=2; got '{part.Trim()}'.");
            if (pair.Length == 2
                && !(double.TryParse(pair[1], NumberStyles.Float, CultureInfo.InvariantCulture, out weight) && weight is > 0 and <= 1000))
                throw new FormatException($"a weight is a number above 0, up to 1000; got '{part.Trim()}'.");
            if (!weights.TryAdd(pair[0], weight)) throw new FormatException($"each goal is named once; got '{pair[0]}' twice.");
        }

        return new TuneGoal(weights);
    }

    /// <summary>The cost of a round, or of two that ran one after the other.</summary>
    /// <param name="fast">The round at full speed.</param>
    /// <param name="paced">The round at a given rate.</param>
    public double CostOf(Sample? fast, Sample? paced) =>
        Weights.Sum(one => one.Value * Math.Log(Figure(one.Key, fast, paced))) / Weights.Values.Sum();

    /// <inheritdoc/>
    public override string ToString() => Weights.Count == 1
        ? Weights.Keys.First()
        : string.Join(',', Weights.Select(static one => string.Create(CultureInfo.InvariantCulture, $"{one.Key}={one.Value}")));

    /// <summary>The p99 of a paced round, in nanoseconds: that of a typical window of it, see <see cref="TailWindows"/>.</summary>
    internal static double? P99Of(Sample paced) => Figures.CountOf(paced, Figures.WindowP99) ?? paced.Latency?.ValueAt(0.99);

    // Less is better in each; nothing is 0, which has no logarithm.
    private static double Figure(string name, Sample? fast, Sample? paced) => Math.Max(1e-12, name switch
    {
        Throughput => 1 / fast!.Value.Rate,
        P99 => P99Of(paced!.Value) * 1e-9 ?? double.NaN,
        _ => paced!.Value.CpuSeconds / paced.Value.Operations,
    });
}
