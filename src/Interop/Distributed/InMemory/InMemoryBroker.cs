namespace Raceway.Interop.Distributed;

/// <summary>A broker in this process, with the contract of the real ones: for tests, and to simulate what may go wrong.</summary>
/// <remarks>
/// <para>Everything that travels (frames, confirms, deliveries, acknowledgements, connecting) is put on a wire first. Either the
/// broker moves it on by itself, in order; or the caller does, one thing at a time, in any order and with any fault
/// (<see cref="InMemoryBrokerOptions.IsStepped"/>): then nothing here uses a thread or a clock, and a run repeats exactly.</para>
/// <para><b>Threads</b>: every member by any thread.</para>
/// </remarks>
/// <example>
/// <code>
/// var broker = new InMemoryBroker(new() { IsStepped = true });
/// await using InMemoryTransport transport = broker.Connect();
/// // Give the transport to a SplitPipeline, then move what travels, in an order of the test's own:
/// while (broker.Movable > 0) broker.Move(0);
/// </code>
/// </example>
public sealed class InMemoryBroker
{
    private readonly object _gate = new();
    private readonly Dictionary<string, BrokerQueue[]> _links = [];
    private readonly Dictionary<string, List<byte[]>> _parked = [];
    private readonly Dictionary<(string Link, ulong Producer), InMemorySender> _holders = [];
    private readonly List<Wire> _wires = [];
    private bool _isMoving;

    /// <summary>An empty one.</summary>
    /// <param name="options">Its limits; null for the defaults.</param>
    public InMemoryBroker(InMemoryBrokerOptions? options = null)
    {
        Options = options ?? new InMemoryBrokerOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(Options.DeliveryLimit, 1, "DeliveryLimit");
        ArgumentOutOfRangeException.ThrowIfLessThan(Options.MaxQueueBytes, 1, "MaxQueueBytes");
    }

    /// <summary>How many things could be moved on next.</summary>
    public int Movable
    {
        get
        {
            lock (_gate) return _wires.Count(static wire => wire.IsMovable);
        }
    }

    /// <summary>Frames in queues, delivered or not, over all links.</summary>
    public int Stored
    {
        get
        {
            lock (_gate) return _links.Values.Sum(static queues => queues.Sum(static queue => queue.Stored));
        }
    }

    /// <summary>The most bytes that a queue ever held.</summary>
    public long MostBytes
    {
        get
        {
            lock (_gate) return _links.Values.SelectMany(static queues => queues).Select(static queue => queue.MostBytes)
                .DefaultIfEmpty().Max();
        }
    }

    internal InMemoryBrokerOptions Options { get; }

    internal object Gate => _gate;

    /// <summary>What a process connects by; each has one of its own.</summary>
    public InMemoryTransport Connect() => new(this);

    /// <summary>The frames of a link that were put aside.</summary>
    public IReadOnlyList<byte[]> ParkedOf(LinkAddress link)
    {
        ArgumentNullException.ThrowIfNull(link);
        lock (_gate) return _parked.TryGetValue(link.ParkedQueue, out List<byte[]>? frames) ? [.. frames] : [];
    }

    /// <summary>Moves one of the <see cref="Movable"/> things on, or has something happen to it instead.</summary>
    /// <param name="index">Which: 0 to <see cref="Movable"/> less 1.</param>
    /// <param name="fault">What happens to it.</param>
    /// <returns>Whether that fault can happen to it; where it cannot, nothing has happened.</returns>
    public bool Move(int index, WireFault fault = WireFault.None)
    {
        Action? then;
        lock (_gate)
        {
            Wire wire = _wires.Where(static one => one.IsMovable).ElementAt(index);
            if (!wire.Accepts(fault)) return false;
            then = wire.Move(fault);
        }

        then?.Invoke();
        return true;
    }

    // The rest with the lock held.
    internal Wire NewWire(WireKind kind)
    {
        var wire = new Wire(this, kind);
        _wires.Add(wire);
        return wire;
    }

    internal void Remove(Wire wire) => _wires.Remove(wire);

    /// <summary>The sender that has the lease of a producer, if one has it.</summary>
    internal InMemorySender? HolderOf(LinkAddress link, LinkProducer producer) =>
        _holders.GetValueOrDefault((link.QueueOf(0), producer.Id));

    internal void Hold(LinkAddress link, LinkProducer producer, InMemorySender? sender)
    {
        if (sender is null) _holders.Remove((link.QueueOf(0), producer.Id));
        else _holders[(link.QueueOf(0), producer.Id)] = sender;
    }

    internal BrokerQueue[] QueuesOf(LinkAddress link)
    {
        if (_links.TryGetValue(link.QueueOf(0), out BrokerQueue[]? queues))
        {
            return queues.Length == link.Partitions ? queues : throw new LinkTransportException(
                $"A link keeps its number of partitions within a generation: link='{link.Name}', partitions={link.Partitions}, "
                + $"declared={queues.Length}. Count its generation up.");
        }

        _parked[link.ParkedQueue] = [];
        List<byte[]> parked = _parked[link.ParkedQueue];
        return _links[link.QueueOf(0)] = [.. Enumerable.Range(0, link.Partitions).Select(_ => new BrokerQueue(this, parked))];
    }

    internal void OnMovable()
    {
        if (Options.IsStepped || _isMoving) return;
        _isMoving = true;
        ThreadPool.UnsafeQueueUserWorkItem(static broker => broker.MoveAll(), this, preferLocal: false);
    }

    private void MoveAll()
    {
        while (true)
        {
            Action? then;
            lock (_gate)
            {
                Wire? next = null;
                foreach (Wire wire in _wires)
                    if (wire.IsMovable && (next is null || wire.Oldest < next.Oldest)) next = wire;
                if (next is null)
                {
                    _isMoving = false;
                    return;
                }

                then = next.Move(WireFault.None);
            }

            then?.Invoke();
        }
    }
}

/// <summary>The limits of an <see cref="InMemoryBroker"/>. Immutable.</summary>
public sealed record InMemoryBrokerOptions
{
    /// <summary>Bytes of a partition's frames above which it refuses more.</summary>
    /// <value>1 or more. Default 16 MB.</value>
    public long MaxQueueBytes { get; init; } = 16 * 1024 * 1024;

    /// <summary>How many receivers may end with a frame, after the first one, before it is put aside. Lost connections do not
    /// count.</summary>
    /// <value>1 or more. Default 20.</value>
    public int DeliveryLimit { get; init; } = 20;

    /// <summary>Whether the caller moves things on.</summary>
    /// <value>Default false.</value>
    public bool IsStepped { get; init; }
}

/// <summary>What may happen to a thing on its way.</summary>
public enum WireFault
{
    /// <summary>It arrives.</summary>
    None,

    /// <summary>It is lost, and its connection with it.</summary>
    Drop,

    /// <summary>It arrives, and its connection is lost before anything else does.</summary>
    Disconnect,

    /// <summary>It arrives, and once more later: a frame that was sent, also after its connection is lost.</summary>
    Duplicate,

    /// <summary>The thing behind it arrives first.</summary>
    Reorder,
}
