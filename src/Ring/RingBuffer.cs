using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>A ring of slots between producers and stages: bounded, ordered, and free of allocation.</summary>
/// <remarks>
/// <para>Attach stages (<see cref="Subscribe(IBatchHandler{T}, StageOptions?)"/>), start it, publish through a producer,
/// drain it. An item is handled by every stage; a stage that follows others sees it after them; its slot is free again when
/// the last of them has passed it.</para>
/// <para><b>Threads</b>: every member by any thread; a producer by one at a time.</para>
/// <para><b>Order</b>: every stage sees all items in sequence order.</para>
/// <para>After the LMAX Disruptor (Thompson, Farley, Barker, Gee, Stewart, 2011).</para>
/// </remarks>
/// <typeparam name="T">The item: class, struct or unmanaged.</typeparam>
public sealed class RingBuffer<T> : Ring
{
    private readonly RingOptions<T> _options;
    private readonly List<Producer<T>> _producers = [];
    private readonly object _producerGate = new();
    private bool _lends;
    private RoomWaits _waitsOfOthers; // of producers disposed since

    /// <summary>Builds a ring.</summary>
    /// <param name="capacity">Number of slots: a power of two from 2 to 2³⁰.</param>
    /// <param name="options">The rest; null for the defaults.</param>
    /// <exception cref="ArgumentException">A value is out of range; the message has the rule and the remedy.</exception>
    public RingBuffer(int capacity, RingOptions<T>? options = null)
        : this(capacity, Checked(capacity, options ?? new RingOptions<T>()), MemoryOf(capacity, options))
    {
    }

    private RingBuffer(int capacity, RingOptions<T> options, SlotMemory<T>[] memory)
        : base(capacity, options, StampsOf(capacity, options, memory[0]))
    {
        _options = options;
        Slots = options.Producers == ProducerKind.Sharded
            ? new Slots<T>(this, [.. memory.Select(one => new Slots<T>(this, one, options.LaneCapacity(capacity), options.CreateSlot))])
            : new Slots<T>(this, memory[0], capacity, options.CreateSlot);
        List<ISweepable> columns = [];
        if (_options.Payload is { } accessor)
        {
            Payloads = new PayloadColumn<T>(Slots, accessor, _options.PayloadOptions);
            Slots.Weigh = Payloads.Weigh;
            columns.Add(Payloads);
        }

        bool holdsReferences = RuntimeHelpers.IsReferenceOrContainsReferences<T>();
        if (_options.ClearSlots ?? (holdsReferences && _options.CreateSlot is null))
            columns.Add(new ClearingColumn<T>(Slots));
        if (columns.Count > 0) Sequencer.Sweeper = new SlotSweeper(columns, Sequencer.Start);
    }

    /// <summary>The items.</summary>
    public Slots<T> Slots { get; }

    internal PayloadColumn<T>? Payloads { get; }

    /// <summary>The producer of a single-producer ring, or a further one of a sharded ring, for one thread.</summary>
    /// <exception cref="InvalidOperationException">It is a multi-producer ring, or has all its producers.</exception>
    public SingleProducer<T> CreateProducer() => _options.Producers switch
    {
        ProducerKind.Single => Remember(1, () => OptionErrors.SecondSingleProducer(_lends), () => NewProducer(Sequencer.OnlyLane)),
        ProducerKind.Sharded => Remember(
            _options.MaxProducers, () => OptionErrors.TooManyProducers(_options.MaxProducers, _lends), () => NewProducer(FreeLane())),
        _ => throw OptionErrors.WrongProducerKind(_options.Producers),
    };

    /// <summary>A further producer of a multi-producer ring, for one thread.</summary>
    /// <exception cref="InvalidOperationException">It is no multi-producer ring, or has all its producers.</exception>
    public MultiProducer<T> CreateMultiProducer()
    {
        if (_options.Producers != ProducerKind.Multi) throw OptionErrors.WrongProducerKind(_options.Producers);
        return Remember(
            _options.MaxProducers, () => OptionErrors.TooManyProducers(_options.MaxProducers, _lends), () => new MultiProducer<T>(this));
    }

    /// <summary>A producer of whichever kind the ring has, for a publisher that lends it to many threads, for good.</summary>
    /// <exception cref="InvalidOperationException">It has all its producers.</exception>
    internal Producer<T> CreateProducerToLend()
    {
        Producer<T> producer = _options.Producers == ProducerKind.Multi ? CreateMultiProducer() : CreateProducer();
        _lends = true;
        return producer;
    }

    /// <inheritdoc cref="Subscribing.Subscribe{T}(Slots{T}, IBatchHandler{T}, StageOptions?)"/>
    public Stage Subscribe(IBatchHandler<T> handler, StageOptions? options = null) => Slots.Subscribe(handler, options);

    /// <inheritdoc cref="Subscribing.Subscribe{T}(Slots{T}, IEventHandler{T}, StageOptions?)"/>
    public Stage Subscribe(IEventHandler<T> handler, StageOptions? options = null) => Slots.Subscribe(handler, options);

    /// <inheritdoc cref="Subscribing.Subscribe{T}(Slots{T}, SlotAction{T}, StageOptions?)"/>
    public Stage Subscribe(SlotAction<T> handler, StageOptions? options = null) => Slots.Subscribe(handler, options);

