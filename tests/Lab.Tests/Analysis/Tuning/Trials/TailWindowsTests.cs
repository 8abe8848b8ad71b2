using Raceway.Analysis.Tuning;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Analysis.Tuning;

/// <summary>What a tail is made of, over latencies that are given.</summary>
public sealed class TailWindowsTests
{
    private const double Rate = 1_000_000;

    private static readonly TrialRequest s_request = new() { Knobs = new Dictionary<string, string>(), Seconds = 1, Seed = 7 };

    [Fact]
    public void Of_OneStall_IsInOneWindow_AndInTheP99OfAll()
    {
        // A tenth of a second in which somebody else had the processor for 4 ms.
        long[] latencies = [.. Enumerable.Range(0, 100_000).Select(static i => i is >= 42_000 and < 46_000 ? 3_000_000L : 1_000)];

        (LatencyHistogram all, IReadOnlyList<long> windows) = TailWindows.Of(latencies, Rate);

        Assert.Equal(100_000, all.Count);
        Assert.True(all.ValueAt(0.99) >= 3_000_000);
        Assert.Equal(10, windows.Count);
        Assert.True(Assert.Single(windows, static one => one > 2_000) >= 3_000_000);
        var reply = new TrialReply
        {
            Items = 1, Seconds = 1, Verified = true, CpuSeconds = 1, Latencies = all.ToPairs(), WindowP99s = windows,
        };
        Assert.InRange(TuneGoal.P99Of(reply.ToSample())!.Value, 1_000, 1_010);
    }

    [Fact]
    public void Of_WhatHappensInEveryWindow_Counts()
    {
        // 200 µs of every 10 ms.
        long[] latencies = [.. Enumerable.Range(0, 100_000).Select(static i => i % 10_000 < 200 ? 200_000L : 1_000)];

        Assert.All(TailWindows.Of(latencies, Rate).P99s, static one => Assert.True(one >= 200_000));
    }

    [Theory]
    [InlineData(0, 1e6, 0)]
    [InlineData(1, 1e6, 1)]
    [InlineData(19_999, 1e6, 1)]
    [InlineData(20_001, 1e6, 2)]
    [InlineData(1_500, 1e3, 3)]
    public void Of_Windows_AreTenMillisecondsAndOfEnoughItems(int items, double rate, int windows)
    {
        (LatencyHistogram all, IReadOnlyList<long> tails) = TailWindows.Of(new long[items], rate);

        Assert.Equal((items, windows), (all.Count, tails.Count));
    }

    [Fact]
    public void Contestant_EachRun_IsAPipelineOfItsOwn_WithArrivalsOfItsOwn()
    {
        var host = new EchoHost();
        var contestant = new TrialContestant(host, s_request);

        Sample first = contestant.Run(10_000, default);
        contestant.Run(2_000, default);

        Assert.Equal([(10_000L, 7), (2_000L, 8)], host.Asked.Select(static one => (one.Items, one.Seed)));
        Assert.Equal((10_000L, 0d), (first.Operations, TuneGoal.P99Of(first)));
    }

    private sealed class EchoHost : ITrialHost
    {
        public string Name => "echo";

        public List<TrialRequest> Asked { get; } = [];

        public TrialReply Run(TrialRequest request, CancellationToken cancellation)
        {
            Asked.Add(request);
            return new TrialReply
            {
                Items = request.Items, Seconds = 10, Verified = true, CpuSeconds = 1,
                Latencies = [5, request.Items], WindowP99s = [Asked.Count - 1],
            };
        }
    }
}
