using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Raceway.Interop.Distributed;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <content>What the broker is told of frames: their acknowledgements, their trials, and whether they are this receiver's.</content>
internal sealed partial class RabbitMqReceiver
{
    private readonly List<ulong> _parks = [];
    private readonly List<TaskCompletionSource> _flushes = [];
    private readonly TrialNotes _trials;
    private readonly int _suspectAfter;
    private bool _hasTried;

    // The partition of a frame that was tried and handled, until that is written down.
    private int? _handledTrial;
    private long _heardAt;
    private ulong _acknowledge;
    private bool _isAnswering;

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
            FrameTrial trial = FrameTrial.Lost;
            await RabbitMqNodes.WhileOpenAsync(
                channel,
                async ended => trial = await _trials.BeginAsync(connection, frame.Partition, frame.Body, ended).ConfigureAwait(false),
                Ended).ConfigureAwait(false);
            return trial;
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
            await EndTrialAsync(connection, channel, Ended).ConfigureAwait(false);
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

    public bool IsHeld(long session) =>
        !_handler.NeedsTerms
        || (session == Session && Stopwatch.GetElapsedTime(Volatile.Read(ref _heardAt)) < Options.Heartbeat);

    public void Renew(long session)
    {
        IChannel? channel;
        lock (Gate) channel = session == Session ? Channel : null;
        if (channel is not null) Lose(channel, "its partitions may be another receiver's");
    }

    private bool IsCurrent(
        ReceivedFrame frame, [NotNullWhen(true)] out IConnection? connection, [NotNullWhen(true)] out IChannel? channel)
    {
        lock (Gate) (connection, channel) = frame.Session == Session ? (Connection, Channel) : default;
        return connection is not null && channel is not null;
    }

    private async Task EndTrialAsync(IConnection connection, IChannel channel, CancellationToken cancellation)
    {
        if (_handledTrial is not { } partition) return;
        await RabbitMqNodes.WhileOpenAsync(channel, ended => _trials.EndAsync(connection, partition, ended), cancellation)
            .ConfigureAwait(false);
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

    // By version: how often it was returned, or handed out.
    private ReceivedFrame Marked(in ReceivedFrame frame, IDictionary<string, object?> headers) => frame with
    {
        IsSuspect = CountOf(headers, "x-delivery-count") >= _suspectAfter || CountOf(headers, "x-acquired-count") >= _suspectAfter,
        IsPutBack = headers.ContainsKey(ParkedFrames.PutBackHeader),
    };

    private static long CountOf(IDictionary<string, object?> headers, string name) =>
        headers.TryGetValue(name, out object? count) && count is long or int or short or byte ? Convert.ToInt64(count, null) : 0;

    // With its first frame, not before: until then another receiver may have the partition.
    private async Task<bool> TryBeginTermAsync(Consumer consumer, ReceivedFrame frame)
    {
        if (!IsCurrent(frame, out IConnection? connection, out _)) return false;
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        limit.CancelAfter(s_longestTerm);
        try
        {
            long term = 0;
            await RabbitMqNodes.WhileOpenAsync(
                consumer.Channel,
                async ended => term = await PartitionTerms.NextAsync(connection, Writer, Link, ended).ConfigureAwait(false),
                limit.Token).ConfigureAwait(false);
            consumer.Term = term;
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
        await AskAsync(channel, session, cancellation).ConfigureAwait(false);
        _ = AskOnAsync();

        async Task AskOnAsync()
        {
            using var timer = new PeriodicTimer(Options.Heartbeat / 4);
            try
            {
                while (session == Session && await timer.WaitForNextTickAsync(Ended).ConfigureAwait(false))
                    await AskAsync(channel, session, Ended).ConfigureAwait(false);
            }
            catch (Exception)
            {
                // With its connection lost.
            }
        }
    }

    private async Task AskAsync(IChannel channel, long session, CancellationToken cancellation)
    {
        long asked = Stopwatch.GetTimestamp();
        await channel.BasicQosAsync(0, 1, global: false, cancellation).ConfigureAwait(false);
        if (session == Session) Volatile.Write(ref _heardAt, asked);
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
}
