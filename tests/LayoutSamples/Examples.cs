using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.LayoutSamples;

/// <summary>Two counters of two threads, side by side.</summary>
public sealed class SharedCounters
{
    [WrittenBy("producer")] public long Produced;
    [WrittenBy("consumer")] public long Consumed;
}

/// <summary>The same, each in a struct with a line pair before and behind it.</summary>
public sealed class PaddedCounters
{
    [WrittenBy("producer")] public PaddedCounter Produced;
    [WrittenBy("consumer")] public PaddedCounter Consumed;
}

[StructLayout(LayoutKind.Explicit, Size = 256)]
public struct PaddedCounter
{
    [FieldOffset(128)] public long Value;
}

/// <summary>The size is not honoured: nothing lies behind the value.</summary>
[StructLayout(LayoutKind.Explicit, Size = 192)]
public sealed class SizedClass
{
    [FieldOffset(64), WrittenBy("producer")] public long Value;
}

/// <summary>The size is honoured of a struct, and so of a class that has one.</summary>
public sealed class SizedStructInClass
{
    public SizedStruct Cell;
}

[StructLayout(LayoutKind.Explicit, Size = 192)]
public struct SizedStruct
{
    [FieldOffset(64), WrittenBy("producer")] public long Value;
}

/// <summary>Padding before and behind as written, but the runtime puts large structs last.</summary>
public sealed class InlinePadded
{
    private Pad120 _before;
    [WrittenBy("producer")] private long _value;
    private Pad120 _behind;
}

[InlineArray(120)]
public struct Pad120
{
    private byte _first;
}

/// <summary>Sequential until it holds a reference.</summary>
[StructLayout(LayoutKind.Sequential)]
public struct SequentialWithReference
{
    public byte First;
    public object? Second;
    public byte Third;
    public long Fourth;
}

/// <summary>A generic type cannot have an explicit layout; its padding has to come from structs that are not generic.</summary>
public sealed class GenericBox<T>
{
    [WrittenBy("producer")] public T? Value;
    [WrittenBy("consumer")] public long Seen;
}

/// <summary>Eight bytes an element: eight threads on a line.</summary>
public struct Counter
{
    [WrittenBy("its worker")] public long Value;
}

/// <summary>A line and its neighbour an element, the value where it is safe at any start.</summary>
[StructLayout(LayoutKind.Sequential, Size = 128)]
public struct SpacedCounter
{
    [WrittenBy("its worker")] public long Value;
}
