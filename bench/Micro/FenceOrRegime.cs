using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>What does a publisher pay so that a stage may sleep on what it publishes?</summary>
/// <remarks>
/// No thread sleeps here: it is the price of the possibility. The regimes are the ring's own cell: calm, and parking for good,
/// without the count that ends it. Beside them the usual two: a full fence before the waiters are looked at, and a monitor.
/// </remarks>
public unsafe class FenceOrRegime
{
    private const int Publishes = 1024;

    private readonly RingMemory _memory = new(CellPadding.LinePair);
    private readonly Progress _calm;
    private readonly Progress _parking;
    private readonly long* _value;
    private readonly long* _waiters;
    private readonly object _monitor = new();
    private long _next;

    /// <summary>A cell for each way.</summary>
    public FenceOrRegime()
    {
        _calm = new Progress(_memory, -1);
        _parking = new Progress(_memory, -1, staysParking: true);
        _value = _memory.Take();
        _waiters = _memory.Take();
    }

    /// <summary>A store and a load.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Publishes)]
    public void CalmRegime()
    {
        for (int i = 0; i < Publishes; i++) _calm.Advance(_next++);
    }

    /// <summary>A call and a fence.</summary>
    [Benchmark(OperationsPerInvoke = Publishes)]
    public void ParkingRegime()
    {
        for (int i = 0; i < Publishes; i++) _parking.Advance(_next++);
    }

    /// <summary>A full fence between the store and the load.</summary>
    [Benchmark(OperationsPerInvoke = Publishes)]
    public long FencePerPublish()
    {
        long waiting = 0;
        for (int i = 0; i < Publishes; i++)
        {
            Volatile.Write(ref *_value, _next++);
            Interlocked.MemoryBarrier();
            waiting += Volatile.Read(ref *_waiters);
        }

        return waiting;
    }

    /// <summary>A monitor, pulsed.</summary>
    [Benchmark(OperationsPerInvoke = Publishes)]
    public void MonitorPerPublish()
    {
        for (int i = 0; i < Publishes; i++)
        {
            Monitor.Enter(_monitor);
            *_value = _next++;
            Monitor.PulseAll(_monitor);
            Monitor.Exit(_monitor);
        }
    }
}
