using System.Diagnostics.CodeAnalysis;

namespace Raceway.Rings;

/// <summary>Errors of batches and how they are handled: rule, value, remedy. Out of line, so that the methods that check stay small.</summary>
internal static class HandlingErrors
{
    public static ArgumentException AgeOfNothing(TimeSpan maxAge) =>
        new(
            "A batch's maximum age bounds the wait for its minimum, and without one nothing waits: min=1, "
            + $"maxAge={maxAge}. Leave maxAge out to hand over what is there at once, or give a min of 2 or more.",
            nameof(maxAge));

    public static InvalidOperationException MarkedByTwo() =>
        new("A batch is marked by one thread at a time: another one is inside Complete. Count what is done, and mark it by one.");

    public static ArgumentException MinAboveMax(int min, int max) =>
        new($"A batch's minimum must not exceed its maximum: min={min}, max={max}. Raise max or lower min.", nameof(min));

    public static ArgumentOutOfRangeException Level(DispatchLevel level) =>
        new(nameof(level), level, $"There is no such level of dispatch: level={level}. Use Single, Each or Batch.");

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

    public static ArgumentOutOfRangeException OutcomeIndex(int n) =>
        new(nameof(n), n, $"An outcome names an item of its batch, counted from 0: n={n}. Use 0 or more.");

    public static InvalidOperationException Outcome(string stage, in BatchOutcome outcome, int marked, int size) =>
        new(
            $"An outcome must name an item of its batch that is not marked as done: stage='{stage}', outcome={outcome}, "
            + $"marked={marked}, size={size}. Use {marked} to {size - 1}, or Done.");

    public static ArgumentException RetryOfRetry() =>
        new("After a retry must come something else than a retry. Use Stop, Skip, Detach or DeadLetter.", "then");

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
}
