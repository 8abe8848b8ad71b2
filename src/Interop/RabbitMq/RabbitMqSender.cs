using System.Diagnostics;
using System.Numerics;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Raceway.Interop.RabbitMq;

/// <summary>The sending side: publishes with confirms, which it counts itself.</summary>
internal sealed class RabbitMqSender : RabbitMqPort, IFrameSender
{
    private const int LongestPauseMilliseconds = 100;

    // After about a second: then at every doubling.
    private const int FirstDoubt = 16;

    private readonly SemaphoreSlim _publishing = new(1, 1);
    private readonly Sending[] _sendings;
    private readonly BasicProperties _properties = new() { DeliveryMode = DeliveryModes.Persistent };
    private readonly SenderLease? _lease;
    private TaskCompletionSource _connected = NewSignal();
    private bool _hadLease;
    private bool _isFenced;

    public RabbitMqSender(RabbitMqOptions options, LinkAddress link, LinkProducer? producer)
        : base(options, link)
    {
        // Twice a heartbeat, and what a busy broker takes for the rest.
        if (producer is { } one) _lease = new SenderLease(link, one, (2 * options.Heartbeat) + TimeSpan.FromSeconds(5), Fence);
        _sendings = [.. Queues.Select(_ => new Sending())];
    }

    // Confirms on, the client's tracking of them off: that costs five times the allocation, and its limiter slows us down.
    protected override CreateChannelOptions ChannelOptions { get; } = new(
        publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: false,
        outstandingPublisherConfirmationsRateLimiter: null);

    protected override bool IsOver => Volatile.Read(ref _isFenced);

    public async ValueTask<SendOutcome> SendAsync(int partition, ReadOnlyMemory<byte> frame)
    {
        if (IsOver) return SendOutcome.Fenced;
        Sending sending = _sendings[partition];
        Task<SendOutcome> outcome;
        IChannel? channel;
        await _publishing.WaitAsync().ConfigureAwait(false);
        try
        {
            long session;
            lock (Gate)
            {
                (channel, session) = (Channel, Session);
                if (channel is null) return SendOutcome.Lost;
                outcome = sending.Begin();
            }

            sending.Name(session, await channel.GetNextPublishSequenceNumberAsync(Ended).ConfigureAwait(false));
            // Mandatory: what no queue takes is confirmed all the same, and only said to have come back before that.
            await channel.BasicPublishAsync("", Queues[partition], mandatory: true, _properties, frame, Ended)
                .ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The channel's end says so to all that wait. This one may have been too late for it.
            sending.End(SendOutcome.Lost);
            return SendOutcome.Lost;
        }
        finally
        {
            _publishing.Release();
        }

        while (true)
        {
            long from = Stopwatch.GetTimestamp();
            try
            {
                return await outcome.WaitAsync(Options.ConfirmTimeout).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                // The connection may be well, and its broker have forgotten. Ends the frame as lost: it is sent again.
                if (!WasBlockedSince(from)) Lose(channel, $"no confirm in {Options.ConfirmTimeout.TotalSeconds:0.#} s");
            }
        }
    }

    public async ValueTask<bool> WaitToResendAsync(int partition, SendOutcome outcome, int attempt)
    {
        // Sent again, it is told so.
        if (IsOver) return true;
        try
        {
            if (outcome == SendOutcome.Refused)
            {
                int pause = Math.Min(LongestPauseMilliseconds, 1 << Math.Min(attempt, 10));
                await Task.Delay(pause, Ended).ConfigureAwait(false);
                if (attempt >= FirstDoubt && BitOperations.IsPow2(attempt)) await DoubtAsync(partition).ConfigureAwait(false);
            }

            Task connected;
            lock (Gate) connected = _connected.Task;
            await connected.WaitAsync(Ended).ConfigureAwait(false);
            return true;
        }
        catch (Exception) when (Ended.IsCancellationRequested)
        {
            return false;
        }
    }

    protected override async ValueTask OnOpenedAsync(
        IConnection connection, IChannel channel, long session, CancellationToken cancellation)
    {
        if (_lease is not null) await TakeLeaseAsync(_lease, connection, session, cancellation).ConfigureAwait(false);
        channel.BasicAcksAsync += (_, ack) => Settle(session, ack.DeliveryTag, ack.Multiple, SendOutcome.Confirmed);
        channel.BasicNacksAsync += (_, nack) => Settle(session, nack.DeliveryTag, nack.Multiple, SendOutcome.Refused);
        channel.BasicReturnAsync += (_, returned) => OnReturned(channel, returned);
    }

