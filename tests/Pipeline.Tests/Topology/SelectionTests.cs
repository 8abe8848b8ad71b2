using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Bits of slots and their walks, against a plain array.</summary>
public sealed class SelectionTests
{
    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 40)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Walks_AnyRangeOfAnyRing_FindWhatIsSelected(int seed)
    {
        var random = new Random(seed);
        int capacity = 1 << random.Next(1, 10);
        // None, all, or any density in between: runs over words, over the end of the ring, and none at all.
        double density = random.Next(4) switch { 0 => 0, 1 => 1, _ => random.NextDouble() };
        bool[] selected = new bool[capacity];
        var selection = new Selection(capacity);
        long first = random.NextInt64(0, 1L << 40);
        for (int turn = 0; turn < 50; turn++)
        {
            int count = random.Next(1, capacity + 1);
            Write(selection, selected, first, count, () => random.NextDouble() < density);
            long[] expected = [.. Sequences(first, count).Where(sequence => selected[sequence & (capacity - 1)])];

            AssertWalks(new SelectionSet(selection), first, count, expected);
            Assert.Equal(expected.Length, selection.Count(first, first + count - 1));

            first += random.Next(0, count + 1);
        }
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Walks_OfSeveral_FindWhatIsSelectedInAny(int seed)
    {
        var random = new Random(seed);
        int capacity = 1 << random.Next(1, 9);
        Selection[] selections = [.. Enumerable.Range(0, random.Next(2, 5)).Select(_ => new Selection(capacity))];
        bool[] any = new bool[capacity];
        foreach (Selection selection in selections)
        {
            bool[] own = new bool[capacity];
            Write(selection, own, 0, capacity, () => random.Next(4) == 0);
            for (int i = 0; i < capacity; i++) any[i] |= own[i];
        }

        long first = random.Next(0, 4 * capacity);
        int count = random.Next(1, capacity + 1);
        AssertWalks(
            new SelectionSet(selections), first, count,
            [.. Sequences(first, count).Where(sequence => any[sequence & (capacity - 1)])]);
    }

    [Fact]
    public void Walks_OfAll_AreOneRun() => AssertWalks(SelectionSet.All, 77, 300, [.. Sequences(77, 300)]);

    [Fact]
    public void Write_PartOfAWord_LeavesTheNeighboursBits()
    {
        var selection = new Selection(64);
        selection.Write(0, ulong.MaxValue, 0xF0F0);

        selection.Write(0, 0x0FF0, 0x0AAA);

        Assert.Equal(0xFAA0UL, selection.Read(0));
    }

    private static IEnumerable<long> Sequences(long first, int count) =>
        Enumerable.Range(0, count).Select(i => first + i);

    private static void Write(Selection selection, bool[] model, long first, int count, Func<bool> choose)
    {
        foreach (long sequence in Sequences(first, count)) model[sequence & (model.Length - 1)] = choose();
        var words = new SelectedWords(SelectionSet.All, model.Length, first, count);
        while (words.MoveNext())
        {
            ulong bits = 0;
            for (int bit = 0; bit < 64; bit++)
            {
                if ((words.Range >> bit & 1) != 0 && model[(first + words.Base + bit) & (model.Length - 1)]) bits |= 1UL << bit;
            }

            selection.Write(words.Word, words.Range, bits);
        }
    }

    private static void AssertWalks(SelectionSet selection, long first, int count, long[] expected)
    {
        List<long> bits = [];
        var words = new SelectedWords(selection, first, count);
        while (words.MoveNext())
        {
            for (int bit = 0; bit < 64; bit++)
                if ((words.Bits >> bit & 1) != 0) bits.Add(first + words.Base + bit);
        }

        Assert.Equal(expected, bits);

        List<long> runs = [];
        var walk = new SelectedRuns(selection, first, count);
        long last = long.MinValue;
        while (walk.MoveNext())
        {
            // Maximal: never beside the run before.
            Assert.True(first + walk.Start > last + 1);
            Assert.True(walk.Length > 0);
            runs.AddRange(Sequences(first + walk.Start, walk.Length));
            last = runs[^1];
        }

        Assert.Equal(expected, runs);
        Assert.Equal(expected.Length, SelectedWords.CountOf(selection, first, count));
        Assert.Equal(expected.Length == 0 ? -1 : expected[^1] - first, SelectedWords.LastOf(selection, first, count));
    }

    // The stage stops at the next 64 slots: what it has handled is done, and what is behind that is left.
    [Fact]
    public async Task Halt_InTheMiddleOfABatchOfAFilter_LeavesNoItemTwiceAndNone()
    {
        List<long> left = [];
        List<long> handled = [];
        Pipeline<Routed>? running = null;
        await using Pipeline<Routed> pipeline = Pipeline.Of<Routed>(256).HaltOnDispose()
            .Configure(options => options with { OnUnprocessed = (ref Routed item) => left.Add(item.Id) })
            .Filter("all", static (ref readonly Routed _) => true)
            .Stage("events", (ref Routed item) =>
            {
                handled.Add(item.Id);
                if (item.Id == 70) _ = running!.HaltAsync();
            })
            .Run(Plan.Manual);
        running = pipeline;
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        for (long id = 0; id < 200; id++) producer.Publish(new Routed { Id = id });

        pipeline.Stages[0].Step();
        pipeline.Stages[1].Step();
        await pipeline.HaltAsync().OrHang();

        Assert.Equal(Enumerable.Range(0, 128).Select(static id => (long)id), handled);
        Assert.Equal(Enumerable.Range(128, 72).Select(static id => (long)id), left);
    }
}
