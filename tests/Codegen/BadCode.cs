using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Codegen;

/// <summary>What hot code must not contain, one kind a method: the gate is shown to see each of them.</summary>
internal static class BadCode
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void StoreIntoArray(object[] array, object item) => array[0] = item;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ref object AddressInArray(object[] array) => ref array[0];

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static bool TestType(object item) => item is IStageLifetime;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static IStageLifetime? CastType(object? item) => (IStageLifetime?)item;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static object LookUp<T>() => new List<T>();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void CallInterface(IEventHandler<long> handler, ref long item)
    {
        handler.OnEvent(ref item, 0, true);
        item++;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void CallInterfaceLast(IEventHandler<long> handler, ref long item) => handler.OnEvent(ref item, 0, true);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int CallVirtual(object item) => item.GetHashCode() + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static object Box(long value) => value;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Clear(Span<long> items) => items.Clear();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Copy(Span<long> from, Span<long> to) => from.CopyTo(to);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void StoreReference(Item[] items, Item item) => items[0] = item;

    public static void Run(Item item)
    {
        object[] array = [item, item];
        long[] values = [1, 2];
        var handler = new EventSumClass();
        StoreIntoArray(array, item);
        AddressInArray(array) = item;
        TestType(item);
        CastType(null);
        LookUp<Item>();
        CallInterface(handler, ref values[0]);
        CallInterfaceLast(handler, ref values[0]);
        CallVirtual(item);
        Box(values[0]);
        Clear(values.AsSpan(1));
        Copy(values.AsSpan(0, 1), values.AsSpan(1));
        StoreReference([item], item);
    }
}
