using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>What does a cell pay for a neighbour that another thread writes?</summary>
/// <remarks>
/// Two threads count, each in a cell of its own, next to each other at the ring's three distances. Atomic increments: a plain
/// store goes into the store buffer, and hides that the line has to come back.
/// </remarks>
public unsafe class CellPaddingStudy
{
    private const int Increments = 1024;

    private RingMemory _memory = null!;
    private long* _mine;
    private Partner _partner = null!;

    /// <summary>How far apart the cells lie.</summary>
    [ParamsAllValues]
    public CellPadding Padding { get; set; }

    /// <summary>Takes two neighbours, and starts the other thread.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _memory = new RingMemory(Padding);
        _mine = _memory.Take();
        long* theirs = _memory.Take();
        _partner = new Partner(() => Count(theirs));
    }

    /// <summary>Ends the other thread.</summary>
    [GlobalCleanup]
    public void Cleanup() => _partner.Dispose();

    /// <summary>Counts.</summary>
    [Benchmark(OperationsPerInvoke = Increments)]
    public void Increment() => Count(_mine);

    private static void Count(long* cell)
    {
        for (int i = 0; i < Increments; i++) Interlocked.Increment(ref *cell);
    }
}
