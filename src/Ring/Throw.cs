using System.Diagnostics.CodeAnalysis;

namespace Raceway.Rings;

/// <summary>The texts of all errors: rule, value, remedy. Out of line, so that the methods that check stay small.</summary>
internal static partial class Throw
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

    public static ArgumentException MinAboveMax(int min, int max) =>
        new($"A batch's minimum must not exceed its maximum: min={min}, max={max}. Raise max or lower min.", nameof(min));

    public static ArgumentException MinAboveHalf(int min, int capacity) =>
        new(
            $"A batch's minimum must be at most half the capacity, or a full ring could never meet it: min={min}, "
            + $"capacity={capacity}. Use at most {Math.Max(1, capacity / 2)}, or a larger ring.",
            nameof(min));

    public static ArgumentOutOfRangeException Age(TimeSpan maxAge) =>
        new(
            nameof(maxAge),
            maxAge,
            $"A batch's maximum age must be above zero, or infinite: maxAge={maxAge}. For no waiting use min 1.");

    public static ArgumentOutOfRangeException MaxWeight(long maxWeight) =>
        new(
            nameof(maxWeight),
            maxWeight,
            $"A batch's maximum weight must be 1 or more: maxWeight={maxWeight}. For no limit leave it out.");

    public static ArgumentException NoWeigher(string? stage) =>
        new(
            $"A stage with a maximum weight needs something that weighs its items: stage='{stage}', weigher=none. "
            + "Set StageOptions.Weigher; only items of a ring with payloads weigh their payload by themselves.",
            "options");

    public static ArgumentException WeigherType(string? stage, Type item) =>
        new(
            $"A weigher must take the stage's item type: stage='{stage}', item={item.Name}. Use Weigher.By<{item.Name}>.",
            "options");

    public static InvalidOperationException Weight(string stage, long sequence, long weight) =>
        new($"An item's weight must be 0 or more: stage='{stage}', sequence={sequence}, weight={weight}. Correct its weigher.");

    public static ArgumentOutOfRangeException OutcomeIndex(int n) =>
        new(nameof(n), n, $"An outcome names an item of its batch, counted from 0: n={n}. Use 0 or more.");

    public static InvalidOperationException Outcome(string stage, in BatchOutcome outcome, int marked, int size) =>
        new(
            $"An outcome must name an item of its batch that is not marked as done: stage='{stage}', outcome={outcome}, "
            + $"marked={marked}, size={size}. Use {marked} to {size - 1}, or Done.");

    public static InvalidOperationException NoSink(string stage) =>
        new(
            $"A dead letter needs a sink: stage='{stage}', outcome=DeadLetter, sink=none. Give the stage "
            + "OnFault = FaultPolicy.DeadLetter(sink), or return Skip.");

    public static InvalidOperationException Returned(string stage, in BatchOutcome outcome) =>
        new($"The handler of stage '{stage}' returned {outcome}, and no cause with it.");

    public static ArgumentException RetryOfRetry() =>
        new("After a retry must come something else than a retry. Use Stop, Skip, Detach or DeadLetter.", "then");

    public static ArgumentOutOfRangeException ParkPeriod(TimeSpan period) =>
        new(nameof(period), period, $"A timed park must last at least 1 ms, the grain of a sleep: period={period}.");

    public static ArgumentOutOfRangeException Slice(TimeSpan slice) =>
        new(
            nameof(slice), slice, $"A time slice must be between 1 µs and a second: slice={slice}. Use Wait.Async() for 50 µs.");

    [DoesNotReturn]
    public static void MarkOutOfRange(int count, int size) =>
        throw new ArgumentOutOfRangeException(
            nameof(count), count, $"Items marked as done must be between 0 and the size of the batch: count={count}, size={size}.");

    [DoesNotReturn]
    public static void SliceOutside(int start, int count, int size) =>
        throw new ArgumentOutOfRangeException(
            nameof(count), count, $"A slice must lie inside its batch: start={start}, count={count}, size={size}.");

    [DoesNotReturn]
    public static void BatchEnded() =>
        throw new ObjectDisposedException(
            "AsyncBatch", "The handler's task has completed: its items belong to the next stage. Copy what you keep.");

    public static TimeoutException ClaimLost(long sequence, TimeSpan timeout) =>
        new(
            $"A claimed sequence was not published within the claim timeout: sequence={sequence}, timeout={timeout}. "
            + "Its producer has lost it without Commit or Abort; use `using` around claims.");

    public static TimeoutException HandlerTimedOut(string stage, TimeSpan timeout) =>
        new(
            $"The async handler of stage '{stage}' has not completed within twice its timeout: timeout={timeout}. "
            + "Its token was signalled after the first. Raise HandlerTimeout, or let the handler heed its token.");

    public static ArgumentOutOfRangeException ClaimCount(int count, int max) =>
        new(
            nameof(count),
            count,
            $"A claim must be for 1 to {max} slots: count={count}. Claim in parts, or use a larger ring.");

    public static InvalidOperationException SecondSingleProducer(bool isLent) =>
        new(isLent
            ? "A single-producer ring has one producer at a time: its publisher has it. Publish by that (Pipeline.Publisher), or use "
            + "ProducerKind.Multi."
            : "A single-producer ring has one producer at a time, and so has its publisher. Dispose the first, publish everything by "
            + "the publisher (Pipeline.Publisher), or use ProducerKind.Multi.");

    public static InvalidOperationException WrongProducerKind(ProducerKind kind) =>
        new(
            kind == ProducerKind.Multi
                ? "This ring is for several producers. Use CreateMultiProducer(), or build it with ProducerKind.Single."
                : $"Producers of this ring are single ones: producers={kind}. Use CreateProducer(), or build it with ProducerKind.Multi.");

    public static InvalidOperationException TooManyProducers(int max, bool isLent) =>
        new(
            $"All producers that this ring was sized for exist: max={max}{(isLent ? ", one of them the publisher's" : "")}. Raise "
            + "MaxProducers, or dispose one.");

    public static ArgumentException TooManyForCapacity(int maxProducers, int capacity) =>
        new(
            $"A multi-producer ring needs a slot for each producer: maxProducers={maxProducers}, capacity={capacity}. "
            + "Use a larger ring or fewer producers.",
            nameof(maxProducers));

    public static SequenceExhaustedException Exhausted() =>
        new("The ring's 64-bit sequence is used up. Build a new ring; at 10⁹ events a second this takes 292 years.");

    public static ReentrantPublishException Reentrant() =>
        new(
            "A handler of this ring waited for room in this ring, which only it can make. Use TryPublish, a larger ring, or "
            + "publish to another one.");

    public static InvalidOperationException NotNow(string what, RingState state, string remedy) =>
        new($"{what} is not possible in this state: state={state}. {remedy}");

    public static ArgumentException ForeignStage(string name) =>
        new($"An upstream stage must belong to the same ring: stage='{name}'.", "options");

    public static ArgumentException NoUpstream() =>
        new("A stage follows stages: after=null. Leave the entry out.", "options");

    public static ArgumentException NotInRing(string name) =>
        new($"Only a stage of this ring can leave it: stage='{name}'. It has left before, or belongs to another ring.", "stage");

    public static ArgumentException NoStages() =>
        new("There must be a stage to step: stages=none. Name one or more, none of them null.", "stages");

    public static ArgumentException DuplicateName(string name) =>
        new($"A stage's name must be unique in its ring: name='{name}'.", "options");

    public static ArgumentException PolicyType(string? stage, Type item) =>
        new(
            $"A fault policy's delegates must take the stage's item type: stage='{stage}', item={item.Name}. "
            + $"Use DeadLetter<{item.Name}> or Decide<{item.Name}>.",
            "options");

    public static ArgumentException NoProcessors(string? stage) =>
        new($"A stage needs a processor to run on: stage='{stage}', processors=none. Name one, or leave Processors null.", "options");

    public static ArgumentException Processor(string? stage, int processor) =>
        new(
            $"A processor's number must be between 0 and {Affinity.Most - 1}: stage='{stage}', processor={processor}. "
            + "Use numbers as the system counts them (/proc/cpuinfo).",
            "options");

    public static InvalidOperationException HasDependents(string name, string dependent) =>
        new($"A stage that others follow cannot leave: stage='{name}', followed by '{dependent}'. Detach that one first.");

    public static ObjectDisposedException NotOpen() =>
        new(nameof(OpenProducer<>), "It was given back to its producer: publish by that, or open it again.");

    public static InvalidOperationException LastStage(string name) =>
        new($"The only stage cannot leave by its policy: stage='{name}'. Nobody would handle what is published.");

    public static ArgumentOutOfRangeException Payload(int length, int max) =>
        new(
            nameof(length),
            length,
            $"A payload must fit the ring's maximum: length={length}, max={max}. Raise PayloadOptions.MaxLength, or split it.");

    public static ObjectDisposedException PayloadReleased(long sequence) =>
        new(
            "Payload",
            $"The payload's slot has been released by the last stage: sequence={sequence}. Retain() or copy what you keep.");

    public static InvalidOperationException DeciderAnswer(FaultAction answer) =>
        new(
            $"A decider must answer Stop, Skip, Retry or Detach: answer={answer}. There is no dead-letter sink there: keep the item in "
            + "the decider, and answer Skip.");

    public static ArgumentOutOfRangeException Timeout(string name, TimeSpan timeout) =>
        new(name, timeout, $"A timeout must not be negative, unless infinite: {name}={timeout}.");

    public static ArgumentOutOfRangeException ZeroTimeout(string name, TimeSpan timeout) =>
        new(name, timeout, $"A timeout must be above zero, or infinite: {name}={timeout}.");

    public static ArgumentOutOfRangeException Producers(ProducerKind producers) =>
        new(nameof(producers), producers, $"A kind of producers must be Single, Multi or Sharded: producers={producers}.");

    public static ArgumentOutOfRangeException Drive(Drive drive) =>
        new(nameof(drive), drive, $"A stage is driven by OwnThread or Caller: drive={drive}.");

    public static ArgumentOutOfRangeException Padding(CellPadding padding) =>
        new(nameof(padding), padding, $"A padding must be None, Line or LinePair: padding={padding}.");

    public static ArgumentOutOfRangeException Stamps(StampLayout stamps) =>
        new(nameof(stamps), stamps, $"Stamps must be Separate, Padded or InSlot: stamps={stamps}.");

    public static ArgumentException StrideOfReferences(Type item) =>
        new(
            $"Slots can only lie apart, or hold stamps, where an item has no references: item={item.Name}. "
            + "Leave SlotStride 0 and Stamps Separate, or publish a struct without references.",
            nameof(RingOptions.SlotStride));

    public static ArgumentException Stride(int stride, int size) =>
        new(
            $"A slot's stride must be the size of an item times a power of two: stride={stride}, size={size}. "
            + $"Use 0 for slots side by side, or {2 * size}, {4 * size}, …",
            nameof(RingOptions.SlotStride));

    public static ArgumentException StrideForStamps(int stride, int size) =>
        new(
            $"Stamps in the slots need four aligned bytes behind each item, and a stride that is a power of two: stride={stride}, "
            + $"size={size}. Give the item a size that is a power of two and use SlotStride {Math.Max(8, 2 * size)} or more, or "
            + "Stamps Separate.",
            nameof(RingOptions.SlotStride));

    public static ArgumentOutOfRangeException ShardedCapacity(int capacity) =>
        new(
            nameof(capacity),
            capacity,
            $"A sharded ring holds at most {RingOptions.MaxShardedCapacity} items: capacity={capacity}. Use less, or ProducerKind.Multi.");

    public static ArgumentException TooFarApart(int capacity, int stride) =>
        new(
            $"Slots and stamps must fit an array: capacity={capacity}, stride={stride}. Use a smaller ring, SlotStride 0, or Stamps "
            + "Separate.",
            nameof(capacity));

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

    public static InvalidOperationException SlotsApart(int stride) =>
        new(
            $"There is no span over slots that lie apart: SlotStride={stride}. Enumerate or index the items, or leave SlotStride 0.");

    [DoesNotReturn]
    public static void IndexOutside(int index, int count) =>
        throw new ArgumentOutOfRangeException(
            nameof(index),
            index,
            $"An index must be inside the batch: index={index}, count={count}."
            + (count == 0 ? " A claim has slots only if its call was done: look at the status." : ""));

    public static ArgumentException ForeignColumn() =>
        new("The results must be a column of the same ring. Use ring.AddColumn().", "results");

    public static InvalidOperationException NoPayloads() =>
        new("This ring has no payloads. Give RingOptions.Payload the place of the Payload in an item.");

    public static ObjectDisposedException RetainedTwice() =>
        new("RetainedPayload", "The retained payload has been given back already.");

    public static ArgumentOutOfRangeException StartSequence(long start) =>
        new(nameof(start), start, $"The first sequence must be between 0 and the end of the sequence space: start={start}.");
}
