namespace Raceway.Rings;

/// <summary>Errors of producers and claims: rule, value, remedy. Out of line, so that the methods that check stay small.</summary>
internal static class ClaimErrors
{
    public static InvalidOperationException ClaimOpen() =>
        new("This producer has an open claim. Commit, abort or dispose it first; a second one needs a producer of its own.");

    public static InvalidOperationException WrongThread(int owner) =>
        new(
            $"A producer is used by one thread at a time: owner={owner}, caller={Environment.CurrentManagedThreadId}. "
            + "Give each thread a producer of its own (ProducerKind.Multi), or let the owner call ReleaseThread() first.");

    public static InvalidOperationException AsyncPending() =>
        new(
            "A producer does one thing at a time: PublishAsync or WaitForRoomAsync is pending. Await it first, or use a producer "
            + "for each.");

    public static InvalidOperationException ClaimSettled() =>
        new(
            "A claim is committed or aborted once, whichever copy of it is used, and only if its call was done: claim=ended or "
            + "none. Claim again.");

    public static InvalidOperationException OpenCopied() =>
        new(
            "An OpenProducer must not be copied: another copy has published since, or was given back. Pass it by ref, and open "
            + "it once.");

    public static InvalidOperationException SlotsOwnObjects(Type item) =>
        new(
            $"The slots of this ring own their objects, and an item stored over one would replace it: item={item.Name}, "
            + "CreateSlot=set. Fill the slot's object by Publish(state, writer), or leave CreateSlot out.");

    public static InvalidOperationException EmptySlot(Type item, Exception fault) =>
        new(
            $"The writer used a slot that holds no object: item={item.Name}, slot=null. Assign one in the writer, or set "
            + "RingOptions.CreateSlot, which gives each slot an object.",
            fault);

    public static ArgumentOutOfRangeException ClaimCount(int count, int max) =>
        new(
            nameof(count),
            count,
            $"A claim must be for 1 to {max} slots: count={count}. Claim in parts, or use a larger ring.");

    public static SequenceExhaustedException Exhausted() =>
        new("The ring's 64-bit sequence is used up. Build a new ring; at 10⁹ events a second this takes 292 years.");

    public static ReentrantPublishException Reentrant() =>
        new(
            "A handler of this ring waited for room in this ring, which only it can make. Use TryPublish, a larger ring, or "
            + "publish to another one.");
}
