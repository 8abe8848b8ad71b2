using System.Runtime.CompilerServices;
using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>What does a class handler pay for a call an event, against a call a batch?</summary>
/// <remarks>One site calls several classes, as a stage's does in a program with several stages.</remarks>
public class ClassHandlerPerEventOrBatch
{
    private const int Items = 1024;

    private readonly long[] _items = [.. Enumerable.Range(0, Items).Select(i => (long)i)];
    private readonly IEventHandler<long>[] _events = [new Sum(), new Most(), new Parity()];
    private readonly IBatchHandler<long>[] _batches = [new Sum(), new Most(), new Parity()];
    private int _turn;

    /// <summary>An interface call an event.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void CallPerEvent() => Drive(_events[_turn = (_turn + 1) % _events.Length], _items);

    /// <summary>An interface call a batch, and a loop in the handler.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void CallPerBatch() => Drive(_batches[_turn = (_turn + 1) % _batches.Length], _items);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drive(IEventHandler<long> handler, long[] items)
    {
        for (int i = 0; i < items.Length; i++) handler.OnEvent(ref items[i], i, i == items.Length - 1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drive(IBatchHandler<long> handler, long[] items) => handler.OnBatch(new Batch<long>(items));

    private sealed class Sum : IEventHandler<long>, IBatchHandler<long>
    {
        private long _sum;

        public void OnEvent(ref long item, long sequence, bool endOfBatch) => _sum += item;

        public void OnBatch(Batch<long> batch)
        {
            long sum = _sum;
            foreach (ref long item in batch) sum += item;
            _sum = sum;
        }
    }

    private sealed class Most : IEventHandler<long>, IBatchHandler<long>
    {
        private long _most;

        public void OnEvent(ref long item, long sequence, bool endOfBatch) => _most = Math.Max(_most, item);

        public void OnBatch(Batch<long> batch)
        {
            long most = _most;
            foreach (ref long item in batch) most = Math.Max(most, item);
            _most = most;
        }
    }

    private sealed class Parity : IEventHandler<long>, IBatchHandler<long>
    {
        private long _bits;

        public void OnEvent(ref long item, long sequence, bool endOfBatch) => _bits ^= item;

        public void OnBatch(Batch<long> batch)
        {
            long bits = _bits;
            foreach (ref long item in batch) bits ^= item;
            _bits = bits;
        }
    }
}
