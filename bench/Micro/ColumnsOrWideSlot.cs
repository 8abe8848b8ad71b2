using System.Runtime.CompilerServices;
using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>What does a stage pay for what only other stages need?</summary>
/// <remarks>
/// One stage goes over its 32 bytes of every item: once in a slot of 64, which it shares with another stage, once in
/// a column of its own. The ring is larger than the near caches, as one that takes up bursts is.
/// </remarks>
public class ColumnsOrWideSlot
{
    private const int Capacity = 1 << 17;

    private Slots<Both> _wide = null!;
    private Slots<Half> _column = null!;

    /// <summary>Builds the two rings.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _wide = new RingBuffer<Both>(Capacity).Slots;
        _column = new RingBuffer<Half>(Capacity).AddColumn<Half>();
    }

    /// <summary>One slot has what both stages need.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Capacity)]
    public long WideSlot()
    {
        long sum = 0;
        for (long sequence = 0; sequence < Capacity; sequence++) sum += Work(ref _wide[sequence][1]);
        return sum;
    }

    /// <summary>A column for each stage.</summary>
    [Benchmark(OperationsPerInvoke = Capacity)]
    public long OwnColumn()
    {
        long sum = 0;
        for (long sequence = 0; sequence < Capacity; sequence++) sum += Work(ref _column[sequence]);
        return sum;
    }

    private static long Work(ref Half half)
    {
        half[3] = half[0] + 1;
        return half[2];
    }

    [InlineArray(4)]
    private struct Half
    {
        private long _first;
    }

    // Its first half is the other stage's.
    [InlineArray(2)]
    private struct Both
    {
        private Half _first;
    }
}
