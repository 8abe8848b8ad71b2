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
/// <example>
/// <code>
/// await using var ring = new RingBuffer&lt;Order>(capacity: 1024);
/// Stage price = ring.Subscribe(static (ref Order order) => order.Price = order.Pieces * 0.25m);
/// ring.Subscribe((ref Order order) => accounts.Book(order), new StageOptions { After = [price] });
/// ring.Start();
///
/// using SingleProducer&lt;Order> producer = ring.CreateProducer();
/// producer.Publish(new Order { Id = 1, Pieces = 10 });
/// await ring.DrainAsync(TimeSpan.FromSeconds(30));
/// </code>
/// </example>
public sealed class RingBuffer<T> : Ring
{
    private readonly RingOptions<T> _options;

    /// <summary>Builds a ring.</summary>
    /// <param name="capacity">Number of slots: a power of two from 2 to 2³⁰.</param>
    /// <param name="options">The rest; null for the defaults.</param>
    /// <exception cref="ArgumentException">A value is out of range; the message has the rule and the remedy.</exception>
    public RingBuffer(int capacity, RingOptions<T>? options = null)
        : this(capacity, Checked(capacity, options ?? new RingOptions<T>()), new RingMemory((options ?? new RingOptions<T>()).Padding))
    {
    }

    private RingBuffer(int capacity, RingOptions<T> options, RingMemory memory)
        : this(capacity, options, memory, SlotsOf(memory, capacity, options))
    {
    }

    private RingBuffer(int capacity, RingOptions<T> options, RingMemory memory, SlotMemory<T>[] slots)
        : base(capacity, options, memory, StampsOf(memory, capacity, options, slots[0]))
    {
        _options = options;
        Slots = Slots<T>.Of(this, slots, Claims.Shape(capacity, options).Capacity, options.CreateSlot);
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
    public SingleProducer<T> CreateProducer() =>
        Claims is MultiClaims ? throw OptionErrors.WrongProducerKind(_options.Producers) : new(this, (SingleClaimer)Claims.Add(Copies));

    /// <summary>A further producer of a multi-producer ring, for one thread.</summary>
    /// <exception cref="InvalidOperationException">It is no multi-producer ring, or has all its producers.</exception>
    public MultiProducer<T> CreateMultiProducer() =>
        Claims is not MultiClaims ? throw OptionErrors.WrongProducerKind(_options.Producers) : new(this, (MultiClaimer)Claims.Add(Copies));

    /// <summary>A producer of whichever kind the ring has, for one thread: for code that serves rings of any kind.</summary>
    /// <exception cref="InvalidOperationException">It has all its producers.</exception>
    public Producer<T> CreateAnyProducer() => Claims is MultiClaims ? CreateMultiProducer() : CreateProducer();

    /// <summary>The same for a publisher that lends it to many threads, for good.</summary>
    internal Producer<T> CreateProducerToLend()
    {
        Producer<T> producer = CreateAnyProducer();
        Claims.Lend();
        return producer;
    }

    // A slot is filled by storing an item over it, with nothing to lend and no object to keep.
    private bool Copies => Payloads is null && !Slots.OwnsObjects;

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

    /// <remarks>Buffers that no stage and no sweep will give back are given back here.</remarks>
    internal override void EndLate(Claimer claimer, long first, int count, int published)
    {
        if (Payloads is not null)
        {
            // The slots of what came in time, given up or not, are another claim's by now, or the ring's to take back.
            for (long sequence = first; sequence < first + count; sequence++)
                if (!IsInTime(claimer, sequence)) Payloads.Release(sequence);
        }

        // No item is lost with what is given up.
        if (published == 0 || IsInTime(claimer, first + published - 1)) return;
        throw Refusal();
    }

    private protected override void SweepUp(long first, long last, ReadOnlySpan<long> behindHoles)
    {
        try
        {
            if (_options.OnUnprocessed is { } take)
            {
                long run = -1;
                for (long sequence = first; sequence <= last; sequence++)
                    if (!Sequencer.IsTombstone(sequence)) take(ref Slots.Run(sequence, 1, ref run, out _));
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
                Payloads?.ReleaseAll(last, Claims.ClaimedThrough, behindHoles);
            }
        }
    }

    private static RingOptions<T> Checked(int capacity, RingOptions<T> options)
    {
        options.Validate(capacity);
        Claims.Check(capacity, options, options.Payload is not null);
        SlotMemory<T>.Check(options.SlotStride, options.InSlot);
        return options;
    }

    private static SlotMemory<T>[] SlotsOf(RingMemory memory, int capacity, RingOptions<T> options)
    {
        (int columns, int slots) = Claims.Shape(capacity, options);
        return [.. Enumerable.Range(0, columns).Select(_ => new SlotMemory<T>(memory, slots, options.SlotStride))];
    }

    private static Availability? StampsOf(RingMemory memory, int capacity, RingOptions<T> options, SlotMemory<T> slots) => options switch
    {
        { InSlot: true } => slots.StampsInSlots(capacity, options.StartSequence),
        { Producers: not ProducerKind.Multi } => null,
        { Stamps: StampLayout.Padded } => new Availability(memory, capacity, options.StartSequence, Availability.Line),
        _ => new Availability(memory, capacity, options.StartSequence),
    };
}
