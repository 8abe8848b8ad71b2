#if PEER_LAYOUT_INSPECTOR
using ObjectLayoutInspector;
using Raceway.LayoutSamples;
using Raceway.Analysis.Layouts;

namespace Raceway.Lab.Tests.Analysis.Layouts;

/// <summary>Offsets are those of ObjectLayoutInspector. Its sizes leave out trailing space and InlineArray.</summary>
public sealed class ObjectLayoutInspectorTests
{
    [Theory]
    [InlineData(typeof(Mixed))]
    [InlineData(typeof(Derived))]
    [InlineData(typeof(SharedCounters))]
    [InlineData(typeof(SizedClass))]
    [InlineData(typeof(SequentialWithReference))]
    [InlineData(typeof(Packed))]
    [InlineData(typeof(Union))]
    [InlineData(typeof(List<int>))]
    [InlineData(typeof(Dictionary<string, long>))]
    public void Inspect_Offsets_AgreeWithObjectLayoutInspector(Type type) => Assert.Equal(
        TypeInspector.GetFieldOffsets(type).Select(one => (FieldWriters.NameOf(one.fieldInfo), one.offset)).Order(),
        LayoutInspector.Inspect(type).Fields.Where(one => one.Depth == 0).Select(one => (one.Name, one.Offset)).Order());
}
#endif
