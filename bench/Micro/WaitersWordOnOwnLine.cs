using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>What is it worth that the waiters' words do not share a line with the value?</summary>
/// <remarks>
/// A second thread reads the value all the time, as a stage does, and so takes the line away. The publisher then waits for
/// it to come back when it loads the waiters' word from it; its store alone would not wait.
/// </remarks>
public class WaitersWordOnOwnLine
{
    private const int Publishes = 1024;

    private Progress _cell = null!;
    private Partner _partner = null!;
    private long _next;

    /// <summary>Packed: on one line. A line pair apart: as the ring has them.</summary>
    [Params(CellPadding.None, CellPadding.LinePair)]
    public CellPadding Padding { get; set; }

    /// <summary>Starts the reader.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _cell = new Progress(new RingMemory(Padding), -1);
        _partner = new Partner(Read);
    }

    /// <summary>Ends it.</summary>
    [GlobalCleanup]
    public void Cleanup() => _partner.Dispose();

    /// <summary>The ring's own publish: store the value, load the waiters' word.</summary>
    [Benchmark(OperationsPerInvoke = Publishes)]
    public void Advance()
    {
        for (int i = 0; i < Publishes; i++) _cell.Advance(_next++);
    }

    private void Read()
    {
        for (int i = 0; i < 64; i++) _cell.ReadAcquire();
    }
}
