using Raceway.Analysis.Tuning;
using Raceway.Measuring;
using Raceway.Pipelines;

namespace Raceway.Lab.Tests.Analysis.Tuning;

public sealed class TrialHostTests
{
    private static readonly Dictionary<string, string> s_asDefined = [];
    private static readonly Dictionary<string, string> s_channel = new() { [Knobs.Transport] = Knobs.Channel };

    public static TheoryData<string> Transports => [.. Knobs.Plans.Append(Knobs.Channel)];

    [Theory]
    [MemberData(nameof(Transports))]
    public void Run_AtFullSpeed_TakesAllItemsAndChecksThem(string transport)
    {
        TrialReply reply = Host<SumTrial>().Run(Request(transport) with { Items = 10_000 }, default);

        Assert.Equal(10_000, reply.Items);
        Assert.True(reply.Verified);
        Assert.True(reply.Seconds > 0);
        Assert.Empty(reply.Latencies);
        Assert.Equal([10_000L, 10_000L], reply.Stages.Select(static stage => stage.Items));
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public void Run_Paced_TimesEveryItem(string transport)
    {
        TrialReply reply = Host<SumTrial>().Run(Request(transport) with { Items = 300, Rate = 200, Arrivals = "poisson" }, default);

        Assert.Equal(300, reply.Items);
        Assert.True(reply.Verified);
        Assert.Equal(300, reply.ToSample().Latency!.Count);
        Assert.False(reply.FellBehind);
    }

    // The trial is not even built.
    [Fact]
    public void Run_WithoutAPipeline_TimesTheGeneratorAlone()
    {
        TrialReply reply = Host<ThrowingTrial>().Run(
            new TrialRequest { Knobs = new Dictionary<string, string> { [Knobs.Transport] = Knobs.Control }, Seconds = 60, Items = 300, Rate = 20_000 }, default);

        Assert.Equal((300L, true, false), (reply.Items, reply.Verified, reply.FellBehind));
        Assert.Equal((300L, 1), (reply.ToSample().Latency!.Count, reply.WindowP99s.Count));
    }

    [Fact]
    public void Run_WrongResult_IsNotVerified() =>
        Assert.False(Host<WrongTrial>().Run(Request("fused") with { Items = 100 }, default).Verified);

    [Theory]
    [InlineData("fused")]
    [InlineData(Knobs.Channel)]
    public void Run_StageThrows_SaysWhat(string transport) => Assert.Contains(
        "item 0 is bad",
        Assert.ThrowsAny<Exception>(() => Host<ThrowingTrial>().Run(Request(transport) with { Items = 100_000 }, default)).ToString(),
        StringComparison.Ordinal);

    [Fact]
    public void Run_BySeconds_EndsAndSaysHowManyItems()
    {
        TrialReply reply = Host<SumTrial>().Run(new TrialRequest { Knobs = s_asDefined, Seconds = 0.01, Samples = 4 }, default);

        Assert.True(reply.Items > 0);
        Assert.True(reply.Verified);
        Assert.InRange(reply.Snapshots.Count, 1, 5);
    }

    [Fact]
    public void Run_CannotKeepUp_GivesUpAndCountsWhatWasDue()
    {
        // Four stages that wait five milliseconds a batch at least, of one item each: some fifty items a second.
        var request = new TrialRequest
        {
            Knobs = new Dictionary<string, string> { ["plan"] = "fused", ["dispatch"] = "batch", ["batch"] = "1", ["capacity"] = "2" },
            Seconds = 0.05, Rate = 100_000,
        };

        TrialReply reply = Host<BlockingTrial>().Run(request, default);

        Assert.True(reply.FellBehind);
        Assert.True(reply.Verified);
        // From when they were due: those at the end have waited for the whole time.
        Assert.Equal(5_000, reply.ToSample().Latency!.Count);
        Assert.InRange(reply.ToSample().Latency!.ValueAt(0.5), 100_000_000, long.MaxValue);
    }

    [Theory]
    [InlineData("main-job")]
    [InlineData("uneven")]
    public void BuiltIn_UnderSettingsAndBehindAChannel_IsRight(string name)
    {
        ITrialHost host = Cli.TuneScenarios.All[name].Create();
        var knobs = new Dictionary<string, string> { ["plan"] = "ring-per-stage", ["dispatch"] = "batch", ["batch"] = "16", ["capacity"] = "256" };

        foreach (IReadOnlyDictionary<string, string> one in new IReadOnlyDictionary<string, string>[] { s_asDefined, knobs, s_channel })
            Assert.True(host.Run(new TrialRequest { Knobs = one, Seconds = 10, Items = 3_000 }, default).Verified, Knobs.NameOf(one));
    }

    [Fact]
    public void Histogram_ThroughPairs_IsTheSame()
    {
        var histogram = new LatencyHistogram();
        foreach (long value in new long[] { 1, 1, 500, 70_000, 70_001, 9_000_000 }) histogram.Record(value);

        LatencyHistogram copy = LatencyHistogram.Of(histogram.ToPairs());

        Assert.Equal(histogram.Buckets(), copy.Buckets());
        Assert.Equal((6, histogram.Max, histogram.ValueAt(0.5)), (copy.Count, copy.Max, copy.ValueAt(0.5)));
    }

    [Fact]
    public void Run_CancelledBefore_LeavesTheProcessAlone()
    {
        using RemoteTrialHost host = RemoteTrialHost.Start(
            static (requests, answers) => Cli.TuneHostCommand.Start(typeof(SumTrial).Assembly.Location, nameof(SumTrial), requests, answers), default);

        Assert.Throws<OperationCanceledException>(() => host.Run(Request("fused") with { Items = 10 }, new CancellationToken(true)));

        Assert.Equal(0, host.Deaths);
        Assert.True(host.Run(Request("fused") with { Items = 10 }, default).Verified);
    }

    internal static TrialHost<long> Host<T>()
        where T : ITrial<long>, new() => new(typeof(T).Name, static () => new T());

    private static TrialRequest Request(string transport) => new()
    {
        Knobs = transport == Knobs.Channel ? s_channel : new Dictionary<string, string> { [Knobs.Plan] = transport },
        Seconds = 60,
    };
}