    /// <inheritdoc cref="Subscribing.Subscribe{T}(Slots{T}, IAsyncBatchHandler{T}, StageOptions?)"/>
    public Stage Subscribe(IAsyncBatchHandler<T> handler, StageOptions? options = null) =>
        Slots.Subscribe(handler, options);

    /// <inheritdoc cref="Subscribing.Subscribe{T}(Slots{T}, IOutcomeHandler{T}, StageOptions?)"/>
    public Stage Subscribe(IOutcomeHandler<T> handler, StageOptions? options = null) => Slots.Subscribe(handler, options);

    /// <inheritdoc cref="Subscribing.Subscribe{T}(Slots{T}, IAsyncOutcomeHandler{T}, StageOptions?)"/>
    public Stage Subscribe(IAsyncOutcomeHandler<T> handler, StageOptions? options = null) =>
        Slots.Subscribe(handler, options);

    internal void Forget(Producer<T> producer)
    {
        Gate.Enter(_producerGate);
        if (_producers.Remove(producer)) _waitsOfOthers += producer.RoomWaits;
        Gate.Exit(_producerGate);
    }

    /// <summary>
    /// A claim has ended after the ring was sealed. Returns where what it published came in time, to be handled or counted;
    /// throws where it did not. Buffers that no stage and no sweep will give back are given back here.
    /// </summary>
    /// <param name="lane">Whose sequences they are; any where the ring has no lanes.</param>
    /// <param name="first">The first claimed.</param>
    /// <param name="count">How many were claimed.</param>
    /// <param name="published">How many of them were published.</param>
    internal void EndLate(Lane lane, long first, int count, int published)
    {
        if (Payloads is not null)
        {
            // The slots of what came in time, given up or not, are another claim's by now, or the ring's to take back.
            for (long sequence = first; sequence < first + count; sequence++)
                if (!IsInTime(lane, sequence)) Payloads.Release(sequence);
        }

        // What is given up is nobody's loss.
        if (published == 0 || IsInTime(lane, first + published - 1)) return;
        throw Refusal();
    }

    private protected override bool IsCommitting
    {
        get
        {
            Gate.Enter(_producerGate);
            bool committing = _producers.Exists(static producer => producer.IsCommitting);
            Gate.Exit(_producerGate);
            return committing;
        }
    }

    private protected override RoomWaits SumRoomWaits()
    {
        Gate.Enter(_producerGate);
        RoomWaits sum = _waitsOfOthers;
        foreach (Producer<T> producer in _producers) sum += producer.RoomWaits;
        Gate.Exit(_producerGate);
        return sum;
    }

    private protected override void SweepUp(long first, long last, ReadOnlySpan<long> behindHoles)
    {
        try
        {
            if (_options.OnUnprocessed is { } take)
            {
                long segment = -1;
                for (long sequence = first; sequence <= last; sequence++)
                    if (!Sequencer.IsTombstone(sequence)) take(ref Slots.Run(sequence, 1, ref segment, out _));
                foreach (long sequence in behindHoles) take(ref Slots[sequence]);
            }
        }
        finally
        {
            try
            {
                Sequencer.Sweeper?.SweepThrough(last);
                foreach (long sequence in behindHoles) Sequencer.Sweeper?.SweepAlone(sequence);
            }
            finally
            {
                // Also where the pool has failed to take one of them back.
                Payloads?.ReleaseAll(last, Sequencer.ClaimedThrough, behindHoles);
            }
        }
    }

    private static RingOptions<T> Checked(int capacity, RingOptions<T> options)
    {
        options.Validate(capacity);
        SlotMemory<T>.Check(options.SlotStride, options.InSlot);
        if (options is { Producers: ProducerKind.Sharded, Payload: not null }) throw OptionErrors.PayloadsInLanes();
        return options;
    }

    private static SlotMemory<T>[] MemoryOf(int capacity, RingOptions<T>? options) =>
        options is { Producers: ProducerKind.Sharded }
            ? [.. Enumerable.Range(0, options.MaxProducers)
                .Select(_ => new SlotMemory<T>(options.LaneCapacity(capacity), options.SlotStride))]
            : [new SlotMemory<T>(capacity, options?.SlotStride ?? 0)];

    private static Availability? StampsOf(int capacity, RingOptions<T> options, SlotMemory<T> slots) => options switch
    {
        { InSlot: true } => slots.StampsInSlots(capacity, options.StartSequence),
        { Producers: not ProducerKind.Multi } => null,
        { Stamps: StampLayout.Padded } => new Availability(capacity, options.StartSequence, Availability.Line),
        _ => new Availability(capacity, options.StartSequence),
    };

    private SingleProducer<T> NewProducer(Lane lane) => new(this, lane, Slots.OfLane(lane.Index));

    // A lane goes to the next producer where the one before has left it.
    private Lane FreeLane() =>
        Sequencer.Lanes!.All.First(lane => !_producers.Exists(other => other is SingleProducer<T> taken && taken.Lane == lane));

    private TProducer Remember<TProducer>(int most, Func<Exception> refuse, Func<TProducer> create)
        where TProducer : Producer<T>
    {
        Gate.Enter(_producerGate);
        try
        {
            if (_producers.Count >= most) throw refuse();
            TProducer producer = create();
            _producers.Add(producer);
            return producer;
        }
        finally
        {
            Gate.Exit(_producerGate);
        }
    }
}
