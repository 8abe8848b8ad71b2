using Raceway.Analysis.Tuning;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Analysis.Tuning;

/// <summary>Faults planted into pipelines that run: what a search looks at first names them, and its advice undoes them.</summary>
/// <remarks>
/// Each is named in one run: a trial that has it keeps to shares of the time that it makes up for, so that a busy machine makes
/// it no other. Whether a fault is undone is counted and not timed.
/// </remarks>
public sealed class PlantedFaultTests
{
    private static readonly TuneOptions s_short = new()
    {
        Goal = TuneGoal.Parse("throughput"), Budget = TimeSpan.Zero, Drawn = 0, Rounds = 3, LowLoadItems = 5,
        TieringPause = TimeSpan.Zero, ShortestRound = TimeSpan.FromMilliseconds(2), ShortestPacedRound = TimeSpan.FromMilliseconds(2),
    };

    [Fact]
    public async Task BlockingInAHotChain_IsNamed_AndTheAdviceFreesTheOtherStages()
    {
        var today = new Dictionary<string, string> { ["plan"] = "fused", ["capacity"] = "256" };

        IReadOnlyDictionary<string, string> advised = Advised<BlockingTrial>(
            today, new TrialRequest { Knobs = today, Seconds = 60, Items = 1_000 }, FindingKind.BlockingHandler);

        Assert.Equal("shared-ring", advised["plan"]);
        HeldTrial before = await Held(today, othersGoOn: false);
        Assert.Equal(before.HeldThread, before.CountingThread);
        HeldTrial after = await Held(advised, othersGoOn: true);
        Assert.NotEqual(after.HeldThread, after.CountingThread);
    }

    [Fact]
    public void ARingThatIsTooSmall_IsNamed_AndTheAdviceGivesItRoomForBatches()
    {
        var today = new Dictionary<string, string> { ["plan"] = "shared-ring", ["capacity"] = "2" };
        var request = new TrialRequest { Knobs = today, Seconds = 60, Items = 20_000 };

        IReadOnlyDictionary<string, string> advised = Advised<LateTrial>(today, request, FindingKind.RingTooSmall);

        Assert.InRange(Knobs.ToSettings(advised).Capacity!.Value, 1_024, 65_536);
        // No batch is larger than the ring.
        Assert.All(Batches(today), static count => Assert.InRange(count, 10_000, 20_000));
        Assert.All(Batches(advised), static count => Assert.InRange(count, 1, 5_000));

        IEnumerable<long> Batches(IReadOnlyDictionary<string, string> knobs)
        {
            TrialReply reply = TrialHostTests.Host<SumTrial>().Run(request with { Knobs = knobs }, default);
            Assert.True(reply.Verified);
            return reply.Stages.Select(static stage => stage.Batches);
        }
    }

