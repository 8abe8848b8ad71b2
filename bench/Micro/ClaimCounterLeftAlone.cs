using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>What is it worth that consumers never read the counter that producers claim by?</summary>
/// <remarks>
/// A second thread looks for what is published: by the stamps alone, as the ring's stages do, or at the counter first, to
/// know how far to look. The counter is the line that producers fight for.
/// </remarks>
public unsafe class ClaimCounterLeftAlone
{
    private const int Publishes = 1024;
    private const int Capacity = 1 << 16;

    private readonly RingMemory _memory = new(CellPadding.LinePair);
    private readonly long* _claimed;
    private readonly long* _passed;
    private Availability _stamps = null!;
    private Partner _partner = null!;
    private long _limit;

    /// <summary>The cells, on lines of their own.</summary>
    public ClaimCounterLeftAlone()
    {
        _claimed = _memory.Take();
        _passed = _memory.Take();
    }

    /// <summary>Whether the consumer reads the counter before each scan.</summary>
    [Params(false, true)]
    public bool ConsumerReadsCounter { get; set; }

    /// <summary>Starts the consumer.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _stamps = new Availability(new RingMemory(CellPadding.None), Capacity, 0);
        _partner = new Partner(Consume);
    }

    /// <summary>Ends it.</summary>
    [GlobalCleanup]
    public void Cleanup() => _partner.Dispose();

    /// <summary>Claims by fetch-add and stamps.</summary>
    [Benchmark(OperationsPerInvoke = Publishes)]
    public void ClaimAndStamp()
    {
        for (int i = 0; i < Publishes; i++)
        {
            long sequence = Interlocked.Increment(ref *_claimed) - 1;
            while (sequence >= _limit) _limit = Volatile.Read(ref *_passed) + Capacity;
            _stamps.Publish(sequence, sequence);
        }
    }

    private void Consume()
    {
        long next = *_passed;
        for (int i = 0; i < 64; i++)
        {
            if (ConsumerReadsCounter && Volatile.Read(ref *_claimed) <= next) continue;
            long end = _stamps.ReadableEnd(next);
            if (end < next) continue;
            next = end + 1;
            Volatile.Write(ref *_passed, next);
        }
    }
}
