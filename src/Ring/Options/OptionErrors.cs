namespace Raceway.Rings;

/// <summary>Errors of the options of a ring, and of producers above them: rule, value, remedy. Out of line, so that the methods that check stay small.</summary>
internal static class OptionErrors
{
    public static ArgumentOutOfRangeException Capacity(int capacity)
    {
        long next = capacity < 2 ? 2 : 1L << (64 - System.Numerics.BitOperations.LeadingZeroCount((ulong)capacity - 1));
        string remedy = next <= RingOptions.MaxCapacity ? $"Use {next}." : $"Use {RingOptions.MaxCapacity}.";
        return new ArgumentOutOfRangeException(
            nameof(capacity),
            capacity,
            $"Capacity must be a power of two between 2 and {RingOptions.MaxCapacity}: capacity={capacity}. {remedy}");
    }

    public static InvalidOperationException SecondSingleProducer(bool isLent) =>
        new(isLent
            ? "A single-producer ring has one producer at a time: its publisher has it. Publish by that (Pipeline.Publisher), or use "
            + "ProducerKind.Multi (a pipeline: MultiProducer())."
            : "A single-producer ring has one producer at a time, and so has its publisher. Dispose the first, publish everything by "
            + "the publisher (Pipeline.Publisher), or use ProducerKind.Multi (a pipeline: MultiProducer()).");

    public static InvalidOperationException WrongProducerKind(ProducerKind kind) =>
        new(
            kind == ProducerKind.Multi
                ? "This ring is for several producers. Use CreateMultiProducer(), or build it with ProducerKind.Single."
                : $"Producers of this ring are single ones: producers={kind}. Use CreateProducer(), or build it with ProducerKind.Multi (a pipeline: "
                + "MultiProducer()).");

    public static InvalidOperationException TooManyProducers(int max, bool isLent) =>
        new(
            $"All producers that this ring was sized for exist: max={max}{(isLent ? ", one of them the publisher's" : "")}. Raise "
            + "MaxProducers (a pipeline: MultiProducer(max)), or dispose one.");

    public static ArgumentException TooManyForCapacity(int maxProducers, int capacity) =>
        new(
            $"A multi-producer ring needs a slot for each producer: maxProducers={maxProducers}, capacity={capacity}. "
            + "Use a larger ring or fewer producers.",
            nameof(maxProducers));

    public static ArgumentOutOfRangeException Producers(ProducerKind producers) =>
        new(nameof(producers), producers, $"A kind of producers must be Single, Multi or Sharded: producers={producers}.");

    public static ArgumentOutOfRangeException Padding(CellPadding padding) =>
        new(nameof(padding), padding, $"A padding must be None, Line or LinePair: padding={padding}.");

    public static ArgumentOutOfRangeException Stamps(StampLayout stamps) =>
        new(nameof(stamps), stamps, $"Stamps must be Separate, Padded or InSlot: stamps={stamps}.");

    public static ArgumentOutOfRangeException ShardedCapacity(int capacity) =>
        new(
            nameof(capacity),
            capacity,
            $"A sharded ring holds at most {RingOptions.MaxShardedCapacity} items: capacity={capacity}. Use less, or ProducerKind.Multi.");

    public static ArgumentException TooManyLanes(int producers, int capacity) =>
        new(
            $"A sharded ring needs two slots a producer: maxProducers={producers}, capacity={capacity}. "
            + $"Use at most {capacity / 2} producers, or a larger ring.",
            nameof(RingOptions.MaxProducers));

    public static ArgumentException StampsInLanes() =>
        new("A sharded ring has no stamps: stamps=InSlot. Use Separate, or ProducerKind.Multi.", nameof(RingOptions.Stamps));

    public static ArgumentException PayloadsInLanes() =>
        new(
            "A sharded ring has no pooled payloads: producers=Sharded. Use Single or Multi.",
            nameof(RingOptions.Producers));

    public static ArgumentOutOfRangeException StartSequence(long start) =>
        new(nameof(start), start, $"The first sequence must be between 0 and the end of the sequence space: start={start}.");
}
