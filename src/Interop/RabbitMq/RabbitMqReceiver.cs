using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>The receiving side: a channel with a consumer a partition; acknowledgements are sent by a loop of its own.</summary>
internal sealed partial class RabbitMqReceiver : RabbitMqPort, IFrameReceiver
{
    private const string DeclaredAgain = "a queue of the link was declared again";

    private static readonly TimeSpan s_longestTerm = TimeSpan.FromSeconds(30);

    // Held while a frame is taken, and while a session begins: never both.
    private readonly SemaphoreSlim _taking = new(1, 1);

    // Held while consumers come and go.
    private readonly SemaphoreSlim _subscribing = new(1, 1);

    // What is subscribed to, and what brought it last: of this session, or one that is over.
    private readonly Dictionary<int, Consumer?> _consumers = [];
    private readonly List<Consumer> _ending = [];
    private readonly int _prefetch;
    private readonly IFrameHandler _handler;
    private volatile IChannel? _outdated;
    private uint _parked;

    public RabbitMqReceiver(RabbitMqOptions options, LinkAddress link, int prefetch, IFrameHandler handler)
        : base(options, link)
    {
        (_prefetch, _handler) = (prefetch, handler);
        _trials = new TrialNotes(options, link, Writer);
        _suspectAfter = TrialLimit.SuspectAfter(options.DeliveryLimit);
    }

    // One at a time over all consumers of the channel.
    protected override CreateChannelOptions ChannelOptions { get; } = new(
        publisherConfirmationsEnabled: false, publisherConfirmationTrackingEnabled: false,
        outstandingPublisherConfirmationsRateLimiter: null, consumerDispatchConcurrency: 1);