    protected override ValueTask OnReadyAsync(IChannel channel, long session)
    {
        // Not if it is lost already: a frame that waits to be sent again would not wait.
        lock (Gate)
            if (Channel == channel) _connected.TrySetResult();
        return ValueTask.CompletedTask;
    }

    protected override void OnLost()
    {
        lock (Gate)
            if (_connected.Task.IsCompleted && !_isFenced) _connected = NewSignal();
        foreach (Sending sending in _sendings) sending.End(SendOutcome.Lost);
    }

    private async Task TakeLeaseAsync(SenderLease lease, IConnection connection, long session, CancellationToken cancellation)
    {
        try
        {
            await lease.TakeAsync(connection, session, cancellation, Ended).ConfigureAwait(false);
            _hadLease = true;
        }
        catch (LinkTransportException) when (_hadLease)
        {
            Fence();
            throw;
        }
    }

    // Another sender has the streams: nothing more is sent, and a caller that waits to send again is told so.
    private void Fence()
    {
        IChannel? channel;
        lock (Gate)
        {
            if (_isFenced) return;
            Volatile.Write(ref _isFenced, true);
            channel = Channel;
        }

        if (channel is not null) Lose(channel, "another sender has the producer's lease");
        lock (Gate) _connected.TrySetResult();
    }

    // A full queue has frames in it. One that has none and refuses may have lost its leader as this channel was made: the broker
    // (3.10 at least) then asks the dead node for as long as it is away, and another channel finds the new leader.
    private async Task DoubtAsync(int partition)
    {
        IChannel? channel;
        lock (Gate) channel = _sendings[partition].IsOf(Session) ? Channel : null;
        // Another one was made since it refused.
        if (channel is null) return;
        try
        {
            if (await channel.MessageCountAsync(Queues[partition], Ended).ConfigureAwait(false) > 0) return;
        }
        catch (Exception fault) when (!Ended.IsCancellationRequested)
        {
            Lose(channel, $"partition {partition} takes nothing: {RabbitMqErrors.Reason(fault)}", fault);
            return;
        }

        Lose(channel, $"partition {partition} takes nothing and is empty");
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private Task Settle(long session, ulong number, bool multiple, SendOutcome outcome)
    {
        foreach (Sending sending in _sendings)
            if (sending.IsMeant(session, number, multiple)) sending.End(outcome);
        return Task.CompletedTask;
    }

    // The queue is gone: it is declared again with a new connection.
    private Task OnReturned(IChannel channel, BasicReturnEventArgs returned)
    {
        // Before its confirm, which must not be taken for one.
        LoseDeleted(channel, $"no queue '{returned.RoutingKey}'");
        return Task.CompletedTask;
    }

    /// <summary>The frame of a partition that is on its way.</summary>
    private sealed class Sending
    {
        private readonly object _gate = new();
        private TaskCompletionSource<SendOutcome>? _outcome;
        private long _session;
        private ulong _number;

        public Task<SendOutcome> Begin()
        {
            var outcome = new TaskCompletionSource<SendOutcome>(TaskCreationOptions.RunContinuationsAsynchronously);
            lock (_gate) (_outcome, _number) = (outcome, 0);
            return outcome.Task;
        }

        /// <summary>It has that number on the channel of that session.</summary>
        public void Name(long session, ulong number)
        {
            lock (_gate) (_session, _number) = (session, number);
        }

        /// <summary>Whether it was sent last in that session.</summary>
        public bool IsOf(long session)
        {
            lock (_gate) return _session == session;
        }

        /// <summary>Whether an answer of that session is for it.</summary>
        public bool IsMeant(long session, ulong number, bool multiple)
        {
            lock (_gate)
                return _outcome is not null && session == _session && _number != 0
                    && (_number == number || (multiple && _number < number));
        }

        public void End(SendOutcome outcome)
        {
            TaskCompletionSource<SendOutcome>? ending;
            lock (_gate) (ending, _outcome) = (_outcome, null);
            ending?.TrySetResult(outcome);
        }
    }
}
