using System.Runtime.CompilerServices;
using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>What does a stage pay for lines that only another stage needs?</summary>
/// <remarks>
/// Two stages, one after the other over batches of 1,024, each using its own 64 bytes of an item: once in one slot of 128
/// bytes, once in two columns of 64. The ring is larger than the near caches, as one that takes up bursts is.
/// </remarks>
public class ColumnsOrWideSlot
{
    private const int Capacity = 1 << 16;
    private const int Batch = 1024;

    private Slots<Both> _wide = null!;
    private Slots<Half> _first = null!;
    private Slots<Half> _second = null!;

    /// <summary>Builds the two rings.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _wide = new RingBuffer<Both>(Capacity).Slots;
        var ring = new RingBuffer<Half>(Capacity);
        _first = ring.Slots;
        _second = ring.AddColumn<Half>();
    }

    /// <summary>One slot has what both stages need.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Capacity)]
    public long WideSlot()
    {
        long sum = 0;
        for (long first = 0; first < Capacity; first += Batch)
        {
            for (long sequence = first; sequence < first + Batch; sequence++) sum += Work(ref _wide[sequence].First);
            for (long sequence = first; sequence < first + Batch; sequence++) sum += Work(ref _wide[sequence].Second);
        }

        return sum;
    }

    /// <summary>A column for each stage.</summary>
    [Benchmark(OperationsPerInvoke = Capacity)]
    public long TwoColumns()
    {
        long sum = 0;
        for (long first = 0; first < Capacity; first += Batch)
        {
            for (long sequence = first; sequence < first + Batch; sequence++) sum += Work(ref _first[sequence]);
            for (long sequence = first; sequence < first + Batch; sequence++) sum += Work(ref _second[sequence]);
        }

        return sum;
    }

    private static long Work(ref Half half)
    {
        half[7] = half[0] + 1;
        return half[3];
    }

    [InlineArray(8)]
    private struct Half
    {
        private long _first;
    }

    private struct Both
    {
        public Half First;
        public Half Second;
    }
}
