namespace Raceway.Interop.Distributed;

/// <summary>The sending side of a link in memory.</summary>
internal sealed class InMemorySender : InMemoryConnection, IFrameSender
{
    private readonly BrokerQueue[] _queues;
    private readonly LinkAddress _link;
    private readonly LinkProducer? _producer;
    private readonly Wire[] _frames;
    private readonly Wire[] _confirms;
    private readonly TaskCompletionSource<SendOutcome>?[] _sends;
    private List<TaskCompletionSource<bool>> _resends = [];
    private bool _isFenced;

    public InMemorySender(InMemoryBroker broker, BrokerQueue[] queues, LinkAddress link, LinkProducer? producer)
        : base(broker)
    {
        _queues = queues;
        _link = link;
        _producer = producer;
        _frames = [.. queues.Select(_ => NewWire(WireKind.Frames))];
        _confirms = [.. queues.Select(_ => NewWire(WireKind.Confirms))];
        _sends = new TaskCompletionSource<SendOutcome>?[queues.Length];
    }

    public ulong Epoch => _producer?.Epoch ?? 0;

    /// <summary>
    /// Takes the producer's lease, from a sender of an older epoch too; false if one of this or a newer epoch has it. With the
    /// lock held.
    /// </summary>
    public bool TryHold(out Action? fences)
    {
        fences = null;
        if (_producer is not { } producer) return true;
        InMemorySender? holder = Broker.HolderOf(_link, producer);
        if (holder?.Epoch >= Epoch) return false;
        fences = holder?.Fence();
        Broker.Hold(_link, producer, this);
        return true;
    }

    public ValueTask<SendOutcome> SendAsync(int partition, ReadOnlyMemory<byte> frame)
    {
        lock (Broker.Gate)
        {
            if (_isFenced) return ValueTask.FromResult(SendOutcome.Fenced);
            if (!IsConnected) return ValueTask.FromResult(SendOutcome.Lost);
            var send = new TaskCompletionSource<SendOutcome>();
            _sends[partition] = send;
            byte[] body = frame.ToArray();
            long session = Session;
            _frames[partition].Send(() => Arrive(partition, body, session, send));
            return new ValueTask<SendOutcome>(send.Task);
        }
    }

    public ValueTask<bool> WaitToResendAsync(int partition, SendOutcome outcome, int attempt)
    {
        lock (Broker.Gate)
        {
            // Sent again, it is told so.
            if (_isFenced) return ValueTask.FromResult(true);
            if (IsEnded) return ValueTask.FromResult(false);
            BrokerQueue queue = _queues[partition];
            if (outcome == SendOutcome.Lost ? IsConnected : !queue.IsFull) return ValueTask.FromResult(true);
            var resend = new TaskCompletionSource<bool>();
            _resends.Add(resend);
            if (outcome == SendOutcome.Refused) queue.WhenRoom(() => resend.TrySetResult(true));
            return new ValueTask<bool>(resend.Task);
        }
    }

    public ValueTask DisposeAsync()
    {
        Action? then;
        lock (Broker.Gate) then = Lose(forGood: true);
        then?.Invoke();
        return ValueTask.CompletedTask;
    }

    protected override Action? OnLost()
    {
        TaskCompletionSource<SendOutcome>[] sends = [.. _sends.OfType<TaskCompletionSource<SendOutcome>>()];
        Array.Clear(_sends);
        if (_producer is { } producer && Broker.HolderOf(_link, producer) == this) Broker.Hold(_link, producer, null);
        foreach (Wire wire in _frames) End(wire);
        foreach (Wire wire in _confirms) End(wire);
        List<TaskCompletionSource<bool>> resends = IsEnded ? TakeResends() : [];
        bool again = _isFenced;
        return () =>
        {
            foreach (TaskCompletionSource<SendOutcome> send in sends) send.TrySetResult(SendOutcome.Lost);
            foreach (TaskCompletionSource<bool> resend in resends) resend.TrySetResult(again);
        };
    }

    protected override Action? OnConnected()
    {
        if (!TryHold(out Action? fences)) return Fence();
        List<TaskCompletionSource<bool>> resends = TakeResends();
        return fences + (() =>
        {
            foreach (TaskCompletionSource<bool> resend in resends) resend.TrySetResult(true);
        });
    }

    private Action? Fence()
    {
        _isFenced = true;
        return Lose(forGood: true);
    }

    private void End(Wire wire)
    {
        wire.Clear();
        if (IsEnded) Broker.Remove(wire);
    }

    private List<TaskCompletionSource<bool>> TakeResends()
    {
        List<TaskCompletionSource<bool>> resends = _resends;
        _resends = [];
        return resends;
    }

    // A frame that strays in after its connection's end is taken all the same, but its sender is not told.
    private Action? Arrive(int partition, byte[] body, long session, TaskCompletionSource<SendOutcome> send)
    {
        SendOutcome outcome = _queues[partition].TryAdd(body) ? SendOutcome.Confirmed : SendOutcome.Refused;
        if (session != Session || !IsConnected || _sends[partition] != send) return null;
        _confirms[partition].Send(() =>
        {
            // A frame that came twice is confirmed twice.
            if (_sends[partition] == send) _sends[partition] = null;
            return () => send.TrySetResult(outcome);
        });
        return null;
    }
}
