using System.Diagnostics;
using Raceway.Analysis.Tuning;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Suites.Batching;

namespace Raceway.Lab.Tests.Analysis.Tuning;

/// <summary>What a round uses counts until its items are done, also what is used behind the last one that was sent.</summary>
public sealed class DrainedRoundTests
{
    private static readonly Dictionary<string, string> s_channel = new() { [Knobs.Transport] = Knobs.Channel };
    private static readonly Dictionary<string, string> s_fused = new() { [Knobs.Plan] = "fused", [Knobs.Dispatch] = "single" };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Run_GivenUp_CountsWhatAllSentItemsUse(bool isChannel)
    {
        SlowTrial? made = null;
        TrialReply reply = new TrialHost<long>("planted", () => made = new SlowTrial()).Run(
            new TrialRequest { Knobs = isChannel ? s_channel : s_fused, Seconds = 0.02, Rate = 100_000 }, default);

        Assert.True(reply.FellBehind);
        Assert.True(reply.ToSample().FellBehind);
        Assert.Equal(reply.Items, reply.ToSample().Operations);
        // Begun before the first item, and read after the last: time and processor time are read at the same moment.
        Assert.InRange(reply.Seconds, made!.FromFirstToLast.TotalSeconds, double.MaxValue);
    }

    [Theory]
    [InlineData(false, null)]
    [InlineData(false, 2_000.0)]
    [InlineData(true, null)]
    [InlineData(true, 2_000.0)]
    public void Run_WorkIsUnderWayBehindTheStage_ItIsCompletedWithinTheTime(bool isChannel, double? rate)
    {
        var kind = new BatchingCase("planted", "completed behind the last call", null, static _ => new LateWork());
        var host = new TrialHost<Job>("planted", () => new WorkTrial(kind));

        TrialReply reply = host.Run(
            new TrialRequest { Knobs = isChannel ? s_channel : s_fused, Seconds = 60, Items = 100, Rate = rate }, default);

        Assert.True(reply.Verified);
        Assert.InRange(reply.Seconds, LateWork.LengthOfEnd.TotalSeconds, double.MaxValue);
    }

    [Fact]
    public void Report_FinalistsThatFallBehind_AreNamed()
    {
        var result = new TuneResult
        {
            Target = "planted", Options = new TuneOptions { Goal = TuneGoal.Parse("cpu"), Rate = 1_000_000 }, Chosen = new Dictionary<string, string>(),
            Finalists = [.. new[] { "late", "seldom late", "in time" }.Select(Finalist)],
            Paced = Rounds.LatencyCase(
                "finals at 1,000,000/s", Rounds.Behind("late", true, true, false), Rounds.Behind("seldom late", true, false, false),
                Rounds.Behind("in time", false), Rounds.Behind("no finalist", true)),
        };

        Assert.Contains(
            Raceway.Lab.Reporting.TuneReport.Tables(result).OfType<Raceway.Lab.Reporting.ReportText>(),
            static one => one.Text == "At 1,000,000 items/s these do not keep up: late.");
        Assert.Equal(
            ["late", "no finalist"],
            result.Paced.Rows.Where(static row => row.Note == "does not keep up").Select(static row => row.Contestant).Distinct());

        static Finalist Finalist(string name) => new(name, new Dictionary<string, string>(), null, null, null, null, null, false);
    }

    /// <summary>A millisecond an item.</summary>
    private sealed class SlowTrial : ITrial<long>
    {
        private long _done;
        private long _first;
        private long _last;

        public TimeSpan FromFirstToLast => Stopwatch.GetElapsedTime(_first, _last);

        public Pipeline<long> Build(PipelineSettings settings) => Pipeline.Of<long>(64).Stage("slow", Slow).Build(settings);

        public void Fill(ref long slot, long number)
        {
            if (number == 0) _first = Stopwatch.GetTimestamp();
            slot = number;
        }

        public bool Check(long items) => _done == items;

        private void Slow(ref long item)
        {
            Thread.Sleep(1);
            _done++;
            _last = Stopwatch.GetTimestamp();
        }
    }

    private sealed class LateWork : IBatchWork
    {
        public static readonly TimeSpan LengthOfEnd = TimeSpan.FromMilliseconds(200);

        private long _done;
        private bool _isComplete;

        public void Begin() => _done = 0;

        public void Do(ReadOnlySpan<Job> jobs) => _done += jobs.Length;

        public void Complete()
        {
            Thread.Sleep(LengthOfEnd);
            _isComplete = true;
        }

        public bool Verify(long jobs) => _isComplete && _done == jobs;

        public void Dispose()
        {
        }
    }
}
