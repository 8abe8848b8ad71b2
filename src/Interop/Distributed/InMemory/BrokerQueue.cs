namespace Raceway.Interop.Distributed;

/// <summary>A partition's frames, in order; one consumer has them at a time. All with the broker's lock held.</summary>
internal sealed class BrokerQueue(InMemoryBroker broker, List<byte[]> parked)
{
    private readonly LinkedList<Message> _ready = [];
    private readonly List<Consumer> _consumers = [];
    private readonly List<Action> _waiting = [];
    private long _bytes;
    private int _delivered;
    private long _term;

    public int Stored => _ready.Count + _delivered;

    public long MostBytes { get; private set; }

    public bool IsFull => _bytes >= broker.Options.MaxQueueBytes;

    public bool TryAdd(byte[] body)
    {
        if (IsFull) return false;
        _bytes += body.Length;
        MostBytes = Math.Max(MostBytes, _bytes);
        _ready.AddLast(new Message(body));
        Deliver();
        return true;
    }

    /// <summary>Has <paramref name="then"/> called, without the lock, when there is room again.</summary>
    public void WhenRoom(Action then) => _waiting.Add(then);

    public void Add(Consumer consumer)
    {
        _consumers.Add(consumer);
        Deliver();
    }

    /// <summary>The consumer takes no more; what it has it may keep.</summary>
    public void Cancel(Consumer consumer)
    {
        _consumers.Remove(consumer);
        Deliver();
    }

    /// <summary>The consumer's session has ended: what it has comes again, before anything newer.</summary>
    public void Return(Consumer consumer, IEnumerable<Message> messages)
    {
        foreach (Message message in messages.Reverse())
        {
            _delivered--;
            message.Deliveries++;
            _ready.AddFirst(message);
        }

        Cancel(consumer);
    }

    /// <summary>Messages are done; returns what to do without the lock.</summary>
    public Action? Remove(Message message)
    {
        _delivered--;
        _bytes -= message.Body.Length;
        Deliver();
        if (IsFull || _waiting.Count == 0) return null;
        Action[] waiting = [.. _waiting];
        _waiting.Clear();
        return () =>
        {
            foreach (Action one in waiting) one();
        };
    }

    public Action? Park(Message message)
    {
        parked.Add(message.Body);
        return Remove(message);
    }

    public void Deliver()
    {
        if (_consumers.Count == 0) return;
        Consumer active = _consumers[0];
        // Another one than had it last: consumers do not come back.
        if (active.Term == 0) active.Term = ++_term;
        while (_ready.First is { } first && active.HasRoom)
        {
            _ready.RemoveFirst();
            _delivered++;
            active.Take(this, first.Value);
        }
    }

    internal sealed class Message(byte[] body)
    {
        public byte[] Body => body;

        public int Deliveries { get; set; }

        /// <summary>The receivers that tried it.</summary>
        public HashSet<InMemoryReceiver> Tried { get; } = [];
    }

    /// <summary>A receiver's part in one partition, for one session.</summary>
    internal sealed class Consumer(InMemoryReceiver receiver, int partition, int prefetch)
    {
        public int Partition => partition;

        /// <summary>The partition's term; 0 before it has had its turn.</summary>
        public long Term { get; set; }

        public int Unacknowledged { get; set; }

        public bool HasRoom => Unacknowledged < prefetch;

        public void Take(BrokerQueue queue, Message message)
        {
            Unacknowledged++;
            receiver.Take(this, queue, message);
        }
    }
}
