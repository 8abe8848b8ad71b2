using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Measuring;

public sealed class StageTimelinesTests
{
    private static StageStatistics Stage(string name, int moment, long lag = 0) => new()
    {
        Name = name,
        Items = 10 * moment,
        Batches = moment,
        Lag = lag,
        Working = TimeSpan.FromSeconds(0.25 * moment),
        Starved = TimeSpan.FromSeconds(0.5 * moment),
        Blocked = TimeSpan.FromSeconds(0.15 * moment),
        Waking = TimeSpan.FromSeconds(0.1 * moment),
        CloseReasons = [],
        BatchSizes = [],
    };

    [Fact]
    public void Add_TwoMoments_GiveTheDifference()
    {
        var timelines = new StageTimelines();
        timelines.Add(TimeSpan.FromSeconds(1), [Stage("a", 1), Stage("b", 3)]);
        Assert.Empty(timelines.ToResult("case", "who"));
        timelines.Add(TimeSpan.FromSeconds(2), [Stage("a", 2, lag: 7), Stage("b", 3)]);

        IReadOnlyList<ResultTimeline> result = timelines.ToResult("case", "who");

        Assert.Equal(["a", "b"], result.Select(static one => one.Stage));
        Assert.All(result, static one => Assert.Equal(("case", "who"), (one.Case, one.Contestant)));
        TimelineSample sample = Assert.Single(result[0].Samples);
        Assert.Equal((2, 0.25, 0.5, 0.15, 0.1), (sample.At, sample.Working, sample.Starved, Math.Round(sample.Blocked, 6), Math.Round(sample.Waking, 6)));
        Assert.Equal((10, 1, 7), (sample.Items, sample.Batches, sample.Lag));
        Assert.Equal(0, Assert.Single(result[1].Samples).Items);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(5)]
    [InlineData(8)]
    public void Add_ManyMoments_KeepsFewSamplesAndLosesNothing(int most)
    {
        var timelines = new StageTimelines(most);
        for (int moment = 0; moment <= 1_000; moment++)
        {
            timelines.Add(TimeSpan.FromSeconds(moment), [Stage("a", moment, lag: moment)]);
            if (moment == 0) continue;
            IReadOnlyList<TimelineSample> samples = timelines.ToResult("case", "who")[0].Samples;
            Assert.InRange(samples.Count, 1, most);
            Assert.Equal(10L * moment, samples.Sum(static sample => sample.Items));
            Assert.Equal(moment, samples.Sum(static sample => sample.Batches));
            Assert.Equal(moment, samples.Sum(static sample => sample.Working + sample.Starved + sample.Blocked + sample.Waking), 6);
            Assert.Equal((moment, moment), (samples[^1].At, samples[^1].Lag));
            Assert.Equal(samples.OrderBy(static sample => sample.At), samples);
        }
    }

    [Fact]
    public async Task Recorder_OfARun_SeesAllOfIt()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).Stage("a", static (ref long item) => item++).Run();
        using var recorder = TimelineRecorder.Start(pipeline.GetStatistics, TimeSpan.FromMilliseconds(1));
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (int i = 0; i < 1_000; i++)
        {
            producer.Publish(i);
            if (i % 100 == 0) await Task.Delay(1);
        }

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).WaitAsync(TimeSpan.FromMinutes(1))).IsDrained);
        IReadOnlyList<TimelineSample> samples = recorder.ToResult("case", "who")[0].Samples;

        Assert.Equal(1_000, samples.Sum(static sample => sample.Items));
        Assert.Equal(pipeline["a"].GetStatistics().Batches, samples.Sum(static sample => sample.Batches));
        recorder.Stop();
        Assert.Equal(samples, recorder.ToResult("case", "who")[0].Samples);
    }

    [Fact]
    public void Recorder_FiguresCannotBeRead_SaysSoWhenItIsAsked()
    {
        int reads = 0;
        using var failed = new ManualResetEventSlim();
        using var recorder = TimelineRecorder.Start(
            () =>
            {
                if (reads++ == 0) return [];
                failed.Set();
                throw new InvalidOperationException("gone");
            },
            TimeSpan.FromMilliseconds(1));
        Assert.True(failed.Wait(TimeSpan.FromMinutes(1)));

        Assert.Equal("gone", Assert.Throws<InvalidOperationException>(recorder.Stop).InnerException!.Message);
    }

    [Fact]
    public void Recorder_TooOften_IsRefused() => Assert.Contains(
        "Use 10 ms or more",
        Assert.Throws<ArgumentOutOfRangeException>(() => TimelineRecorder.Start(static () => [], TimeSpan.FromMicroseconds(10))).Message,
        StringComparison.Ordinal);

    [Fact]
    public void Engine_AskedForATimeline_RecordsItsRun()
    {
        using var folder = new TempFolder();
        folder.Write("in/lines", string.Concat(Enumerable.Range(0, 5_000).Select(static n => $"<line {n}>\n")));
        using var engine = new RacewayLineEngine(1_024, recordsTimeline: true);

        MainJobResult result = MainJobRun.Execute(InputFiles.Resolve([folder.File("in")]), engine, hashed: true, withDigests: false, default);

        IReadOnlyList<ResultTimeline> timelines = engine.Timeline!.ToResult("case", "who");
        Assert.Equal(["parse", "hash", "totals"], timelines.Select(static one => one.Stage));
        Assert.All(timelines, one => Assert.Equal(result.Totals.Lines, one.Samples.Sum(static sample => sample.Items)));
    }
}
