namespace Raceway.Interop.Distributed;

/// <summary>How one process reaches an <see cref="InMemoryBroker"/>.</summary>
public sealed class InMemoryTransport : ILinkTransport
{
    private readonly InMemoryBroker _broker;
    private readonly List<InMemoryConnection> _connections = [];

    internal InMemoryTransport(InMemoryBroker broker) => _broker = broker;

    /// <inheritdoc/>
    public ValueTask<IFrameSender> OpenSenderAsync(
        LinkAddress link, LinkProducer? producer = null, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(link);
        InMemorySender sender;
        Action? fences;
        lock (_broker.Gate)
        {
            BrokerQueue[] queues = _broker.QueuesOf(link);
            sender = new InMemorySender(_broker, queues, link, producer);
            if (!sender.TryHold(out fences)) throw LinkErrors.Fenced(link.Name, producer!.Value);
            _connections.Add(sender);
        }

        fences?.Invoke();
        return ValueTask.FromResult<IFrameSender>(sender);
    }

    /// <inheritdoc/>
    public ValueTask<IFrameReceiver> OpenReceiverAsync(
        LinkAddress link, int prefetch, IFrameHandler handler, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(link);
        ArgumentNullException.ThrowIfNull(handler);
        InMemoryReceiver receiver;
        lock (_broker.Gate)
        {
            receiver = new InMemoryReceiver(_broker, _broker.QueuesOf(link), prefetch, handler);
            _connections.Add(receiver);
        }

        receiver.Open(receiver.Session);
        return ValueTask.FromResult<IFrameReceiver>(receiver);
    }

    /// <summary>Loses all its connections; they are made again.</summary>
    public void Disconnect() => Lose(forGood: false);

    /// <summary>The process dies: its connections are lost for good, without a word.</summary>
    public void Kill() => Lose(forGood: true);

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        Kill();
        return ValueTask.CompletedTask;
    }

    private void Lose(bool forGood)
    {
        Action? then = null;
        lock (_broker.Gate)
            foreach (InMemoryConnection connection in _connections) then += connection.Lose(forGood);
        then?.Invoke();
    }
}

/// <summary>A connection that can be lost, and is made again. With the broker's lock held.</summary>
internal abstract class InMemoryConnection
{
    private readonly Wire _connecting;

    protected InMemoryConnection(InMemoryBroker broker)
    {
        Broker = broker;
        _connecting = broker.NewWire(WireKind.Connecting);
    }

    public long Session { get; private set; } = 1;

    protected InMemoryBroker Broker { get; }

    protected bool IsConnected { get; private set; } = true;

    protected bool IsEnded { get; private set; }

    /// <summary>The connection is lost; returns what to do without the lock.</summary>
    public Action? Lose(bool forGood)
    {
        if (IsEnded) return null;
        IsEnded = forGood;
        if (forGood)
        {
            _connecting.Clear();
            Broker.Remove(_connecting);
        }

        if (!IsConnected) return forGood ? OnLost() : null;
        IsConnected = false;
        Action? then = OnLost();
        if (!forGood) _connecting.Send(Connect);
        return then;
    }

    protected Wire NewWire(WireKind kind)
    {
        Wire wire = Broker.NewWire(kind);
        wire.OnLost = () => Lose(forGood: false);
        return wire;
    }

    /// <summary>What the loss means; also, once more, the end of a connection that was lost before.</summary>
    protected abstract Action? OnLost();

    protected abstract Action? OnConnected();

    private Action? Connect()
    {
        if (IsEnded) return null;
        IsConnected = true;
        Session++;
        return OnConnected();
    }
}
