using System.Threading.Channels;
using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>What do claim, publish and consume cost, when no second thread is involved?</summary>
/// <remarks>
/// One thread publishes 1,024 items and then takes them, so that no cache line travels: the price of the code itself.
/// What two threads make of it is for <c>raceway compare --suite ring</c>.
/// </remarks>
[MemoryDiagnoser]
public class ClaimPublishConsume
{
    private const int Items = 1024;

    private readonly Channel<long> _channel = Channel.CreateBounded<long>(
        new BoundedChannelOptions(2 * Items) { SingleReader = true, SingleWriter = true });

    private readonly Sum _single = new();
    private readonly Sum _multi = new();
    private readonly Sum _inLane = new();
    private SingleProducer<long> _producer = null!;
    private SingleProducer<long> _laneProducer = null!;
    private MultiProducer<long> _multiProducer = null!;
    private Stage _stage = null!;
    private Stage _multiStage = null!;
    private Stage _laneStage = null!;

    /// <summary>Builds two rings. This thread steps their stages.</summary>
    [GlobalSetup]
    public void Setup()
    {
        var byCaller = new StageOptions { Drive = Drive.Caller, Dispatch = Dispatch.Batch(Items) };
        var ring = new RingBuffer<long>(2 * Items);
        _stage = ring.Subscribe(_single, byCaller);
        _producer = ring.CreateProducer();
        var multi = new RingBuffer<long>(2 * Items, new RingOptions<long> { Producers = ProducerKind.Multi });
        _multiStage = multi.Subscribe(_multi, byCaller);
        _multiProducer = multi.CreateMultiProducer();
        var sharded = new RingBuffer<long>(
            2 * Items, new RingOptions<long> { Producers = ProducerKind.Sharded, MaxProducers = 1 });
        _laneStage = sharded.Subscribe(_inLane, byCaller);
        _laneProducer = sharded.CreateProducer();
    }

    /// <summary>A bounded channel, TryWrite and TryRead.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public long BoundedChannel()
    {
        for (long i = 0; i < Items; i++) _channel.Writer.TryWrite(i);
        long sum = 0;
        while (_channel.Reader.TryRead(out long item)) sum += item;
        return sum;
    }

    /// <summary>The handle's own call, an item at a time.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public long SinglePublish()
    {
        for (long i = 0; i < Items; i++) _producer.Publish(i);
        _stage.Step();
        return _single.Value;
    }

    /// <summary>The handle opened for the loop: its state in registers.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public long SingleOpened()
    {
        using (OpenProducer<long> producer = _producer.Open())
        {
            for (long i = 0; i < Items; i++) producer.Publish(i);
        }

        _stage.Step();
        return _single.Value;
    }

    /// <summary>The same with each slot claimed, written and committed: one store more, the announcement of the claim.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public long SingleOpenedClaim()
    {
        using (OpenProducer<long> producer = _producer.Open())
        {
            for (long i = 0; i < Items; i++)
            {
                producer.Claim() = i;
                producer.Commit();
            }
        }

        _stage.Step();
        return _single.Value;
    }

    /// <summary>The same with claims of 16.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public long SingleOpenedClaimOf16()
    {
        using (OpenProducer<long> producer = _producer.Open())
        {
            long value = 0;
            for (int i = 0; i < Items; i += 16)
            {
                foreach (ref long slot in producer.Claim(16)) slot = value++;
                producer.Commit();
            }
        }

        _stage.Step();
        return _single.Value;
    }

    /// <summary>A lane of a sharded ring, opened for the loop; its items are merged before they are handled.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public long ShardedOpened()
    {
        using (OpenProducer<long> producer = _laneProducer.Open())
        {
            for (long i = 0; i < Items; i++) producer.Publish(i);
        }

        _laneStage.Step();
        return _inLane.Value;
    }

    /// <summary>Claims of 16.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public long SingleClaimOf16()
    {
        for (long i = 0; i < Items; i += 16)
        {
            using Claim<long> claim = _producer.Claim(16);
            long value = i;
            foreach (ref long slot in claim) slot = value++;
            claim.Commit();
        }

        _stage.Step();
        return _single.Value;
    }

    /// <summary>A multi-producer handle: credits and a fetch-add.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public long MultiPublish()
    {
        for (long i = 0; i < Items; i++) _multiProducer.Publish(i);
        _multiStage.Step();
        return _multi.Value;
    }

    private sealed class Sum : IBatchHandler<long>
    {
        public long Value { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            long sum = Value;
            foreach (ref long item in batch) sum += item;
            Value = sum;
        }
    }
}
