using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>What does it cost a sender to build its message right before it copies it?</summary>
/// <remarks>
/// Both send 100 bytes and read one. The first one fills a local in stores of 4 to 32 bytes and copies it at once: a load of 64
/// bytes over several of those stores cannot take its bytes from the store buffer, and waits until they have reached the cache,
/// with every store before them. Those go to lines that the stage's core has. The second one copies bytes that were written
/// long before, and stores the number into the copy.
/// </remarks>
public class WideLoadBehindSmallStores
{
    private const int Items = 4096;
    private const int Length = 100;

    private readonly byte[] _text = new byte[Length];
    private RingBuffer<Message> _ring = null!;
    private SingleProducer<Message> _producer = null!;

    /// <summary>Starts a ring with a stage.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _ring = new RingBuffer<Message>(65_536, new RingOptions<Message> { Payload = static (ref Message item) => ref item.Bytes });
        _ring.Slots.SubscribeBatches(default(ReadFirst));
        _ring.Start();
        _producer = _ring.CreateProducer();
    }

    /// <summary>Ends them.</summary>
    [GlobalCleanup]
    public void Cleanup() => _ring.DisposeAsync().AsTask().Wait();

    /// <summary>Built in a local, then copied.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void BuiltThenCopied()
    {
        using OpenProducer<Message> open = _producer.Open();
        for (int i = 0; i < Items; i++)
        {
            Built built = Built.Of(i);
            open.Claim().Bytes.Write(built);
            open.Commit();
        }
    }

    /// <summary>Written long before, copied, and the number over it.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void CopiedThenStamped()
    {
        using OpenProducer<Message> open = _producer.Open();
        for (int i = 0; i < Items; i++)
        {
            Span<byte> bytes = open.Claim().Bytes.Reserve(Length);
            _text.CopyTo(bytes);
            MemoryMarshal.Write(bytes, (long)i);
            open.Commit();
        }
    }

    private struct Message
    {
        public Payload Bytes;
    }

    [InlineArray(Length)]
    private struct Built
    {
        private byte _first;

        public static Built Of(long item)
        {
            Unsafe.SkipInit(out Built built);
            Span<byte> bytes = built;
            MemoryMarshal.Cast<byte, long>(bytes[..96]).Fill(item);
            MemoryMarshal.Write(bytes[96..], (int)item);
            return built;
        }
    }

    private struct ReadFirst : IBatchHandler<Message>
    {
        private long _sum;

        public void OnBatch(Batch<Message> batch)
        {
            foreach (ref Message item in batch) _sum += item.Bytes.Span[0];
        }
    }
}
