using System.Runtime.InteropServices;

namespace Raceway.RabbitBench;

/// <summary>An item of 100 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 100)]
internal struct Item
{
    public const int Keys = 1024;

    [FieldOffset(0)]
    public long Number;

    [FieldOffset(8)]
    public int Key;

    public static Item At(long number) => new() { Number = number, Key = (int)(number % Keys) };
}

/// <summary>What arrived, compared with what was sent: count, sum, and the order of each key.</summary>
internal sealed class Arrivals(long expected)
{
    private readonly long[] _next = [.. Enumerable.Range(0, Item.Keys).Select(key => (long)key)];
    private long _sum;
    private long _count;

    public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public bool InOrder { get; private set; } = true;

    /// <summary>Whether it is all there, once, and in order.</summary>
    public bool IsRight => InOrder && _count == expected && _sum == expected * (expected - 1) / 2;

    public void Add(in Item item)
    {
        ref long next = ref _next[item.Key];
        InOrder &= item.Number == next;
        next = item.Number + Item.Keys;
        _sum += item.Number;
        if (++_count == expected) Done.TrySetResult();
    }
}