    public async ValueTask SubscribeAsync(int partition, CancellationToken cancellation = default)
    {
        await _subscribing.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            if (!_consumers.TryAdd(partition, null)) return;
            IChannel? channel;
            long session;
            lock (Gate) (channel, session) = (Channel, Session);
            // Without one, the next session has it.
            if (channel is not null) await ConsumeAsync(channel, session, partition).ConfigureAwait(false);
        }
        finally
        {
            _subscribing.Release();
        }
    }

    public async ValueTask UnsubscribeAsync(int partition, CancellationToken cancellation = default)
    {
        Consumer? consumer;
        await _subscribing.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            if (!_consumers.Remove(partition, out consumer) || consumer is null) return;
            IChannel channel;
            lock (Gate)
            {
                // With its channel lost it has ended.
                if (Channel is null || Session != consumer.Session) return;
                channel = Channel;
                _ending.Add(consumer);
            }

            await CancelAsync(channel, consumer).ConfigureAwait(false);
        }
        finally
        {
            _subscribing.Release();
        }

        // Frames that came before its end may still wait for their turn.
        await consumer.Ended.Task.WaitAsync(cancellation).ConfigureAwait(false);
    }

    protected override async ValueTask OnOpenedAsync(
        IConnection connection, IChannel channel, long session, CancellationToken cancellation)
    {
        if (_handler.NeedsTerms)
        {
            await PartitionTerms.DeclareAsync(connection, Link, Options, cancellation).ConfigureAwait(false);
            await ListenAsync(connection, session, cancellation).ConfigureAwait(false);
        }

        long declaredAt = DeclaredAt;
        await QueueNews.ListenAsync(
            connection, Link,
            news =>
            {
                if (!Deleted.Concern(news.Span, declaredAt)) return;
                _outdated = channel;
                Lose(channel, DeclaredAgain);
            },
            cancellation).ConfigureAwait(false);
        await channel.BasicQosAsync(0, (ushort)_prefetch, global: false, cancellation).ConfigureAwait(false);
    }

    protected override async ValueTask OnChosenAsync(
        IConnection connection, IChannel channel, long session, CancellationToken cancellation)
    {
        if (_hasTried) _ = LiveAsync(connection);
        await _taking.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            await EndTrialAsync(connection, channel, cancellation).ConfigureAwait(false);
            _handler.OnSession(session);
        }
        finally
        {
            _taking.Release();
        }
    }

    protected override async ValueTask OnReadyAsync(IChannel channel, long session)
    {
        // Heard before the channel was in use.
        if (_outdated == channel) Lose(channel, DeclaredAgain);
        await _subscribing.WaitAsync(Ended).ConfigureAwait(false);
        try
        {
            foreach (int partition in _consumers.Keys.ToArray())
                await ConsumeAsync(channel, session, partition).ConfigureAwait(false);
        }
        finally
        {
            _subscribing.Release();
        }
    }

    protected override void OnLost()
    {
        Consumer[] ending;
        lock (Gate)
        {
            _parks.Clear();
            _acknowledge = 0;
            ending = [.. _ending];
            _ending.Clear();
        }

        foreach (Consumer consumer in ending) consumer.Ended.TrySetResult();
    }

    // Other workers tell of what they parked. This tells of what the broker did, or what has no worker.
    protected override void OnParked(uint count)
    {
        if (count > _parked) Tell(LinkEventKind.Parked, $"{count} frames are in the queue '{Link.ParkedQueue}'");
        _parked = count;
    }

    // By the first of two: a call that subscribes, or the session that begins. Neither may give up half-way: there would be a
    // consumer that is not in the list.
    private async Task ConsumeAsync(IChannel channel, long session, int partition)
    {
        if (channel.IsClosed || _consumers[partition]?.Session == session) return;
        var consumer = new Consumer(this, channel, session, partition);
        _consumers[partition] = consumer;
        try
        {
            consumer.Tag = await channel
                .BasicConsumeAsync(Queues[partition], autoAck: false, "", noLocal: false, exclusive: false, null, consumer, Ended)
                .ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            Lose(channel, $"no frames of partition {partition}: {RabbitMqErrors.Reason(fault)}", fault);
        }
    }

    private async Task CancelAsync(IChannel channel, Consumer consumer)
    {
        try
        {
            await channel.BasicCancelAsync(consumer.Tag, noWait: false, Ended).ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            Lose(channel, $"partition {consumer.Partition} is not given up: {RabbitMqErrors.Reason(fault)}");
        }
    }

    private async Task TakeAsync(Consumer consumer, ReceivedFrame frame)
    {
        await _taking.WaitAsync().ConfigureAwait(false);
        try
        {
            // Of a channel that is lost: it comes again.
            if (frame.Session != Session) return;
            if (_handler.NeedsTerms)
            {
                if (consumer.Term == 0 && !await TryBeginTermAsync(consumer, frame).ConfigureAwait(false)) return;
                frame = frame with { Term = consumer.Term };
            }

            ValueTask taking = _handler.OnFrameAsync(frame);
            if (taking.IsCompleted)
            {
                await taking.ConfigureAwait(false);
                return;
            }

            await taking.ConfigureAwait(false);
            // It may end on the thread of a stage, which is not to deliver the next one.
            await Task.Yield();
        }
        finally
        {
            _taking.Release();
        }
    }

    // The broker has ended it, and sends nothing more: this comes behind all its frames.
    private async Task EndAsync(Consumer consumer)
    {
        await _taking.WaitAsync().ConfigureAwait(false);
        try
        {
            if (consumer.Session == Session) await _handler.OnUnsubscribedAsync(consumer.Partition).ConfigureAwait(false);
        }
        finally
        {
            _taking.Release();
            lock (Gate) _ending.Remove(consumer);
            consumer.Ended.TrySetResult();
        }
    }

    private sealed class Consumer(RabbitMqReceiver receiver, IChannel channel, long session, int partition)
        : AsyncDefaultBasicConsumer(channel)
    {
        public long Session => session;

        public int Partition => partition;

        /// <summary>The partition's term, from its first frame on.</summary>
        public long Term { get; set; }

        /// <summary>What the broker calls it.</summary>
        public string Tag { get; set; } = "";

        /// <summary>Nothing more of it is taken: the broker has ended it, or its channel is lost.</summary>
        public TaskCompletionSource Ended { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public override Task HandleBasicDeliverAsync(
            string consumerTag,
            ulong deliveryTag,
            bool redelivered,
            string exchange,
            string routingKey,
            IReadOnlyBasicProperties properties,
            ReadOnlyMemory<byte> body,
            CancellationToken cancellationToken = default)
        {
            var frame = new ReceivedFrame(session, deliveryTag, partition, redelivered, body);
            return receiver.TakeAsync(this, properties.IsHeadersPresent() ? receiver.Marked(frame, properties.Headers!) : frame);
        }

        public override async Task HandleBasicCancelOkAsync(string consumerTag, CancellationToken cancellationToken = default)
        {
            await receiver.EndAsync(this).ConfigureAwait(false);
            await base.HandleBasicCancelOkAsync(consumerTag, cancellationToken).ConfigureAwait(false);
        }

        public override Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
        {
            receiver.LoseDeleted(Channel, $"the queue of partition {partition} is gone");
            return base.HandleBasicCancelAsync(consumerTag, cancellationToken);
        }
    }
}
