using Raceway.Analysis.Layouts;
using Raceway.LayoutSamples;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Analysis.Layouts;

/// <summary>The check of Raceway's own types passes, and fails where something is broken.</summary>
public sealed class OwnLayoutTests
{
    private static readonly CacheLines s_lines = new(64);

    [Theory]
    [InlineData(64)]
    [InlineData(128)] // a pair, where lines are fetched by two
    public void Check_OwnTypes_AllHold(int line)
    {
        OwnCheck[] checks = [.. OwnTypes.CheckKnown(OwnTypes.All), .. OwnTypes.Check(OwnTypes.All, new CacheLines(line))];

        Assert.Equal([], checks.Where(one => !one.Holds));
        string[] known = ["SingleClaimer", "MultiClaimer", "PaddedLong[]", "LoopState[]", "MessageQueue<"];
        foreach (string hot in known)
            Assert.Contains(checks, one => one.Name.Contains(hot, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(64)]
    [InlineData(128)]
    public void Check_LiveRings_AllHold(int line)
    {
        OwnCheck[] checks = [.. OwnRings.Check(new CacheLines(line))];

        Assert.Equal([], checks.Where(one => !one.Holds));
        Assert.Equal(2 * 3 * 3 + 3, checks.Length);
    }

    [Fact]
    public void Check_PlantedTypes_OnlyTheBrokenOnesFail()
    {
        Type[] planted = [typeof(BrokenPadding), typeof(SoundPadding), typeof(BrokenState), typeof(PaddedCounter)];
        OwnCheck[] checks = [.. OwnTypes.Check(planted, s_lines)];

        Assert.Equal(
            ["Raceway.LayoutSamples.BrokenPadding"], checks.Where(one => !one.Holds).Select(one => one.Name));
        Assert.Equal(4, checks.Length);
    }

    [Fact]
    public void CheckKnown_TypeGone_Fails() =>
        Assert.Equal(HotState.Known.Count, OwnTypes.CheckKnown([typeof(SoundPadding)]).Count(one => !one.Holds));

    [Theory]
    [InlineData(CellPadding.Line, 64, true)]
    [InlineData(CellPadding.Line, 32, false)]
    [InlineData(CellPadding.LinePair, 128, true)]
    [InlineData(CellPadding.LinePair, 64, false)]
    [InlineData(CellPadding.LinePair, 192, false)]
    [InlineData(CellPadding.None, 8, true)]
    [InlineData(CellPadding.None, 64, false)]
    public void CheckCells_AStrideApart_HoldsWhereItKeepsThePromise(CellPadding padding, int stride, bool holds)
    {
        nint[] cells = [.. Enumerable.Range(0, 16).Select(i => (nint)(4096 + i * stride))];

        Assert.Equal(holds, OwnRings.CheckCells("cells", cells, padding).Holds);
    }

    [Fact]
    public void CheckCells_NoneFound_Fails() => Assert.False(OwnRings.CheckCells("cells", [4096], CellPadding.Line).Holds);
}
