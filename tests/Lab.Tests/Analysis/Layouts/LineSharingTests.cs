using Raceway.Analysis.Layouts;
using Raceway.LayoutSamples;

namespace Raceway.Lab.Tests.Analysis.Layouts;

/// <summary>Warnings are right: where fields of two writers may meet on a line, and nowhere else.</summary>
public sealed class LineSharingTests
{
    private static readonly CacheLines s_lines = new(64);
    private static readonly CacheLines s_pairs = new(128);

    [Fact]
    public void Of_CountersSideBySide_ShareALineAtSevenOfEightPlaces()
    {
        SharedLine shared = Assert.Single(LineSharing.Of(LayoutInspector.Inspect(typeof(SharedCounters)), s_lines));

        Assert.Equal(("producer", "consumer"), (shared.One, shared.Other));
        Assert.Equal(["Produced", "Consumed"], shared.Fields);
        Assert.Equal((7, 8), (shared.Places, shared.OfPlaces));
    }

    [Fact]
    public void Of_PaddedCounters_NoFalseAlarmForLinesNorPairs()
    {
        TypeLayout layout = LayoutInspector.Inspect(typeof(PaddedCounters));

        Assert.Equal(["producer", "consumer"], layout.Leaves.Select(leaf => leaf.Writer));
        Assert.Empty(LineSharing.Of(layout, s_lines));
        Assert.Empty(LineSharing.Of(layout, s_pairs));
        Assert.All(layout.Leaves, leaf => Assert.Equal(0, LineSharing.PlacesBesideNeighbours(layout, s_lines, leaf)));
    }

    [Fact]
    public void Of_OnePlace_IsJudgedThereAlone()
    {
        TypeLayout layout = LayoutInspector.Inspect(typeof(SharedCounters));

        // The counters lie at 8 and 16 from the address: apart only where a line ends between them.
        Assert.Empty(LineSharing.Of(layout, new CacheLines(64, At: 48)));
        Assert.All([0, 8, 16, 24, 32, 40, 56], at => Assert.Single(LineSharing.Of(layout, new CacheLines(64, at))));
    }

    [Fact]
    public void Of_OneWriter_NeverShares()
    {
        var writers = new FieldWriters([new("Produced", "both"), new("Consumed", "both")]);

        Assert.Empty(LineSharing.Of(LayoutInspector.Inspect(typeof(SharedCounters), writers), s_lines));
    }

    [Fact]
    public void Of_LiveOnes_CountsThoseThatShare()
    {
        TypeLayout layout = LayoutInspector.Inspect(typeof(SharedCounters));

        SharedLine shared = Assert.Single(LineSharing.Of(layout, s_lines, [0, 48, 48, 8]));

        Assert.Equal((2, 4), (shared.Live, shared.OfLive));
    }

    [Theory]
    [InlineData(typeof(Counter), 64, 7)]
    [InlineData(typeof(SpacedCounter), 64, 0)]
    [InlineData(typeof(SpacedCounter), 128, 0)]
    [InlineData(typeof(SpacedCounter), 256, 16)]
    [InlineData(typeof(PaddedCounter), 128, 0)]
    public void OfNeighbours_ElementsOfAnArray_ShareAtAsManyPlaces(Type type, int line, int places)
    {
        IReadOnlyList<SharedLine> shared = LineSharing.OfNeighbours(LayoutInspector.Inspect(type), new CacheLines(line));

        Assert.Equal(places, shared.Sum(one => one.Places));
    }

    [Fact]
    public void PlacesBesideNeighbours_SizedClass_LiesAtItsEnd()
    {
        TypeLayout sized = LayoutInspector.Inspect(typeof(SizedClass));
        TypeLayout padded = LayoutInspector.Inspect(typeof(SizedStructInClass));

        // The size is not honoured of the class: 16 + 64 + 8 bytes.
        Assert.Equal(88, sized.Size);
        Assert.Equal(7, LineSharing.PlacesBesideNeighbours(sized, s_lines, sized.Leaves.Single()));
        Assert.Equal(208, padded.Size);
        Assert.Equal(0, LineSharing.PlacesBesideNeighbours(padded, s_lines, padded.Leaves.Single()));
    }

    [Theory]
    [InlineData(0, -8, -1)]
    [InlineData(0, 0, 0)]
    [InlineData(56, 7, 0)]
    [InlineData(56, 8, 1)]
    [InlineData(8, -9, -1)]
    public void LineOf_AnyDistance_CountsFromTheLineOfTheAddress(int place, int distance, int line) =>
        Assert.Equal(line, s_lines.LineOf(place, distance));
}
