namespace Raceway.Proof.Tests.Faults;

/// <summary>What docs/faults.md promises for each fault, compared with what comes of it in every cell.</summary>
public sealed class FaultTableTests
{
    private const int LeastCells = 1000;
    private const int MostBroken = 3;

    private static readonly Dictionary<string, Fault> s_faults = Fault.All().ToDictionary(static fault => fault.Name);

    public static TheoryData<string> Rows => [.. FaultTable.Rows.Select(static row => row.Fault)];

    [Fact]
    public void Table_RowsAndWords_AreThoseThatAreTried()
    {
        Assert.Equal(FaultTable.Rows.Select(static row => row.Fault).Order(), s_faults.Keys.Order());
        foreach (Promise row in FaultTable.Rows)
        {
            string[] cells = [row.Ring, row.Item, row.Publishes, row.Drain];
            for (int i = 0; i < cells.Length; i++)
            {
                foreach (string word in FaultTable.Alternatives(cells[i]))
                    Assert.True(FaultTable.Words[i].Words.Contains(word), $"{row.Fault}: '{word}' is no {FaultTable.Words[i].Column}.");
            }

            foreach (string counter in FaultTable.Counts(row.Counters, ProducerKind.Multi).Keys)
                Assert.True(FaultTable.Words[^1].Words.Contains(counter), $"{row.Fault}: '{counter}' is no counter.");
        }
    }

    [Fact]
    public void Cells_OfAllFaults_AreEnough() =>
        Assert.InRange(s_faults.Values.Sum(static fault => Chosen(fault).Count()), LeastCells, int.MaxValue);

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task Fault_InEveryCell_ComesToWhatIsPromised(string row)
    {
        Promise promise = FaultTable.Rows.Single(each => each.Fault == row);
        List<string> differences = [];
        long right = 0;
        int broke = 0;
        foreach (Cell cell in Chosen(s_faults[row]))
        {
            // Each that hangs takes its ten seconds, and says the same.
            if (broke == MostBroken) break;
            try
            {
                IReadOnlyList<string> found = (await s_faults[row].Run(cell)).Differences(promise);
                differences.AddRange(found);
                if (found.Count == 0) right++;
            }
            catch (Exception broken)
            {
                broke++;
                differences.Add($"{cell}: {broken.GetType().Name}: {broken.Message}\n{broken.StackTrace}");
            }
        }

        Tally.Add(Counted.Faults, right);
        Assert.True(differences.Count == 0, $"{row}\n{string.Join('\n', differences)}");
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task Fault_AnyOutcomeChanged_IsSeen(string row)
    {
        // Of each column every other word: a table that says something else must be contradicted.
        Promise promise = FaultTable.Rows.Single(each => each.Fault == row);
        Cell cell = s_faults[row].Cells.First(static cell => !cell.IsEnding);
        Seen seen = await s_faults[row].Run(cell);
        Assert.Empty(seen.Differences(promise));
        foreach (string word in Others(0, promise.Ring)) Assert.NotEmpty(seen.Differences(promise with { Ring = word }));
        foreach (string word in Others(1, promise.Item)) Assert.NotEmpty(seen.Differences(promise with { Item = word }));
        foreach (string word in Others(2, promise.Publishes)) Assert.NotEmpty(seen.Differences(promise with { Publishes = word }));
        foreach (string word in Others(3, promise.Drain)) Assert.NotEmpty(seen.Differences(promise with { Drain = word }));
        foreach (string counter in seen.Counters.Keys)
            Assert.NotEmpty(seen.Differences(promise with { Counters = $"{counter} 99" }));
    }

    // With each push every second cell that the test steps and every fourth of the others; which, differs from row to row.
    private static IEnumerable<Cell> Chosen(Fault fault)
    {
        int shift = fault.Name.Length;
        return fault.Cells.Where((cell, i) =>
            Tally.IsLong || (i + shift) % (cell.Driven == Driven.Caller ? 2 : 4) == 0);
    }

    private static IEnumerable<string> Others(int column, string word) =>
        FaultTable.Words[column].Words.Except(FaultTable.Alternatives(word));
}
