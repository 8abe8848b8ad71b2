using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Suites.MainJob;

public sealed class MainJobVerdictTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Of_BatchFaster_SaysByHowMuchAndForWhichSetting()
    {
        string verdict = MainJobVerdict.Of(Table(
            ("channel", null, 4), ("channel-batched", null, 20),
            ("raceway/single-fused-adaptive", new("single", "fused", "adaptive"), 16),
            ("raceway/batch-fused-adaptive", new("batch", "fused", "adaptive"), 40),
            ("raceway/single-shared-ring-park", new("single", "shared-ring", "park"), 1),
            ("raceway/batch-shared-ring-park", new("batch", "shared-ring", "park"), 30)));

        Assert.Equal(
            "For the same stages, plan (fused) and waiting (adaptive), batch dispatch is 2.50 times [2.50–2.50] as fast as "
            + "single dispatch (40.0 M lines/s against 16.0 M lines/s); the fastest of ours, raceway/batch-fused-adaptive, is "
            + "10.0 times [10.0–10.0] as fast as channel and 2.00 times [2.00–2.00] as fast as channel-batched.",
            verdict);
    }

    [Fact]
    public void Of_DefaultMeasured_SpeaksOfItThoughOthersAreFaster()
    {
        string verdict = MainJobVerdict.Of(Table(
            ("channel", null, 4),
            ("raceway/single-fused-park", new("single", "fused", "park"), 16),
            ("raceway/batch-fused-park", new("batch", "fused", "park"), 40),
            ("raceway/single-shared-ring-park", new("single", "shared-ring", "park"), 10),
            (LineContestants.DefaultName, new("batch", "shared-ring", "park"), 30)));

        Assert.Equal(
            "For the same stages, plan (shared-ring) and waiting (park), batch dispatch is 3.00 times [3.00–3.00] as fast as "
            + "single dispatch (30.0 M lines/s against 10.0 M lines/s); the default is "
            + "7.50 times [7.50–7.50] as fast as channel.",
            verdict);
    }

    [Fact]
    public void Of_BatchSlower_SaysSo()
    {
        string verdict = MainJobVerdict.Of(Table(
            ("raceway/single", new("single", "fused", "park"), 40), ("raceway/batch", new("batch", "fused", "park"), 10)));

        Assert.Contains("0.25 times [0.25–0.25] as fast as single dispatch", verdict, StringComparison.Ordinal);
    }

    [Fact]
    public void Of_NoDifference_ClaimsNone()
    {
        string verdict = MainJobVerdict.Of(Table(
            ("raceway/single", new("single", "fused", "park"), 10), ("raceway/batch", new("batch", "fused", "park"), 10)));

        Assert.Contains("level with", verdict, StringComparison.Ordinal);
    }

    [Fact]
    public void Of_OneRoundEach_SaysThatItIsTooFew()
    {
        string verdict = MainJobVerdict.Of(Table(
            verified: true, rounds: 1,
            ("channel", null, 4), ("raceway/single", new("single", "fused", "park"), 10), ("raceway/batch", new("batch", "fused", "park"), 36)));

        Assert.Equal(
            "For the same stages, plan (fused) and waiting (park), batch dispatch is 3.60 times as fast as single dispatch (1 round: too few to judge) "
            + "(36.0 M lines/s against 10.0 M lines/s); the fastest of ours, raceway/batch, is 9.00 times as fast as channel (1 round: too few to judge).",
            verdict);
    }

    [Fact]
    public void Of_WrongResult_ClaimsNothing()
    {
        MainJobTable table = Table(verified: false, rounds: 6, ("channel", null, 4), ("channel-batched", null, 20));

        Assert.Equal(
            "The table shows nothing yet: channel, channel-batched gave a wrong result.", MainJobVerdict.Of(table));
    }

    /// <summary>Else the first run of who is slow would last as long as a thousand lines take it.</summary>
    [Theory]
    [InlineData(null, long.MaxValue)]
    [InlineData(10.0, LineFeed.SampleEvery)]
    [InlineData(1e6, 200_000)]
    public void MaxOperations_AtARate_AreWhatThePacedRunHasTimeFor(double? rate, long most)
    {
        LoadedInput input = LoadedInput.Load([_folder.Write("file", "a\n")]);
        var rounds = new LineRounds(new Named("one", null), input, ExpectedTotals.Compute(input.Parts, hashed: false), rate)
        {
            Longest = TimeSpan.FromMilliseconds(200),
        };

        Assert.Equal(most, rounds.MaxOperations);
    }

    private MainJobTable Table(params (string, LineSetting?, double)[] contestants) => Table(true, 6, contestants);

    private MainJobTable Table(bool verified, int rounds, params (string Name, LineSetting? Setting, double Rate)[] contestants)
    {
        LoadedInput input = LoadedInput.Load([_folder.Write("file", "a\n")]);
        ExpectedTotals expected = ExpectedTotals.Compute(input.Parts, hashed: false);
        ContestantRounds[] table = [.. contestants.Select(one =>
        {
            var all = new ContestantRounds(new LineRounds(new Named(one.Name, one.Setting), input, expected));
            for (int round = 0; round < rounds; round++)
            {
                all.Add(new Round(round, new Sample((long)(one.Rate * 1e6), 1, verified), null, null));
            }

            return all;
        })];
        return new MainJobTable(input, new CaseResult("test", MetricKind.Throughput, table, null), latency: null);
    }

    private sealed class Named(string name, LineSetting? setting) : LineContestant
    {
        public override string Name => name;

        public override int BusyThreads => 1;

        public override LineSetting? Setting => setting;

        protected override double Drive(LineFeed feed, LineTotals totals) => throw new InvalidOperationException();
    }
}
