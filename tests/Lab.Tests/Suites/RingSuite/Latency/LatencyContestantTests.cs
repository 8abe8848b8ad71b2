using System.Runtime.InteropServices;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Lab.Tests.Suites.RingSuite;

public sealed class LatencyContestantTests
{
    private const string HalfSpeed = "one-way-half";
    private const int Items = 20;

    // Its messages come too seldom for a test; its contestants are those of trickle-3.
    private const string Idle = "idle-3";

    /// <summary>Every contestant that is built in, in every case but the one that finds out its rate.</summary>
    public static TheoryData<string, string> Contestants
    {
        get
        {
            var data = new TheoryData<string, string>();
            foreach (RingCase one in RingCases.Baselines.Where(static one => one.Name != Idle))
            {
                foreach (IContestant contestant in one.Create().OfType<LatencyContestant>())
                {
                    data.Add(one.Name, contestant.Name);
                }
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Contestants))]
    public void Run_AFewItems_IsVerifiedAndHasPercentiles(string name, string contestant)
    {
        Sample sample = Find(name, contestant).Run(Items, default);

        Assert.True(sample.Verified);
        Assert.Equal(Items, sample.Operations);
        Assert.Equal(Items, sample.Latency!.Count);
        Assert.InRange(sample.Latency.ValueAt(0.5), 1, sample.Latency.ValueAt(0.99));
        Assert.InRange(sample.Latency.ValueAt(0.99), 1, sample.Latency.Max);
    }

    [Theory]
    [MemberData(nameof(Contestants))]
    public void Run_OneItemCorrupt_IsNotVerified(string name, string contestant)
    {
        RingContestant corrupt = Find(name, contestant);
        corrupt.CorruptItem = Items / 2;

        Assert.False(corrupt.Run(Items, default).Verified);
    }

    [Theory]
    [MemberData(nameof(Contestants))]
    public void Run_Cancelled_Throws(string name, string contestant) =>
        Assert.ThrowsAny<OperationCanceledException>(
            () => Find(name, contestant).Run(1_000, new CancellationToken(canceled: true)));

    [Fact]
    public void Run_ConsumerStalls_ChargesEveryItemThatWaited()
    {
        const int items = 200;
        const double rate = 10_000;
        const double gap = 1e9 / rate;

        LatencyHistogram latency = Stalled.At(rate).Run(items, default).Latency!;

        // The consumer takes nothing before the last item was sent: the first waited for all the others.
        Assert.True(latency.Max >= (items - 1) * gap);
        Assert.True(latency.ValueAt(0.5) >= ((items / 2) - 1) * gap);
    }

    [Theory]
    [InlineData(Loss.None, true)]
    [InlineData(Loss.Dropped, false)]
    [InlineData(Loss.Doubled, false)]
    [InlineData(Loss.Swapped, false)]
    public void Run_ItemsLostOrMoved_IsNotVerified(Loss loss, bool verified) =>
        Assert.Equal(verified, Stalled.At(1e6, loss).Run(Items, default).Verified);

    [Fact]
    public void Run_HalfSpeed_FindsItsRateAndSaysIt()
    {
        IContestant half = RingCases.Named(HalfSpeed).Create().Single(static one => one.Name == "raw");
        Assert.Null(half.Note);

        Sample sample = half.Run(1_000, default);

        Assert.True(sample.Verified);
        Assert.Equal(1_000, sample.Latency!.Count);
        Assert.Contains("M events/s, half of", half.Note, StringComparison.Ordinal);
    }

    [Fact]
    public void Measure_HalfSpeed_HasItsRateInTheRows()
    {
        var options = new InterleaverOptions
        {
            // A run is dropped that takes a hundred times that.
            Rounds = 1, RoundTime = TimeSpan.FromMilliseconds(50), WarmUpRuns = 1, ProbeLine = false,
        };
        IContestant half = RingCases.Named(HalfSpeed).Create().Single(static one => one.Name == "raceway/default");

        CaseResult result = new Interleaver(options).Run(HalfSpeed, MetricKind.Latency, [half]);

        Assert.All(result.Rows, row => Assert.Contains("M events/s", row.Note, StringComparison.Ordinal));
        Assert.Equal(
            ["latency-p50", "latency-p90", "latency-p99", "latency-p99.9", "latency-max", "throughput", "allocated", "cpu"],
            result.Rows.Select(static row => row.Metric));
    }

    private static RingContestant Find(string name, string contestant) =>
        RingCases.Named(name).Create().OfType<RingContestant>().Single(one => one.Name == contestant);

    public enum Loss
    {
        None,
        Dropped,
        Doubled,
        Swapped,
    }

    /// <summary>Hands nothing on before everything was sent, and then perhaps not all of it as it came.</summary>
    private sealed class Stalled(RingLoad load, RoundThreads threads, Loss loss) : Transport<Number>(load, threads)
    {
        private LatencyRound? _round;

        public static IContestant At(double rate, Loss loss = Loss.None) =>
            new Peer<Number>("stalled", (load, threads) => new Stalled(load, threads, loss)).At(Arrivals.At(rate), new RingShape(1, 1, 0));

        public override void AddSender(LatencyRound round) => _round = round;

        public override void AddStage<TWork>(int stage, TWork work)
        {
            var items = new List<Number>();
            Threads.Add(() =>
            {
                _round!.Send(new Sender(items));
                switch (loss)
                {
                    case Loss.Dropped:
                        items.RemoveAt(7);
                        break;
                    case Loss.Doubled:
                        items[7] = items[6];
                        break;
                    case Loss.Swapped:
                        (items[6], items[7]) = (items[7], items[6]);
                        break;
                }

                foreach (ref Number item in CollectionsMarshal.AsSpan(items))
                {
                    work.Take(ref item);
                }

                work.Report(Load, stage);
            });
        }

        private readonly struct Sender(List<Number> items) : ISender
        {
            public void Send(long item) => items.Add(Slot.Of<Number>(item));
        }
    }
}