    [Fact]
    public async Task AMinimumThatOnlyHoldsBack_IsNamed_AndTheAdviceTakesItemsAsTheyCome()
    {
        var today = new Dictionary<string, string> { ["dispatch"] = "batch", ["batch"] = "128", ["min"] = "64" };

        IReadOnlyDictionary<string, string> advised = With(today, await FoundAsync(), FindingKind.BetterUnbatched, of: 2);

        await using Pipeline<long> held = await Started(new SumTrial(), today);
        SingleProducer<long> producer = held.CreateProducer();
        for (int i = 0; i < 64; i++) producer.Publish(i);
        Assert.True((await held.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.All(held.GetStatistics(), static stage => Assert.Equal((64, 1), (stage.Items, stage.Batches)));

        await using Pipeline<long> free = await Started(new SumTrial(), advised);
        producer = free.CreateProducer();
        for (int i = 0; i < 3; i++)
        {
            producer.Publish(i);
            // One alone goes through, without an end that would let it.
            // Its batch is counted just behind it.
            Watchdog.Until(() => free.GetStatistics().All(stage => stage.Batches == i + 1), "an item without company");
        }

        Assert.All(free.GetStatistics(), static stage => Assert.Equal((3, 3), (stage.Items, stage.Batches)));

        // Each item grows old alone; then there is none for most of the time.
        async Task<IReadOnlyList<TrialFinding>> FoundAsync()
        {
            var trial = new SumTrial();
            await using Pipeline<long> aged = await Started(trial, today.With(new Dictionary<string, string> { ["age-us"] = "1000" }));
            var watch = new TrialWatch(new TrialRequest { Knobs = today, Seconds = 60, Diagnose = true });
            watch.Begin(aged);
            var clock = new HoldClock();
            SingleProducer<long> one = aged.CreateProducer();
            for (int i = 0; i < 5; i++)
            {
                one.Publish(i);
                await Watchdog.UntilAsync(() => aged.Backlog == 0, "an item grows old");
            }

            await clock.HoldAsync();
            watch.End(aged);
            TrialReply reply = watch.Reply(aged, 5, default, trial);
            Assert.True(reply.Verified);
            return reply.Findings;
        }
    }

    [Fact]
    public void AStageThatIsBetterUnbatched_IsCalledOneByOne()
    {
        // What counts is how many comparisons the stage made in a real run, whatever the machine did meanwhile: one an item is
        // the least, and only a stage that is called one by one is sure of it. A small ring, or a lower limit, is better than
        // today's settings, and not the best.
        var host = new CountingHost();

        TuneResult result = new Tuner(host, s_short)
        {
            Today = new Dictionary<string, string> { ["dispatch"] = "batch", ["batch"] = "4096", ["capacity"] = "16384" },
        }.Run(default);

        PipelineSettings settings = Knobs.ToSettings(result.Chosen);
        Assert.NotEqual(DispatchLevel.Batch, (settings.DispatchOf.GetValueOrDefault("sort") ?? settings.Dispatch!).Level);
    }

    [Fact]
    public void ARateThatAChannelCarries_OfAPipelineThatRuns_GetsThatAnswer()
    {
        TuneResult result = new Tuner(TrialHostTests.Host<SumTrial>(), s_short with { Rate = 200 }).Run(default);

        Assert.True(result.Channel!.IsEnough, result.Channel.Reason);
        Assert.Contains("A Channel is enough here", result.Channel.Reason, StringComparison.Ordinal);
        Assert.Contains(result.Finalists, static one => one.Name == Knobs.Channel && one.Throughput > 0);
    }

    /// <summary>Today's settings with what is advised against a fault.</summary>
    /// <param name="today">The settings that have it.</param>
    /// <param name="request">What is run.</param>
    /// <param name="fault">The fault.</param>
    private static IReadOnlyDictionary<string, string> Advised<T>(
        IReadOnlyDictionary<string, string> today, TrialRequest request, FindingKind fault)
        where T : ITrial<long>, new()
    {
        return With(today, TrialHostTests.Host<T>().Run(request with { Diagnose = true }, default).Findings, fault, of: 1);
    }

    private static IReadOnlyDictionary<string, string> With(
        IReadOnlyDictionary<string, string> today, IReadOnlyList<TrialFinding> found, FindingKind fault, int of)
    {
        TrialFinding[] named = [.. found.Where(one => one.Kind == fault)];
        Assert.True(named.Length == of, string.Join("; ", found.Select(static one => one.Text)));
        return named.Select(static one => one.Changes[0]).Aggregate(today, static (knobs, change) => knobs.With(change));
    }

    /// <summary>A hundred items, the first of which is held in the last stage meanwhile.</summary>
    private static async Task<HeldTrial> Held(IReadOnlyDictionary<string, string> knobs, bool othersGoOn)
    {
        const int items = 100;
        var trial = new HeldTrial();
        await using Pipeline<long> pipeline = await Started(trial, knobs);
        try
        {
            SingleProducer<long> producer = pipeline.CreateProducer();
            producer.Publish(0);
            await trial.IsIn.OrHang();
            for (int i = 1; i < items; i++) producer.Publish(i);
            if (othersGoOn) Watchdog.Until(() => trial.Counted == items, "the other stages, while one is held");
        }
        finally
        {
            trial.Release();
        }

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        Assert.True(trial.Check(items));
        return trial;
    }

    private static async Task<Pipeline<long>> Started(SumTrial trial, IReadOnlyDictionary<string, string> knobs)
    {
        Pipeline<long> pipeline = trial.Build(Knobs.ToSettings(knobs));
        await pipeline.StartAsync().OrHang();
        return pipeline;
    }

    /// <summary>Runs a number of items, and says what they cost by counting.</summary>
    private sealed class CountingHost : ITrialHost
    {
        public string Name => nameof(SquareTrial);

        public TrialReply Run(TrialRequest request, CancellationToken cancellation)
        {
            var trial = new SquareTrial();
            if (request.Knobs.GetValueOrDefault(Knobs.Transport) == Knobs.Control) return Reply(1, []);
            TrialReply ran = new TrialHost<long>(Name, () => trial)
                .Run(request with { Seconds = 60, Items = 500, Rate = null }, cancellation);
            return Reply(trial.Comparisons, ran.Findings) with { Verified = ran.Verified };

            TrialReply Reply(long cost, IReadOnlyList<TrialFinding> findings) => new()
            {
                Items = 500, Seconds = cost * 1e-6, Verified = true, CpuSeconds = cost * 1e-6, Findings = findings,
                Latencies = request.Rate is null ? [] : [cost, 500],
            };
        }
    }
}
