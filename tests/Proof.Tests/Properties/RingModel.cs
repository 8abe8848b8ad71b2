namespace Raceway.Proof.Tests.Properties;

/// <summary>
/// What a ring must do, of lists and numbers alone. Outcomes are texts: a status, or the name of an exception; where either
/// of two is right they stand side by side.
/// </summary>
internal sealed partial class RingModel
{
    public const string Done = nameof(ClaimStatus.Done);
    private const string Full = nameof(ClaimStatus.Full);
    private const string Refused = nameof(InvalidOperationException);
    private const string Exhausted = nameof(SequenceExhaustedException);
    private readonly int _capacity;
    private readonly int _maxProducers;
    private readonly int _creditBatch;
    private readonly bool _isPlain;
    private long _floor;
    private long _granted;
    private bool _started;
    private bool _finished;
    private bool _disposed;

    public RingModel(Setting setting)
    {
        (Kind, _capacity, Start, _maxProducers) = (setting.Kind, setting.Capacity, setting.Start, setting.Producers);
        _isPlain = !setting.Checked;
        _floor = Start - 1;
        _granted = Start;
        _creditBatch = Math.Clamp(_capacity / (2 * _maxProducers), 1, 64);
        int laneCapacity = 1;
        while (laneCapacity * 2 * _maxProducers <= _capacity) laneCapacity *= 2;
        Lanes = Kind switch
        {
            ProducerKind.Single => [new LaneModel(0, _capacity, Start)],
            ProducerKind.Sharded => [.. Enumerable.Range(0, _maxProducers).Select(i => new LaneModel(i, laneCapacity, 0))],
            _ => [],
        };
    }

    public ProducerKind Kind { get; }

    public long Start { get; }

    public RingState State { get; private set; }

    /// <summary>No claims are let in.</summary>
    public bool IsClosed => State is not (RingState.Created or RingState.Running);

    /// <summary>Halted or faulted: stages end, and commits are late.</summary>
    public bool IsHalted { get; private set; }

    public List<LaneModel> Lanes { get; }

    /// <summary>The ring's order; of a sharded ring as far as it has been merged.</summary>
    public List<(long Item, Place Place)> Order { get; } = [];

    public List<StageModel> Stages { get; } = [];

    public List<ProducerModel> Producers { get; } = [];

    public long Unprocessed { get; private set; }

    /// <summary>What is offered when it is halted, in order.</summary>
    public List<long> LeftOver { get; } = [];

    /// <summary>The last sequence that every stage has passed.</summary>
    public long Released => Stages.Count == 0 ? _floor : Stages.Min(stage => stage.Position);

    public string Refusal =>
        State == RingState.Faulted ? nameof(RingFaultedException)
        : _disposed ? nameof(ObjectDisposedException)
        : nameof(RingStoppedException);

    public long ClaimedThrough => Kind switch
    {
        ProducerKind.Single => Lanes[0].Claimed,
        ProducerKind.Multi => Start + Order.Count - 1,
        _ => Start + Lanes.Sum(lane => lane.Claimed + 1) - 1,
    };

    /// <summary>The published high-water mark: everything up to it is published or given up.</summary>
    public long PublishedThrough
    {
        get
        {
            if (Kind == ProducerKind.Sharded) return Start + Lanes.Sum(lane => lane.Items.Count) - 1;
            long end = Released;
            while (PlaceOf(end + 1) is Place.Published or Place.Tombstone) end++;
            return end;
        }
    }

    public Place PlaceOf(long sequence) =>
        sequence - Start < Order.Count ? Order[(int)(sequence - Start)].Place : Place.Open;

    public long ItemOf(long sequence) => Order[(int)(sequence - Start)].Item;

    public int MaxClaim(ProducerModel producer) =>
        producer.Lane?.Capacity ?? _capacity - (_maxProducers - 1) * (_creditBatch - 1);

    public int Remaining(ProducerModel producer) => (int)(
        producer.Lane is { } lane
            ? Math.Clamp(Limit(lane) - lane.Claimed, 0, lane.Capacity)
            : Math.Clamp(_capacity - (ClaimedThrough - Released), 0, _capacity));

    /// <summary>How many can be claimed now.</summary>
    public long Room(ProducerModel producer) =>
        producer.Lane is { } lane ? Limit(lane) - lane.Published : producer.Credits + Released + _capacity + 1 - _granted;

    private long Limit(LaneModel lane)
    {
        if (Kind == ProducerKind.Single) return Released + _capacity;
        long passed = 0;
        for (long sequence = Start; sequence <= Released; sequence++)
            if (ItemOf(sequence) / Lane == lane.Index) passed++;
        return passed - 1 + lane.Capacity;
    }

    /// <summary>An item of a sharded ring says its lane.</summary>
    public const long Lane = 1L << 40;

    public string CreateProducer()
    {
        bool fits = Kind == ProducerKind.Multi
            ? Producers.Count < _maxProducers
            : Lanes.Exists(lane => lane.Owner is null);
        return fits ? Done : Refused;
    }

    public ProducerModel AddProducer(int lane)
    {
        var producer = new ProducerModel(Kind == ProducerKind.Multi ? null : Lanes[lane]);
        if (producer.Lane is { } own)
        {
            Assert.Null(own.Owner);
            own.Owner = producer;
        }

        Producers.Add(producer);
        return producer;
    }

