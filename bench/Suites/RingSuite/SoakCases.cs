using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>The cases of <c>compare --suite soak</c>: whether the cost of an event stays the same, however many there are.</summary>
public static class SoakCases
{
    private const string Throughput = "1p-1c";

    // What still ends in reasonable time.
    private const long MostForPeers = 100_000_000;

    /// <summary>All cases.</summary>
    public static IReadOnlyList<RingCase> All { get; } =
    [
        Flat(1_000_000, "raceway/default", "raw", "disruptor-net/yielding"),
        Flat(10_000_000, "raceway/default", "raw", "disruptor-net/yielding"),
        Flat(MostForPeers, "raceway/default", "raw", "disruptor-net/yielding"),
        Flat(1_000_000_000, "raceway/default", "raw"),
        Soak(new RingShape(1, 1, 0)),
    ];

    // The contestants of the throughput case, with the number of events given.
    private static RingCase Flat(long events, params string[] names)
    {
        RingCase from = RingCases.Named(Throughput);
        int power = (int)Math.Log10(events);
        return new(
            string.Create(CultureInfo.InvariantCulture, $"flat-1e{power}"),
            string.Create(CultureInfo.InvariantCulture, $"one producer, one consumer that sums, {events:N0} events"),
            MetricKind.Overhead,
            from.Shape,
            [.. from.Contestants.Where(create => names.Contains(create().Name))])
        {
            Rounds = new RoundPlan { Operations = events },
            InQuick = events < MostForPeers,
        };
    }

    private static RingCase Soak(RingShape shape) => new(
        "soak",
        "one producer, one consumer that sums, on one ring for --minutes; a round is a slice of some 10 s",
        MetricKind.Overhead,
        shape,
        [() => new SoakContestant(shape)])
    {
        Rounds = new RoundPlan { Stretch = 200.0 / 3, FillsTime = true },
        InQuick = false,
    };
}
