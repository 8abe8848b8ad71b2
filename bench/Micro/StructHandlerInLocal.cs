using System.Runtime.CompilerServices;
using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>What is it worth to keep a struct handler in a local while it handles a batch?</summary>
/// <remarks>
/// The loop of an event stage, without the ring. State in a field is loaded and stored an event; a local may stay in
/// registers. It has to be written back when the handler throws: the third loop does that as a stage does, in a finally.
/// Processors that hand a store to the next load of the same address at once show less of a difference.
/// </remarks>
public class StructHandlerInLocal
{
    private const int Items = 1024;

    private readonly long[] _items = [.. Enumerable.Range(0, Items).Select(i => (long)i)];
    private Totals _handler;

    /// <summary>The handler stays in the stage's field.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void InField()
    {
        ref long origin = ref _items[0];
        for (int i = 0; i < Items; i++) _handler.OnEvent(ref Unsafe.Add(ref origin, i), i, i == Items - 1);
    }

    /// <summary>In a local, copied back at the end.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void InLocal()
    {
        ref long origin = ref _items[0];
        Totals handler = _handler;
        for (int i = 0; i < Items; i++) handler.OnEvent(ref Unsafe.Add(ref origin, i), i, i == Items - 1);
        _handler = handler;
    }

    /// <summary>In a local, copied back in a finally.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void InLocalWithFinally()
    {
        ref long origin = ref _items[0];
        Totals handler = _handler;
        try
        {
            for (int i = 0; i < Items; i++) handler.OnEvent(ref Unsafe.Add(ref origin, i), i, i == Items - 1);
        }
        finally
        {
            _handler = handler;
        }
    }

    private struct Totals : IEventHandler<long>
    {
        private long _count;
        private long _sum;
        private long _most;

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            _count++;
            _sum += item * _count;
            _most = Math.Max(_most, item);
        }
    }
}