    public void DisposeProducer(ProducerModel producer)
    {
        if (producer.Disposed) return;
        producer.Disposed = true;
        _granted -= producer.Credits;
        producer.Credits = 0;
        if (!producer.IsOpen) Forget(producer);
    }

    private void Forget(ProducerModel producer)
    {
        Producers.Remove(producer);
        if (producer.Lane is { } lane) lane.Owner = null;
    }

    /// <summary>A claim that does not wait.</summary>
    /// <param name="producer">Whose.</param>
    /// <param name="count">For how many.</param>
    /// <param name="full">What it answers where there is no room.</param>
    public string Claim(ProducerModel producer, int count, string full = Full)
    {
        if (count < 1 || count > MaxClaim(producer)) return nameof(ArgumentOutOfRangeException);
        if (producer.Disposed) return nameof(ObjectDisposedException);
        (producer.TookFastWay, producer.IsFast) = (producer.IsFast, true);
        if (producer.Lane is not { } lane) return Take(producer, count, full);
        if (producer.IsOpen) return Refused;
        if (IsClosed)
        {
            return nameof(ClaimStatus.Stopped);
        }

        // What was known to be free before may go beyond the last that is given room for.
        bool isLast = lane.Published + count > long.MaxValue - 2L * _capacity;
        if (Room(producer) < count) return isLast ? Exhausted : full;
        return isLast ? $"{Done} {Exhausted}" : Done;
    }

    /// <summary>Whether a wait for room ends at once, and how; null where it would wait.</summary>
    public string? WaitForRoom(ProducerModel producer, int count)
    {
        if (count < 1 || count > MaxClaim(producer)) return nameof(ArgumentOutOfRangeException);
        if (producer.Disposed) return nameof(ObjectDisposedException);
        if (producer is { Lane: not null, IsOpen: true }) return Refused;
        // A late commit has moved the producer on all the same.
        if (IsHalted && Start > long.MaxValue - 8L * _capacity) return $"{false} {Exhausted}";
        bool fits = Room(producer) >= count;
        // A wait that would not end is not begun.
        if (fits || IsClosed) producer.IsFast = fits;
        bool isLast = producer.Lane is { } lane
            ? lane.Published + count > long.MaxValue - 2L * _capacity
            : count > producer.Credits && _granted + count - producer.Credits - 1 > long.MaxValue - 2L * _capacity;
        if (isLast) return fits && producer.Lane is not null ? $"{!IsClosed} {Exhausted}" : Exhausted;
        return fits || IsClosed ? (fits && !IsClosed).ToString() : null;
    }

    private string Take(ProducerModel producer, int count, string full)
    {
        if (IsClosed) return nameof(ClaimStatus.Stopped);
        long missing = count - producer.Credits;
        if (missing <= 0) return Done;
        if (_granted + missing - 1 > long.MaxValue - 2L * _capacity) return Exhausted;
        return Room(producer) < count ? full : Done;
    }

    /// <summary>Room is taken, and not yet claimed.</summary>
    public void Reserve(ProducerModel producer, int count)
    {
        long missing = count - producer.Credits;
        if (producer.Lane is not null || missing <= 0) return;
        long taken = Math.Min(Math.Max(missing, _creditBatch), Released + _capacity - _granted + 1);
        _granted += taken;
        producer.Credits += taken;
    }

    /// <summary>The claim is made; returns its first sequence.</summary>
    public long Claimed(ProducerModel producer, int count)
    {
        if (producer.Lane is { } lane)
        {
            producer.IsOpen = true;
            lane.Announced = lane.Published + count;
            return lane.Published + 1;
        }

        Reserve(producer, count);
        producer.Credits -= count;
        for (int i = 0; i < count; i++) Order.Add((0, Place.Open));
        return Start + Order.Count - count;
    }

    /// <summary>The claim ends: some of it is published, the rest given up.</summary>
    public string End(ProducerModel producer, long first, ReadOnlySpan<long> items, int count, bool isHandle = false)
    {
        if (producer.Lane is { } lane)
        {
            if (!IsHalted) foreach (long item in items) Publish(lane, item);
            lane.Announced = first + items.Length - 1;
            producer.IsOpen = isHandle;
            if (producer is { Disposed: true, IsOpen: false }) Forget(producer);
        }
        else
        {
            for (int i = 0; i < count && !IsHalted; i++)
                Order[(int)(first - Start) + i] = i < items.Length ? (items[i], Place.Published) : (0, Place.Tombstone);
        }

        return IsHalted && items.Length > 0 ? Refusal : Done;
    }

    public void Publish(LaneModel lane, long item)
    {
        lane.Items.Add(item);
        if (Kind == ProducerKind.Single) Order.Add((item, Place.Published));
    }

    /// <summary>A publish that the closed ring refuses, where it has claimed already.</summary>
    public void RefusePublish(ProducerModel producer)
    {
        if (producer.Lane is not null || !_isPlain || !producer.TookFastWay || producer.Credits == 0 || producer.Disposed) return;
        producer.Credits--;
        Order.Add((0, IsHalted ? Place.Open : Place.Tombstone));
    }
}
