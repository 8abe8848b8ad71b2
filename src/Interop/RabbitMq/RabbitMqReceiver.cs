using System.Diagnostics;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>The receiving side: a channel with a consumer a partition; acknowledgements are sent by a loop of its own.</summary>
internal sealed class RabbitMqReceiver(RabbitMqOptions options, LinkAddress link, int prefetch, IFrameHandler handler)
    : RabbitMqPort(options, link), IFrameReceiver
{
    private static readonly TimeSpan s_longestTerm = TimeSpan.FromSeconds(30);

    // Held while a frame is taken, and while a session begins: never both.
    private readonly SemaphoreSlim _taking = new(1, 1);

    // Held while consumers come and go.
    private readonly SemaphoreSlim _subscribing = new(1, 1);

    // What is subscribed to, and what brought it last: of this session, or one that is over.
    private readonly Dictionary<int, Consumer?> _consumers = [];
    private readonly List<Consumer> _ending = [];
    private readonly List<ulong> _parks = [];
    private readonly List<TaskCompletionSource> _flushes = [];
    private long _heardAt;
    private IConnection? _connectedBy;
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

    public bool IsHeld(long session) =>
        !handler.NeedsTerms
        || (session == Session && Stopwatch.GetElapsedTime(Volatile.Read(ref _heardAt)) < Heartbeat);

    public void Renew(long session)
    {
        IChannel? channel;
        lock (Gate) channel = session == Session ? Channel : null;
        if (channel is not null) Lose(channel, "its partitions may be another receiver's");
    }

    protected override async ValueTask OnOpenedAsync(
        IConnection connection, IChannel channel, long session, CancellationToken cancellation)
    {
        if (handler.NeedsTerms)
        {
            await PartitionTerms.DeclareAsync(connection, Link, Replicas, cancellation).ConfigureAwait(false);
            await ListenAsync(connection, session, cancellation).ConfigureAwait(false);
            _connectedBy = connection;
        }

        await channel.BasicQosAsync(0, (ushort)prefetch, global: false, cancellation).ConfigureAwait(false);
        await _taking.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
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

    private async Task TakeAsync(Consumer consumer, ReceivedFrame frame)
    {
        await _taking.WaitAsync().ConfigureAwait(false);
        try
        {
            // Of a channel that is lost: it comes again.
            if (frame.Session != Session) return;
            if (handler.NeedsTerms)
            {
                if (consumer.Term == 0 && !await TryBeginTermAsync(consumer).ConfigureAwait(false)) return;
                frame = frame with { Term = consumer.Term };
            }

            await handler.OnFrameAsync(frame).ConfigureAwait(false);
        }
        finally
        {
            _taking.Release();
        }
    }

    // With its first frame, not before: until then another receiver may have the partition.
    private async Task<bool> TryBeginTermAsync(Consumer consumer)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        limit.CancelAfter(s_longestTerm);
        try
        {
            consumer.Term = await PartitionTerms.NextAsync(_connectedBy!, Link, limit.Token).ConfigureAwait(false);
            return true;
        }
        catch (Exception fault)
        {
            Lose(consumer.Channel, $"no term for partition {consumer.Partition}: {RabbitMqErrors.Reason(fault)}");
            return false;
        }
    }

    // Asks the broker for a sign of life, so often that a late answer does no harm. It counts from when it was asked for: the
    // broker had heard of this receiver then, and keeps a connection of which it hears nothing for at least a heartbeat more.
    private async Task ListenAsync(IConnection connection, long session, CancellationToken cancellation)
    {
        IChannel channel = await connection.CreateChannelAsync(null, cancellation).ConfigureAwait(false);
        await AskAsync(channel, cancellation).ConfigureAwait(false);
        _ = AskOnAsync();

        async Task AskOnAsync()
        {
            using var timer = new PeriodicTimer(Heartbeat / 4);
            try
            {
                while (session == Session && await timer.WaitForNextTickAsync(Ended).ConfigureAwait(false))
                    await AskAsync(channel, Ended).ConfigureAwait(false);
            }
            catch (Exception)
            {
                // With its connection lost.
            }
        }
    }

    private async Task AskAsync(IChannel channel, CancellationToken cancellation)
    {
        long asked = Stopwatch.GetTimestamp();
        await channel.BasicQosAsync(0, 1, global: false, cancellation).ConfigureAwait(false);
        Volatile.Write(ref _heardAt, asked);
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
            CancellationToken cancellationToken = default) =>
            receiver.TakeAsync(this, new ReceivedFrame(session, deliveryTag, partition, redelivered, body));

        public override async Task HandleBasicCancelOkAsync(string consumerTag, CancellationToken cancellationToken = default)
        {
            await receiver.EndAsync(this).ConfigureAwait(false);
            await base.HandleBasicCancelOkAsync(consumerTag, cancellationToken).ConfigureAwait(false);
        }

        public override Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
        {
            receiver.ForgetDeclared();
            receiver.Lose(Channel, $"the queue of partition {partition} is gone");
            return base.HandleBasicCancelAsync(consumerTag, cancellationToken);
        }
    }
}
