using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Suites.MainJob;

public sealed class LineContestantTests : IDisposable
{
    private readonly TempFolder _folder = new();
    private readonly LoadedInput _input;

    public LineContestantTests()
    {
        IEnumerable<string> lines = Enumerable.Range(0, 5_000).Select(i => new string(' ', i % 9) + $"<member name=\"{"TMPFE"[i % 5]}:{i}\">");
        _input = LoadedInput.Load([_folder.Write("file.xml", string.Join('\n', lines))]);
    }

    public static TheoryData<bool, string> Contestants
    {
        get
        {
            var data = new TheoryData<bool, string>();
            foreach (bool hashed in new[] { false, true })
            {
                foreach (LineContestant contestant in LineContestants.All(hashed))
                {
                    data.Add(hashed, contestant.Name);
                }
            }

            return data;
        }
    }

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(Contestants))]
    public void Run_AtFullSpeed_GivesTheExpectedResult(bool hashed, string name)
    {
        LineContestant contestant = LineContestants.All(hashed, capacity: 1_024).Single(one => one.Name == name);

        // One line, part of a pass, a pass, and more than two.
        foreach (long lines in new long[] { 1, 4_321, 5_000, 12_345 })
        {
            Sample sample = contestant.Run(_input, Expected(hashed), lines, ratePerSecond: null, default);

            Assert.True(sample.Verified);
            Assert.Equal(lines, sample.Operations);
            Assert.Null(sample.Latency);
            Assert.True(sample.MeanBatch >= 1);
        }
    }

    [Theory]
    [MemberData(nameof(Contestants))]
    public void Run_Paced_RecordsEvery64thLine(bool hashed, string name)
    {
        LineContestant contestant = LineContestants.All(hashed, capacity: 1_024).Single(one => one.Name == name);

        Sample sample = contestant.Run(_input, Expected(hashed), lines: 6_400, ratePerSecond: 200_000, default);

        Assert.True(sample.Verified);
        Assert.Equal(100, sample.Latency!.Count);
        Assert.True(sample.Latency.Min > 0);
    }

    [Theory]
    [MemberData(nameof(Contestants))]
    public void Run_Cancelled_Throws(bool hashed, string name)
    {
        LineContestant contestant = LineContestants.All(hashed, capacity: 1_024).Single(one => one.Name == name);

        Assert.ThrowsAny<OperationCanceledException>(
            () => contestant.Run(_input, Expected(hashed), 100_000, ratePerSecond: 1_000, new CancellationToken(canceled: true)));
    }

    [Theory]
    [InlineData(Corruption.None, true)]
    [InlineData(Corruption.Dropped, false)]
    [InlineData(Corruption.Doubled, false)]
    [InlineData(Corruption.Swapped, false)]
    [InlineData(Corruption.KindChanged, false)]
    [InlineData(Corruption.DigestByteChanged, false)]
    public void Run_OneItemCorrupted_IsNotVerified(Corruption corruption, bool verified)
    {
        var contestant = new CorruptingLines(corruption);

        Assert.Equal(verified, contestant.Run(_input, Expected(hashed: true), 5_000, null, default).Verified);
    }

    [Fact]
    public void Run_Finished_LeavesTheInputAsItWas()
    {
        byte[] buffer = _input.Lines[0].Chunk.Buffer;

        new OneThreadLines<Line>().Run(_input, Expected(hashed: false), 5_000, null, default);

        // The stages release chunks; those of input in memory must not get into the hands of others.
        for (int i = 0; i < 10; i++)
        {
            Assert.NotSame(buffer, System.Buffers.ArrayPool<byte>.Shared.Rent(buffer.Length));
        }
    }

    [Fact]
    public void Load_MoreThanTheLimit_SaysItIsCutAndKnowsItsBytes()
    {
        string path = _folder.Write("more", "1\n22\n333\n4444\n");

        LoadedInput input = LoadedInput.Load([path], lineLimit: 3);

        Assert.True(input.IsCut);
        Assert.Equal(3, input.Lines.Length);
        Assert.Equal((path, 9L), Assert.Single(input.Parts));
        Assert.Equal(3, ExpectedTotals.Compute(input.Parts, hashed: false).Lines);
    }

    [Fact]
    public void Load_NoLines_SaysSo() =>
        Assert.Throws<InputException>(() => LoadedInput.Load([_folder.Write("empty", "")]));

    private ExpectedTotals Expected(bool hashed) => ExpectedTotals.Compute(_input.Parts, hashed);

    public enum Corruption
    {
        None,
        Dropped,
        Doubled,
        Swapped,
        KindChanged,
        DigestByteChanged,
    }

    /// <summary>Does the work right but for one line.</summary>
    private sealed class CorruptingLines(Corruption corruption) : LineContestant
    {
        private const int Victim = 1_234;

        public override string Name => "corrupting";

        public override int BusyThreads => 1;

        protected override double Drive(LineFeed feed, LineTotals totals)
        {
            var items = new List<HashedLine>();
            feed.Start();
            for (ReadOnlyMemory<Line> run; !(run = feed.Next(100, out _)).IsEmpty;)
            {
                foreach (ref readonly Line line in run.Span)
                {
                    var item = new HashedLine { Line = line };
                    LineStages.Parse(ref item);
                    LineStages.Hash(ref item);
                    items.Add(item);
                }
            }

            HashedLine victim = items[Victim];
            switch (corruption)
            {
                case Corruption.Dropped:
                    items.RemoveAt(Victim);
                    break;
                case Corruption.Doubled:
                    items.Insert(Victim, victim);
                    items.RemoveAt(items.Count - 1);
                    break;
                case Corruption.Swapped:
                    (items[Victim], items[Victim + 1]) = (items[Victim + 1], victim);
                    break;
                case Corruption.KindChanged:
                    victim.Line.Kind = LineKind.Text;
                    items[Victim] = victim;
                    break;
                case Corruption.DigestByteChanged:
                    victim.Digest[63] ^= 1;
                    items[Victim] = victim;
                    break;
            }

            totals.Add(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(items));
            return 1;
        }
    }
}
