using System.Runtime.CompilerServices;

namespace Raceway.Pipelines.Tests.Support;

/// <summary>An item on which every stage of a graph leaves a mark of its own.</summary>
internal struct Item
{
    public long Id;
    public int Producer;
    public Marks Marks;
}

/// <summary>One mark for each of up to eight stages.</summary>
[InlineArray(8)]
internal struct Marks
{
    private long _first;
}
