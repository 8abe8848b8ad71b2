namespace Raceway.Pipelines.Tests.Plans;

/// <summary>An item that is one number, whatever its type.</summary>
internal interface IValue<TSelf>
    where TSelf : IValue<TSelf>
{
    /// <summary>Makes what slots reuse; null where they are overwritten.</summary>
    static abstract Func<TSelf>? Create { get; }

    static abstract long Get(in TSelf? item);

    static abstract void Set(ref TSelf? item, long value);
}

/// <summary>Without references: links copy it.</summary>
internal struct Plain : IValue<Plain>
{
    private long _value;

    public static Func<Plain>? Create => null;

    public static long Get(in Plain item) => item._value;

    public static void Set(ref Plain item, long value) => item._value = value;
}

/// <summary>A struct with a reference, which must fit the number beside it.</summary>
internal struct Tagged : IValue<Tagged>
{
    private long _value;
    private string? _tag;

    public static Func<Tagged>? Create => null;

    public static long Get(in Tagged item) => item._tag is null ? item._value : item._tag == Tag(item._value) ? item._value : -1;

    public static void Set(ref Tagged item, long value) => item = new Tagged { _value = value, _tag = Tag(value) };

    private static string Tag(long value) => (value & 7) switch { 0 => "zero", 1 => "one", 2 => "two", _ => "more" };
}

/// <summary>A class, new for every item.</summary>
internal sealed class Fresh : IValue<Fresh>
{
    private long _value;

    public static Func<Fresh>? Create => null;

    public static long Get(in Fresh? item) => item?._value ?? 0;

    public static void Set(ref Fresh? item, long value) => item = new Fresh { _value = value };
}

/// <summary>A class whose objects the slots reuse.</summary>
internal sealed class Reused : IValue<Reused>
{
    private long _value;

    public static Func<Reused>? Create => static () => new Reused();

    public static long Get(in Reused? item) => item!._value;

    public static void Set(ref Reused? item, long value) => item!._value = value;
}
