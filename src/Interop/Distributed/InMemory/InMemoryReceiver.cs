namespace Raceway.Interop.Distributed;

/// <summary>The receiving side of a link in memory.</summary>
internal sealed class InMemoryReceiver : InMemoryConnection, IFrameReceiver
{
    private readonly BrokerQueue[] _queues;
    private readonly int _prefetch;
    private readonly IFrameHandler _handler;
    private readonly Wire _deliveries;
    private readonly Wire _acknowledgements;
    private readonly SortedSet<int> _subscribed = [];
    private readonly Dictionary<int, BrokerQueue.Consumer> _consumers = [];
    private readonly List<Unacknowledged> _unacknowledged = [];
    private readonly List<TaskCompletionSource> _flushes = [];
    private BrokerQueue.Message? _trying;
    private bool _hasHandledTried;
    private ulong _tag;
    private bool _isOpen;

    public InMemoryReceiver(InMemoryBroker broker, BrokerQueue[] queues, int prefetch, IFrameHandler handler)
        : base(broker)
    {
        _queues = queues;
        _prefetch = prefetch;
        _handler = handler;
        _deliveries = NewWire(WireKind.Deliveries);
        _acknowledgements = NewWire(WireKind.Acknowledgements);
    }

    public ValueTask SubscribeAsync(int partition, CancellationToken cancellation = default)
    {
        lock (Broker.Gate)
            if (!IsEnded && _subscribed.Add(partition) && _isOpen) Consume(partition);
        return ValueTask.CompletedTask;
    }

    public ValueTask UnsubscribeAsync(int partition, CancellationToken cancellation = default)
    {
        lock (Broker.Gate)
        {
            _subscribed.Remove(partition);
            if (!_consumers.Remove(partition, out BrokerQueue.Consumer? consumer)) return ValueTask.CompletedTask;
            _queues[partition].Cancel(consumer);
            TaskCompletionSource ended = NewFlush();
            // What is on its way still comes before it.
            _deliveries.Send(() =>
            {
                _deliveries.BeginBusy();
                return () => _ = HandAsync(() => _handler.OnUnsubscribedAsync(partition), ended);
            });
            return new ValueTask(ended.Task.WaitAsync(cancellation));
        }
    }

    public void Acknowledge(long session, ulong tag) =>
        Answer(session, () => Take(one => one.Tag != 0 && one.Tag <= tag, park: false));

    public void Park(long session, ulong tag) => Answer(session, () => Take(one => one.Tag == tag, park: true));

    public ValueTask<FrameTrial> BeginTrialAsync(ReceivedFrame frame)
    {
        lock (Broker.Gate)
        {
            Unacknowledged? held = Find(frame);
            if (held is null) return ValueTask.FromResult(FrameTrial.Lost);
            int ended = held.Message.Tried.Count(static one => one.IsEnded);
            if (ended >= TrialLimit.MostEnded(Broker.Options.DeliveryLimit)) return ValueTask.FromResult(FrameTrial.Exhausted);
            held.Message.Tried.Add(this);
            _trying = held.Message;
            return ValueTask.FromResult(FrameTrial.Begun);
        }
    }

    public ValueTask EndTrialAsync(ReceivedFrame frame)
    {
        lock (Broker.Gate)
        {
            _hasHandledTried = true;
            EndTrial();
        }

        return ValueTask.CompletedTask;
    }

    public ValueTask FlushAsync()
    {
        lock (Broker.Gate)
        {
            if (_acknowledgements.IsEmpty || !IsConnected) return ValueTask.CompletedTask;
            TaskCompletionSource flush = NewFlush();
            _acknowledgements.Send(() => () => flush.TrySetResult());
            return new ValueTask(flush.Task);
        }
    }

    // As from afar: a loss is seen when it is connected again.
    public bool IsHeld(long session)
    {
        lock (Broker.Gate) return session == Session && !IsEnded;
    }

    public void Renew(long session)
    {
        Action? then = null;
        lock (Broker.Gate)
            if (session == Session) then = Lose(forGood: false);
        then?.Invoke();
    }

    public ValueTask DisposeAsync()
    {
        Action? then;
        lock (Broker.Gate) then = Lose(forGood: true);
        then?.Invoke();
        return ValueTask.CompletedTask;
    }

    /// <summary>The broker has a frame for it.</summary>
    public void Take(BrokerQueue.Consumer consumer, BrokerQueue queue, BrokerQueue.Message message)
    {
        var taken = new Unacknowledged(consumer, queue, message);
        _unacknowledged.Add(taken);
        _deliveries.Send(() => Deliver(taken));
    }

