using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>What is said of the ring suite, and checked by every run of it.</summary>
public static class RingClaims
{
    private const string Default = "raceway/default";
    private const string BusySpin = "raceway/busy-spin";
    private const string Single = "raceway/single";
    private const string Fused = "raceway/fused";
    private const string Raw = "raw";

    // Its value ring with any wait, and every form of it there is in the case.
    private const string DisruptorValues = "disruptor-net/*";
    private const string Disruptor = "disruptor-net/**";

    private const string Chain = "chain-3";
    private const string OneHandler = "chain-3-one-handler";

    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        More("1a", "one to one", "1p-1c", Default, 4, DisruptorValues),
        More("1b", "one to one, a ring of objects", "1p-1c", "raceway/class-handler", 2, DisruptorValues),
        More("1c", "one to one, the hand-written ring", "1p-1c", Default, 0.9, Raw),
        More("1d", "one to one, published 256 at a time", "1p-1c/publish-256", Default, 3, Disruptor),
        More("1e", "one to one, a message at a time", "1p-1c", Single, 2.5, Disruptor),

        More("2a", "parking at full load, the peer that blocks", "1p-1c", Default, 50, "disruptor-net/blocking"),
        More(
            "2b", "parking at full load, our waits that do not sleep", "1p-1c", Default, 0.9,
            BusySpin, "raceway/yield", "raceway/adaptive"),
        Less("2c", "waking a sleeper", "wake-up", Default, 1.1, "monitor"),
        Less("2d", "what a publish costs while stages sleep", "publish-parked", Default, 2, BusySpin, Figures.Latency99),

        More("3a", "a ring for several producers, with one", "mp-1p", Default, 7, Disruptor),
        More("3b", "three producers", "3p-1c", Default, 3, Disruptor),
        More(
            "3c", "sharded with one producer, the single-producer ring", "mp-1p", "raceway/sharded", 0.8,
            "raceway/single-producer"),
        More("3d", "three producers, sharded", "3p-1c", "raceway/sharded", 8, Disruptor),

        More("4a", "three stages", Chain, Default, 1.8, Disruptor),
        More("4b", "three stages, fused", Chain, Fused, 4, Disruptor),
        More("4c", "three stages fused, the same work in one handler", Chain, Fused, 1.5, Disruptor) with
        {
            PeerCase = OneHandler,
        },
        More("4d", "three stages fused, the same work in one hand-written loop", Chain, Fused, 0.85, Raw) with
        {
            PeerCase = OneHandler,
        },
        Less("4e", "three stages, 100,000 messages a second", "one-way-chain-3-1e5", Default, 1.25, BusySpin),

        Less("5a", "there and back, two bare lines", "round-trip", "raceway/latency-layout", 1.15, Raw),
        Less("5b", "there and back", "round-trip", Default, 1, Disruptor),
        Less("5c", "100,000 messages a second", "one-way-1e5", Default, 1.15, BusySpin),
        Less("5d", "1,000,000 messages a second", "one-way-1e6", Default, 1.15, BusySpin),
        Less("5e", "10,000,000 messages a second", "one-way-1e7", Default, 2, BusySpin),

        More("6a", "eight producers", "mp-8p", Default, 2, Disruptor),
        More("6b", "eight stages", "chain-8", Default, 2, Disruptor),
        More("6c", "one to one, 64 slots", "1p-1c/ring-64", Default, 0.9, BusySpin),

        new()
        {
            Number = "7", Text = "allocation of ours, the harness's threads included", Ours = "raceway/**",
            Metric = Figures.Allocated, Bound = 0.01,

            // Threads, ring and report of a round are a few kB, whatever its length.
            LeastOperations = 1_000_000,
        },
    ];

    private static Claim More(
        string number, string text, string name, string ours, double bound, params IReadOnlyList<string> peers) =>
        new() { Number = number, Text = text, Case = name, Ours = ours, Peers = peers, Bound = bound };

    private static Claim Less(
        string number, string text, string name, string ours, double bound, string peer,
        string metric = Figures.LatencyMedian) =>
        new() { Number = number, Text = text, Case = name, Ours = ours, Peers = [peer], Metric = metric, Bound = bound };
}
