using Raceway.Analysis.SharingStudy;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Lab.Tests.Analysis.SharingStudy;

public sealed class StudyContestantTests
{
    private const int Items = 3_001;

    public static TheoryData<string, int> Counters
    {
        get
        {
            var data = new TheoryData<string, int>();
            foreach (CellOperation operation in CellOperation.All)
            {
                data.Add(operation.Name, 1);
                data.Add(operation.Name, 2);
            }

            return data;
        }
    }

    public static TheoryData<string> BareRings => [.. SharingCases.All.Where(static one => one.Create()[0] is BareRingContestant)
        .Select(static one => one.Name)];

    [Theory]
    [MemberData(nameof(Counters))]
    public void Run_CellsAtAnyDistance_AreVerified(string operation, int threads)
    {
        foreach (int stride in SharingCases.Strides)
        {
            var cells = new CellContestant(Named(operation), stride, threads);
            foreach (int operations in new[] { 1, Items, Items + 1 })
            {
                Sample sample = cells.Run(operations, default);

                Assert.True(sample.Verified, $"{stride} bytes, {operations} operations");
                Assert.Equal(operations, sample.Operations);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Counters))]
    public void Run_OneOperationTooMany_IsNotVerified(string operation, int threads)
    {
        foreach (int stride in SharingCases.Strides.Where(static stride => stride > 0))
            Assert.False(new CellContestant(Named(operation), stride, threads) { Corrupt = true }.Run(Items, default).Verified);
    }

    [Fact]
    public void Run_CellsInOneWord_CountWhatBothDid()
    {
        var locked = new CellContestant(CellOperation.Locked, stride: 0, threads: 2) { Corrupt = true };

        Assert.False(locked.Run(Items, default).Verified);
    }

    [Theory]
    [MemberData(nameof(BareRings))]
    public void Run_BareRingOfAnyLayout_IsVerifiedUnlessAnItemIsWrong(string name)
    {
        foreach (IContestant one in SharingCases.All.Single(one => one.Name == name).Create())
        {
            var ring = (BareRingContestant)one;
            Assert.True(ring.Run(Items, default).Verified, ring.Name);
            Assert.True(ring.Run(1, default).Verified, ring.Name);

            ring.CorruptItem = Items / 2;
            Assert.False(ring.Run(Items, default).Verified, ring.Name);
        }
    }

    [Fact]
    public void Run_WalksOverLines_VisitAllNodes()
    {
        var field = new LineField(64);
        foreach (IContestant walk in PrefetchContestant.All(() => field).Select(static make => make()))
        {
            foreach (int operations in new[] { 1, 63, 64, 1_000 }) Assert.True(walk.Run(operations, default).Verified, walk.Name);
        }
    }

    [Fact]
    public void Run_WalkOverABrokenLink_IsNotVerified()
    {
        var field = new LineField(64);
        IContestant walk = PrefetchContestant.All(() => field)[0]();

        // The walk enters by the second line, the check by the first: they must lead to the same node.
        field.Lines[LineField.LineLongs] = (field.Lines[0] + 1) % 64;

        Assert.False(walk.Run(1, default).Verified);
    }

    [Fact]
    public void Cases_Names_AreUnique()
    {
        Assert.Distinct(SharingCases.All.Select(static one => one.Name));
        Assert.All(SharingCases.All, static one => Assert.Distinct(one.Create().Select(static c => c.Name)));
        Assert.All(
            SharingCases.All.Where(static one => one.Reference is not null),
            static one => Assert.Contains(one.Reference, one.Create().Select(static c => c.Name)));
    }

    private static CellOperation Named(string name) => CellOperation.All.Single(one => one.Name == name);
}