    protected override Action? OnLost()
    {
        _isOpen = false;
        _tag = 0;
        _deliveries.Clear();
        _acknowledgements.Clear();
        if (IsEnded)
        {
            Broker.Remove(_deliveries);
            Broker.Remove(_acknowledgements);
        }

        IGrouping<BrokerQueue.Consumer, Unacknowledged>[] all = [.. _unacknowledged.GroupBy(static one => one.Consumer)];
        foreach (IGrouping<BrokerQueue.Consumer, Unacknowledged> held in all)
            held.First().Queue.Return(held.Key, held.Select(static one => one.Message));
        _unacknowledged.Clear();
        foreach ((int partition, BrokerQueue.Consumer consumer) in _consumers) _queues[partition].Cancel(consumer);
        _consumers.Clear();
        return EndFlushes();
    }

    protected override Action? OnConnected()
    {
        EndTrial();
        // Between frames, not during one.
        if (_deliveries.IsBusy) return null;
        long session = Session;
        return () => Open(session);
    }

    /// <summary>Tells the handler of a session, and has partitions delivered from then on.</summary>
    public void Open(long session)
    {
        _handler.OnSession(session);
        lock (Broker.Gate)
        {
            if (session != Session || !IsConnected) return;
            _isOpen = true;
            foreach (int partition in _subscribed) Consume(partition);
        }
    }

    private void Consume(int partition)
    {
        var consumer = new BrokerQueue.Consumer(this, partition, _prefetch);
        _consumers.Add(partition, consumer);
        _queues[partition].Add(consumer);
    }

    // Numbered as they arrive: acknowledging counts on that.
    private Action? Deliver(Unacknowledged taken)
    {
        taken.Tag = ++_tag;
        BrokerQueue.Message message = taken.Message;
        var frame = new ReceivedFrame(Session, taken.Tag, taken.Consumer.Partition, message.Deliveries > 0, message.Body)
        {
            Term = taken.Consumer.Term,
            IsSuspect = message.Deliveries >= TrialLimit.SuspectAfter(Broker.Options.DeliveryLimit),
        };
        _deliveries.BeginBusy();
        return () => _ = HandAsync(() => _handler.OnFrameAsync(frame));
    }

    // On the thread of the caller that moves things on. Nothing catches an exception there.
    private async Task HandAsync(Func<ValueTask> hand, TaskCompletionSource? ended = null)
    {
        try
        {
            await hand().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // Not acknowledged: it comes again with another session.
        }
        finally
        {
            EndDelivery();
            ended?.TrySetResult();
        }
    }

    private void EndDelivery()
    {
        Action? then = null;
        lock (Broker.Gate)
        {
            _deliveries.EndBusy();
            if (IsConnected && !_isOpen) then = OnConnected();
        }

        then?.Invoke();
    }

    private void Answer(long session, Func<Action?> answer)
    {
        lock (Broker.Gate)
            if (session == Session && IsConnected) _acknowledgements.Send(answer);
    }

    // A frame that one receiver has handled does not end receivers. Without a connection, that is said with the next one.
    private void EndTrial()
    {
        if (!_hasHandledTried || !IsConnected) return;
        _trying?.Tried.Clear();
        (_trying, _hasHandledTried) = (null, false);
    }

    private Unacknowledged? Find(ReceivedFrame frame) =>
        frame.Session == Session && IsConnected ? _unacknowledged.Find(one => one.Tag == frame.Tag) : null;

    private Action? Take(Predicate<Unacknowledged> which, bool park)
    {
        List<Unacknowledged> done = _unacknowledged.FindAll(which);
        _unacknowledged.RemoveAll(which);
        Action? then = null;
        foreach (Unacknowledged one in done)
        {
            one.Consumer.Unacknowledged--;
            then += park ? one.Queue.Park(one.Message) : one.Queue.Remove(one.Message);
        }

        return then;
    }

    private TaskCompletionSource NewFlush()
    {
        var flush = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _flushes.RemoveAll(static one => one.Task.IsCompleted);
        _flushes.Add(flush);
        return flush;
    }

    private Action? EndFlushes()
    {
        TaskCompletionSource[] flushes = [.. _flushes];
        _flushes.Clear();
        return () =>
        {
            foreach (TaskCompletionSource flush in flushes) flush.TrySetResult();
        };
    }

    private sealed record Unacknowledged(BrokerQueue.Consumer Consumer, BrokerQueue Queue, BrokerQueue.Message Message)
    {
        /// <summary>Its number; 0 until it has arrived.</summary>
        public ulong Tag { get; set; }
    }
}
