using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A column of a definition: items of one type that stages read, before there is a ring.</summary>
internal abstract class Column
{
    protected Column(Segment segment)
    {
        Segment = segment;
        segment.Main ??= this;
    }

    public Segment Segment { get; }

    /// <summary>The stages that write it; none where it is what the segment's producers publish.</summary>
    public List<StageDefinition> Writers { get; } = [];

    /// <summary>Its items' type.</summary>
    public abstract Type ItemType { get; }

    /// <summary>Whether its items have buffers that belong to their slots.</summary>
    public abstract bool HasPayloads { get; }

    /// <summary>Checks what can be checked of a stage over this column without a ring.</summary>
    /// <exception cref="ArgumentException">The options contradict each other or the capacity.</exception>
    public abstract void Check(StageDefinition stage);

    /// <summary>A ring with the items of this column.</summary>
    /// <param name="source">The options of the pipeline's first ring; null where these are the user's own.</param>
    /// <param name="producers">How many stages publish into it.</param>
    /// <param name="gate">Held while an item left over is handed to the user, where several rings may have some.</param>
    /// <exception cref="ArgumentException">A value is out of range.</exception>
    public abstract Ring CreateRing(RingOptions? source, int producers, object? gate);

    /// <summary>Attaches a stage that passes these items on into <paramref name="next"/>, a ring of this column.</summary>
    public abstract Stage Link(RingContext context, Ring next, StageOptions options);
}

/// <inheritdoc/>
/// <typeparam name="T">The item type.</typeparam>
internal sealed class Column<T>(Segment segment, RingOptions<T> options) : Column(segment)
{
    /// <summary>Options of a ring of its own; those of the source are the user's.</summary>
    public RingOptions<T> Options { get; set; } = options;

    public override Type ItemType => typeof(T);

    public override bool HasPayloads => Options.Payload is not null;

    public override void Check(StageDefinition stage) => stage.Final.Check<T>(stage.Name, Segment.Capacity);

    public override Ring CreateRing(RingOptions? source, int producers, object? gate)
    {
        RingOptions<T> options = source is null ? Options : Further(source, producers);
        return new RingBuffer<T>(
            Segment.Capacity, gate is null ? options : options with { OnUnprocessed = OneAtATime(options.OnUnprocessed, gate) });
    }

    public override Stage Link(RingContext context, Ring next, StageOptions options)
    {
        var ring = (RingBuffer<T>)next;
        Producer<T> producer = ring.CreateAnyProducer();
        return context.Ring.Attach(
            name => new LinkStage<T>(context.Ring, context.Of(this), producer, options, name), options);
    }

    private static SlotAction<T>? OneAtATime(SlotAction<T>? take, object gate) => take is null ? null : (ref T slot) =>
    {
        lock (gate) take(ref slot);
    };

    // A further ring waits and is laid out as the first one; its producers are stages. Their threads may change from call
    // to call.
    private RingOptions<T> Further(RingOptions source, int producers) => new()
    {
        Producers = producers == 1 ? ProducerKind.Single
            : Options.Producers == ProducerKind.Sharded ? ProducerKind.Sharded : ProducerKind.Multi,
        MaxProducers = producers,
        Wait = source.Wait,
        ProducerWait = source.ProducerWait,
        Padding = source.Padding,
        DrainTimeout = source.DrainTimeout,
        Time = source.Time,
        CheckProducer = false,
        CreateSlot = Options.CreateSlot,
        ClearSlots = Options.ClearSlots,
        OnUnprocessed = Options.OnUnprocessed,
    };
}
