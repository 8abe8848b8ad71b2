using System.Buffers;
using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>Where should the bytes of an item come from?</summary>
/// <remarks>
/// From a buffer that stays with the slot, or rented by the producer's thread and returned by the stage's. Both fill the same
/// 512 bytes and read one.
/// </remarks>
[MemoryDiagnoser]
public class SlotBuffersOrRent
{
    private const int Items = 4096;
    private const int Capacity = 1024;

    private readonly byte[] _source = new byte[512];
    private RingBuffer<Kept> _kept = null!;
    private RingBuffer<byte[]> _rented = null!;
    private SingleProducer<Kept> _keptProducer = null!;
    private SingleProducer<byte[]> _rentedProducer = null!;

    /// <summary>Starts a ring with a stage for each.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _kept = new RingBuffer<Kept>(Capacity, new RingOptions<Kept> { Payload = static (ref Kept item) => ref item.Bytes });
        _kept.Slots.SubscribeBatches(default(ReadKept));
        _rented = new RingBuffer<byte[]>(Capacity);
        _rented.Slots.SubscribeBatches(default(ReturnRented));
        _kept.Start();
        _rented.Start();
        _keptProducer = _kept.CreateProducer();
        _rentedProducer = _rented.CreateProducer();
    }

    /// <summary>Ends them.</summary>
    [GlobalCleanup]
    public void Cleanup()
    {
        _kept.DisposeAsync().AsTask().Wait();
        _rented.DisposeAsync().AsTask().Wait();
    }

    /// <summary>Rented here, returned there.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public void RentAndReturn()
    {
        for (int i = 0; i < Items; i++)
        {
            byte[] buffer = ArrayPool<byte>.Shared.Rent(_source.Length);
            _source.CopyTo(buffer, 0);
            _rentedProducer.Publish(buffer);
        }
    }

    /// <summary>The slot's own.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public void KeptWithTheSlot()
    {
        for (int i = 0; i < Items; i++) _keptProducer.PublishPayload(_source, 0, static (ref Kept _, int _) => { });
    }

    private struct Kept
    {
        public Payload Bytes;
    }

    private struct ReadKept : IBatchHandler<Kept>
    {
        private long _sum;

        public void OnBatch(Batch<Kept> batch)
        {
            foreach (ref Kept item in batch) _sum += item.Bytes.Span[0];
        }
    }

    private struct ReturnRented : IBatchHandler<byte[]>
    {
        private long _sum;

        public void OnBatch(Batch<byte[]> batch)
        {
            foreach (ref byte[] item in batch)
            {
                _sum += item[0];
                ArrayPool<byte>.Shared.Return(item);
            }
        }
    }
}
