using System.Runtime.CompilerServices;
using Raceway.Analysis.Layouts;
using Raceway.LayoutSamples;

namespace Raceway.Lab.Tests.Analysis.Layouts;

public sealed class LayoutInspectorTests
{
    [Fact]
    public void Tables_OfThisRuntime_AreUnderstood() => Assert.True(RuntimeTables.AreUnderstood);

    [Fact]
    public void Inspect_Class_HasHeaderFieldsAndGaps()
    {
        TypeLayout layout = LayoutInspector.Inspect(typeof(GenericBox<byte>));

        Assert.Equal((-16, -8, 8, 32), (layout.Start, layout.Origin, layout.Step, layout.Size));
        Assert.Equal([("Seen", 0, 8, "consumer"), ("Value", 8, 1, "producer")],
            layout.Fields.Select(one => (one.Path, one.Offset, one.Size, one.Writer)));
        Assert.Equal([new Gap(9, 7, IsTrailing: true)], layout.Gaps);
        Assert.Null(layout.NotLive);
    }

    [Fact]
    public void Inspect_Struct_FieldsGapsAndStep()
    {
        TypeLayout layout = LayoutInspector.Inspect(typeof(Packed));

        Assert.Equal((0, 0, 1, 11), (layout.Start, layout.Origin, layout.Step, layout.Size));
        Assert.Equal(["First@0", "Second@1", "Third@9"], layout.Fields.Select(one => $"{one.Path}@{one.Offset}"));
        Assert.Empty(layout.Gaps);
    }

    [Fact]
    public void Inspect_Union_OverlappingFieldsMakeOneGap()
    {
        TypeLayout layout = LayoutInspector.Inspect(typeof(Union));

        Assert.Equal([0, 0, 4, 8], layout.Fields.Select(one => one.Offset));
        Assert.Equal([new Gap(6, 2, IsTrailing: false)], layout.Gaps);
    }

    [Fact]
    public void Inspect_NestedStructs_AreExpandedInPlace()
    {
        TypeLayout layout = LayoutInspector.Inspect(typeof(Mixed));

        FieldLayout tuple = layout.Fields.Single(one => one.Path == "_tuple");
        Assert.False(tuple.IsLeaf);
        Assert.Equal(["_tuple.Item1", "_tuple.Item2", "_tuple.Item3"],
            layout.Fields.Where(one => one.Path.StartsWith("_tuple.", StringComparison.Ordinal)).Select(one => one.Path).Order());
        Assert.All(layout.Fields.Where(one => one.Depth == 1 && one.Path.StartsWith("_tuple", StringComparison.Ordinal)),
            one => Assert.InRange(one.Offset, tuple.Offset, tuple.End - one.Size));
        Assert.Contains(layout.Fields, one => one is { Path: "Kept", Size: 4 });
        Assert.Contains(layout.Fields, one => one is { Path: "Property", Size: 8 });
    }

    [Theory]
    [InlineData(typeof(InlinePadded), "_before", "byte x 120", 120)]
    [InlineData(typeof(FourUnions), "_first", "Union x 4", 64)]
    [InlineData(typeof(FixedBuffer), "Bytes", "byte x 100", 100)]
    public void Inspect_RepeatedFields_AreOneLeaf(Type type, string path, string spelled, int size) =>
        Assert.Contains(LayoutInspector.Inspect(type).Leaves, one => (one.Path, one.TypeName, one.Size) == (path, spelled, size));

    [Fact]
    public void Inspect_InlinePadding_DoesNotSurroundTheField()
    {
        TypeLayout layout = LayoutInspector.Inspect(typeof(InlinePadded));

        Assert.Equal(0, layout.Fields.Single(one => one.Path == "_value").Offset);
    }

    [Fact]
    public void Inspect_RefStruct_ByTheTablesAlone()
    {
        TypeLayout layout = LayoutInspector.Inspect(typeof(OnStack));

        Assert.Equal(LayoutKind.RefStruct, layout.Kind);
        Assert.Contains("ref struct", layout.NotLive, StringComparison.Ordinal);
        Assert.Equal(32, layout.Size);
    }

    [Fact]
    public void Inspect_TypeWithFinalizer_NeverRunsIt()
    {
        Assert.Contains("finalizer", LayoutInspector.Inspect(typeof(Finalized)).NotLive, StringComparison.Ordinal);

        GC.Collect();
        GC.WaitForPendingFinalizers();
        Assert.Null(AppContext.GetData(Finalized.Key));
    }

    [Theory]
    [InlineData(typeof(List<>), "open generic")]
    [InlineData(typeof(INothing), "interface")]
    [InlineData(typeof(Nothing), "static class")]
    [InlineData(typeof(string), "as long as its text")]
    [InlineData(typeof(int[]), "as long as its elements")]
    [InlineData(typeof(int*), "address")]
    [InlineData(typeof(void), "no value")]
    public void Inspect_WhatHasNoLayout_SaysWhy(Type type, string why) =>
        Assert.Contains(
            why, Assert.Throws<LayoutException>(() => LayoutInspector.Inspect(type)).Message, StringComparison.Ordinal);

    [Fact]
    public void Inspect_GivenWriters_GoBeforeAttributes()
    {
        var writers = new FieldWriters([new("SharedCounters.Produced", "first"), new("Cell", "all"), new("nowhere", "x")]);

        Assert.Equal(
            ["first", "consumer"], LayoutInspector.Inspect(typeof(SharedCounters), writers).Leaves.Select(one => one.Writer));
        Assert.Equal("producer", LayoutInspector.Inspect(typeof(SizedStructInClass), writers).Leaves.Single().Writer);
        Assert.Equal(["nowhere"], writers.Unused);
    }

    [Fact]
    public void Look_LiveObjects_BeginAtMultiplesOfAWord()
    {
        TypeLayout layout = LayoutInspector.Inspect(typeof(SharedCounters));

        IReadOnlyList<int> places = LivePlaces.Look(layout, 64);

        Assert.Equal(64, places.Count);
        Assert.All(places, place => Assert.True(place % 8 == 0 && place < 64));
        Assert.True(places.Distinct().Count() > 1, "32-byte objects lie at two places of a line at least");
    }

    [Fact]
    public void Look_ElementsOfAnArray_LieTheirSizeApart()
    {
        IReadOnlyList<int> places = LivePlaces.Look(LayoutInspector.Inspect(typeof(FixedBuffer)), 64);

        int size = Unsafe.SizeOf<FixedBuffer>();
        Assert.All(Enumerable.Range(1, places.Count - 1), i => Assert.Equal((places[i - 1] + size) % 64, places[i]));
    }
}
