using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.LayoutSamples;

public sealed class Empty;

public struct EmptyStruct;

public abstract class Abstract
{
    public int Kept;
}

public class Mixed : Abstract
{
    private byte _small;
    private object? _reference;
    private double _large;
    private Guid _struct;
    private char _character;
    private DayOfWeek _enum;
    private int? _nullable;
    private readonly bool _last;
    private DateTimeOffset _time;
    private decimal _money;
    private nint _native;
    private (int, long, string?) _tuple;

    public long Property { get; set; }
}

public sealed class Derived : Mixed
{
    private byte _more;
    private long _most;
}

[StructLayout(LayoutKind.Explicit)]
public struct Union
{
    [FieldOffset(0)] public int Number;
    [FieldOffset(0)] public byte LowByte;
    [FieldOffset(4)] public short Other;
    [FieldOffset(8)] public object? Reference;
}

[StructLayout(LayoutKind.Sequential, Pack = 1)]
public struct Packed
{
    public byte First;
    public long Second;
    public short Third;
}

[StructLayout(LayoutKind.Sequential, Size = 100)]
public struct Sized
{
    public int Value;
}

[InlineArray(4)]
public struct FourUnions
{
    private Union _first;
}

public sealed unsafe class Pointers
{
    private int* _number;
    private void* _anything;
    private delegate*<int, void> _function;
    private nuint _native;
}

public unsafe struct FixedBuffer
{
    public int Length;
    public fixed byte Bytes[100];
}

public ref struct OnStack
{
    public int Number;
    public ref long Target;
    public Span<byte> Bytes;
}

public sealed class Finalized
{
    public const string Key = "Raceway.LayoutSamples.Finalized";
    public long Handle;

    ~Finalized() => AppContext.SetData(Key, true);
}

public static class Outer<T>
{
    public sealed class Inner<TOther>
    {
        public T? Own;
        public TOther? Other;
    }
}

public interface INothing;

public static class Nothing;

/// <summary>Hot state whose padding is broken: 64 bytes behind it are missing.</summary>
public sealed class BrokenPadding
{
    public object? Before;
    public BrokenState State;
    public long Behind;
}

[StructLayout(LayoutKind.Explicit, Size = 136)]
public struct BrokenState
{
    [FieldOffset(128)] public long Value;
}

public sealed class SoundPadding
{
    public object? Before;
    public PaddedCounter State;
    public long Behind;
}

public sealed class NeedsAnother : Initialised.Kept
{
    [WrittenBy("somebody")] public long Further;
}
