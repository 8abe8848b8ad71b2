using System.Diagnostics.CodeAnalysis;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>The receiving side: a channel with a consumer a partition; acknowledgements are sent by a loop of its own.</summary>
internal sealed class RabbitMqReceiver(RabbitMqOptions options, LinkAddress link, int prefetch, IFrameHandler handler)
    : RabbitMqPort(options, link), IFrameReceiver
{
    // Held while a frame is taken, and while a session begins: never both.
    private readonly SemaphoreSlim _taking = new(1, 1);

    // Held while consumers come and go.
    private readonly SemaphoreSlim _subscribing = new(1, 1);

    // What is subscribed to, and what brought it last: of this session, or one that is over.
    private readonly Dictionary<int, Consumer?> _consumers = [];
    private readonly List<Consumer> _ending = [];
    private readonly List<ulong> _parks = [];
    private readonly List<TaskCompletionSource> _flushes = [];
    private readonly TrialNotes _trials = new(options, link);
    private readonly int _suspectAfter = TrialLimit.SuspectAfter(options.DeliveryLimit);
    private bool _hasTried;

    // The partition of a frame that was tried and handled, until that is written down.
    private int? _handledTrial;
    private uint _parked;
    private ulong _acknowledge;
    private bool _isAnswering;

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

    public void Acknowledge(long session, ulong tag) => Answer(session, tag, park: false);

    public void Park(long session, ulong tag) => Answer(session, tag, park: true);

    public async ValueTask<FrameTrial> BeginTrialAsync(ReceivedFrame frame)
    {
        if (!IsCurrent(frame, out IConnection? connection, out IChannel? channel)) return FrameTrial.Lost;
        // Not on the thread of a stage, which may be the caller's.
        await Task.Yield();
        try
        {
            if (!_hasTried) _ = LiveAsync(connection);
            _hasTried = true;
            return await _trials.BeginAsync(connection, frame.Partition, frame.Body, Ended).ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            // The frame was not handed out: it has to come again.
            Lose(channel, $"a frame of partition {frame.Partition} cannot be tried: {RabbitMqErrors.Reason(fault)}");
            return FrameTrial.Lost;
        }
    }

    public async ValueTask EndTrialAsync(ReceivedFrame frame)
    {
        // Not on the thread of a stage, which may be the caller's.
        await Task.Yield();
        _handledTrial = frame.Partition;
        IConnection? connection;
        IChannel? channel;
        lock (Gate) (connection, channel) = (Connection, Channel);
        if (connection is null || channel is null) return;
        try
        {
            await EndTrialAsync(connection, Ended).ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            // With the next connection.
            Lose(channel, $"the trial of a frame of partition {frame.Partition} cannot be ended: {RabbitMqErrors.Reason(fault)}");
        }
    }

    public ValueTask FlushAsync()
    {
        lock (Gate)
        {
            if (!_isAnswering) return ValueTask.CompletedTask;
            var flush = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _flushes.Add(flush);
            return new ValueTask(flush.Task);
        }
    }

    protected override async ValueTask OnOpenedAsync(
        IConnection connection, IChannel channel, long session, CancellationToken cancellation)
    {
        if (_hasTried) _ = LiveAsync(connection);
        await channel.BasicQosAsync(0, (ushort)prefetch, global: false, cancellation).ConfigureAwait(false);
        await _taking.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            await EndTrialAsync(connection, cancellation).ConfigureAwait(false);
            handler.OnSession(session);
        }
        finally
        {
            _taking.Release();
        }
    }

    protected override async ValueTask OnReadyAsync(IChannel channel, long session)
    {
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

    // What other workers parked is told of by them; what the broker did, or nobody has looked after, by this.
    protected override void OnParked(uint count)
    {
        if (count > _parked) Tell(LinkEventKind.Parked, $"{count} frames are in the queue '{Link.ParkedQueue}'");
        _parked = count;
    }

    private bool IsCurrent(
        ReceivedFrame frame, [NotNullWhen(true)] out IConnection? connection, [NotNullWhen(true)] out IChannel? channel)
    {
        lock (Gate) (connection, channel) = frame.Session == Session ? (Connection, Channel) : default;
        return connection is not null && channel is not null;
    }

    private async Task EndTrialAsync(IConnection connection, CancellationToken cancellation)
    {
        if (_handledTrial is not { } partition) return;
        await _trials.EndAsync(connection, partition, cancellation).ConfigureAwait(false);
        _handledTrial = null;
    }

    private async Task LiveAsync(IConnection connection)
    {
        try
        {
            await _trials.LiveAsync(connection, Ended).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // With its connection lost: the next one says it again.
        }
    }

    // Whoever comes first in a session: who subscribes, or the session that begins. Nobody may give up half-way: there would be
    // a consumer that nobody knows of.
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
            Lose(channel, $"no frames of partition {partition}: {RabbitMqErrors.Reason(fault)}");
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

    // By version: how often it was returned, or handed out.
    private ReceivedFrame Marked(in ReceivedFrame frame, IDictionary<string, object?> headers) => frame with
    {
        IsSuspect = CountOf(headers, "x-delivery-count") >= _suspectAfter || CountOf(headers, "x-acquired-count") >= _suspectAfter,
        IsPutBack = headers.ContainsKey(ParkedFrames.PutBackHeader),
    };

    private static long CountOf(IDictionary<string, object?> headers, string name) =>
        headers.TryGetValue(name, out object? count) && count is long or int or short or byte ? Convert.ToInt64(count, null) : 0;

    private async Task TakeAsync(ReceivedFrame frame)
    {
        await _taking.WaitAsync().ConfigureAwait(false);
        try
        {
            // Of a channel that is lost: it comes again.
            if (frame.Session != Session) return;
            ValueTask taking = handler.OnFrameAsync(frame);
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
            if (consumer.Session == Session) await handler.OnUnsubscribedAsync(consumer.Partition).ConfigureAwait(false);
        }
        finally
        {
            _taking.Release();
            lock (Gate) _ending.Remove(consumer);
            consumer.Ended.TrySetResult();
        }
    }

    private void Answer(long session, ulong tag, bool park)
    {
        lock (Gate)
        {
            if (session != Session || Channel is null) return;
            if (park) _parks.Add(tag);
            else _acknowledge = Math.Max(_acknowledge, tag);
            if (_isAnswering) return;
            _isAnswering = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(static receiver => _ = receiver.AnswerAsync(), this, preferLocal: false);
    }

    private async Task AnswerAsync()
    {
        while (true)
        {
            IChannel? channel;
            ulong acknowledge;
            ulong[] parks;
            lock (Gate)
            {
                (channel, acknowledge, parks) = (Channel, _acknowledge, [.. _parks]);
                _acknowledge = 0;
                _parks.Clear();
                if (channel is null || (acknowledge == 0 && parks.Length == 0))
                {
                    _isAnswering = false;
                    foreach (TaskCompletionSource flush in _flushes) flush.TrySetResult();
                    _flushes.Clear();
                    return;
                }
            }

            try
            {
                // First those to be parked: an acknowledgement covers all up to its tag.
                foreach (ulong tag in parks) await channel.BasicRejectAsync(tag, requeue: false).ConfigureAwait(false);
                if (acknowledge != 0) await channel.BasicAckAsync(acknowledge, multiple: true).ConfigureAwait(false);
            }
            catch (Exception)
            {
                // With its channel lost: the frames come again, and are known.
            }
        }
    }

    private sealed class Consumer(RabbitMqReceiver receiver, IChannel channel, long session, int partition)
        : AsyncDefaultBasicConsumer(channel)
    {
        public long Session => session;

        public int Partition => partition;

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
            return receiver.TakeAsync(properties.IsHeadersPresent() ? receiver.Marked(frame, properties.Headers!) : frame);
        }

        public override async Task HandleBasicCancelOkAsync(string consumerTag, CancellationToken cancellationToken = default)
        {
            await receiver.EndAsync(this).ConfigureAwait(false);
            await base.HandleBasicCancelOkAsync(consumerTag, cancellationToken).ConfigureAwait(false);
        }

        public override Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
        {
            receiver.Lose(Channel, $"the queue of partition {partition} is gone");
            return base.HandleBasicCancelAsync(consumerTag, cancellationToken);
        }
    }
}
