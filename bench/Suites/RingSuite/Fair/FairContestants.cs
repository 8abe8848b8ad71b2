using System.Collections.Concurrent;
using System.Threading.Channels;
using Raceway.Measuring;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>Queues of the case <c>mp-16-fair</c>, with their default settings.</summary>
internal static class FairContestants
{
    /// <summary>Ours and the peers'.</summary>
    public static IReadOnlyList<Func<IContestant>> All(RingShape shape) =>
        [() => new OfRing(shape), () => new OfChannel(shape), () => new OfCollection(shape)];

    private sealed class OfRing(RingShape shape) : FairContestant("raceway/default", shape)
    {
        private RingBuffer<long>? _ring;

        protected override void Begin()
        {
            _ring = new RingBuffer<long>(
                Shape.Capacity, new RingOptions<long> { Producers = ProducerKind.Multi, MaxProducers = Shape.Producers });
            _ring.Subscribe((ref long item) => Take(item));
            _ring.Start();
        }

        protected override Action<long> CreateProducer()
        {
            MultiProducer<long> producer = _ring!.CreateMultiProducer();
            return item => producer.Publish(item);
        }

        protected override void End()
        {
            _ring!.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
            _ring.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }

    // A thread of its own reads, as of the others.
    private sealed class OfChannel(RingShape shape) : FairContestant("channel-bounded", shape)
    {
        private Channel<long>? _channel;
        private Thread? _consumer;

        protected override void Begin()
        {
            Channel<long> channel = _channel = ChannelKinds.Bounded<long>(Shape.Capacity);
            _consumer = new Thread(() =>
            {
                while (channel.Reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
                    while (channel.Reader.TryRead(out long item)) Take(item);
            });
            _consumer.Start();
        }

        protected override Action<long> CreateProducer()
        {
            ChannelWriter<long> writer = _channel!.Writer;
            return item =>
            {
                if (!writer.TryWrite(item)) writer.WriteAsync(item).AsTask().GetAwaiter().GetResult();
            };
        }

        protected override void End()
        {
            _channel!.Writer.Complete();
            _consumer!.Join();
        }
    }

    private sealed class OfCollection(RingShape shape) : FairContestant("blocking-collection", shape)
    {
        private BlockingCollection<long>? _queue;
        private Thread? _consumer;

        protected override void Begin()
        {
            BlockingCollection<long> queue = _queue = new BlockingCollection<long>(Shape.Capacity);
            _consumer = new Thread(() =>
            {
                foreach (long item in queue.GetConsumingEnumerable()) Take(item);
            });
            _consumer.Start();
        }

        protected override Action<long> CreateProducer()
        {
            BlockingCollection<long> queue = _queue!;
            return item => queue.Add(item);
        }

        protected override void End()
        {
            _queue!.CompleteAdding();
            _consumer!.Join();
            _queue.Dispose();
        }
    }
}
