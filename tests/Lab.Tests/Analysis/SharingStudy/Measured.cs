using Raceway.Measuring;

namespace Raceway.Lab.Tests.Analysis.SharingStudy;

/// <summary>Results with figures that a test chooses.</summary>
internal static class Measured
{
    private const long Operations = 1_000_000_000;

    /// <summary>A case whose contestants took so many nanoseconds an operation, a figure a round.</summary>
    public static CaseResult Case(
        string name, MetricKind metric, params IEnumerable<(string Contestant, double[] Nanoseconds)> contestants) =>
        new(name, metric, [.. contestants.Select(static one => Rounds(new Named(one.Contestant, null), one.Nanoseconds))], null);

    /// <summary>The same, of contestants with knobs.</summary>
    public static CaseResult Case(
        string name, MetricKind metric,
        params IEnumerable<(string Contestant, double[] Nanoseconds, IReadOnlyDictionary<string, string> Knobs)> contestants) =>
        new(name, metric, [.. contestants.Select(static one => Rounds(new Named(one.Contestant, one.Knobs), one.Nanoseconds))], null);

    /// <summary>A case with a figure a round, each with the line round trip before and after it.</summary>
    public static CaseResult Lined(
        string name, IReadOnlyList<double> lines, params IEnumerable<(string Contestant, double[] Nanoseconds)> contestants) =>
        new(name, MetricKind.Overhead, [.. contestants.Select(one => Rounds(new Named(one.Contestant, null), one.Nanoseconds, lines))], null);

    /// <summary>A few rounds around a figure: between 0.99 and 1.01 of it.</summary>
    public static double[] Around(double nanoseconds) =>
        [.. new[] { 0.99, 1, 1.01, 1, 0.99, 1, 1.01, 1 }.Select(factor => factor * nanoseconds)];

    private static ContestantRounds Rounds(IContestant contestant, double[] nanoseconds, IReadOnlyList<double>? lines = null)
    {
        var rounds = new ContestantRounds(contestant);
        for (int i = 0; i < nanoseconds.Length; i++)
            rounds.Add(new Round(i, new Sample(Operations, nanoseconds[i], Verified: true), lines?[i], lines?[i]));
        return rounds;
    }

    private sealed class Named(string name, IReadOnlyDictionary<string, string>? knobs) : IContestant
    {
        public string Name => name;

        public int BusyThreads => 2;

        public IReadOnlyDictionary<string, string>? Knobs => knobs;

        public Sample Run(long operations, CancellationToken cancellation) => throw new NotSupportedException();
    }
}
