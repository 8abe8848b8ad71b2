using System.Globalization;

namespace Raceway.Interop.Journal;

/// <summary>Errors of the journal: rule, value, remedy.</summary>
internal static class JournalErrors
{
    public static ArgumentOutOfRangeException Interval(TimeSpan interval) =>
        new(nameof(interval), interval, $"A journal is synced at an interval above zero and below 24 days: interval={interval}. For every batch use EachBatch.");

    public static ArgumentOutOfRangeException Range(string name, long value, long least, long most) =>
        new(name, value, string.Create(CultureInfo.InvariantCulture, $"{name} must be from {least} to {most}: {value}. (A segment has room for its header, a group of GroupLength and an item.)"));

    public static string Damaged(JournalDamage damage, string folder) =>
        $"The journal is damaged: {damage.Reason}: file='{Path.Combine(folder, damage.File)}', offset={damage.Offset}, items lost from "
        + $"sequence {damage.Sequence}{(damage.NextKnown is { } next ? $" to {next - 1}" : " on")}. Restore the file from a copy, or give up what is "
        + $"behind the damage: raceway journal cut '{folder}'.";

    public static JournalException Locked(string folder) =>
        new($"A journal has one writer at a time: folder='{folder}' is open for writing by another one. Close that first.");

    public static ArgumentException ArchiveIsItself(string folder) =>
        new($"Segments are archived in another folder than their journal's: ArchiveFolder='{folder}'. Name one for this journal alone.");

    public static JournalException ArchiveOfAnother(string file) =>
        new($"An archive has the segments of one journal: file='{file}' is of another one, and stays. Name an ArchiveFolder for this journal alone.");

    public static JournalException NoFolder(string folder) =>
        new($"A journal to read must be there: folder='{folder}' has no segment. Open it for writing to make one.");

    public static JournalException Unusable(string folder, Exception cause) =>
        new($"The journal cannot be used: folder='{folder}': {cause.Message}", cause);

    public static JournalException Faulted(string folder, Exception cause) =>
        new($"The journal has failed, and takes nothing until it is opened again: folder='{folder}': {cause.Message}", cause);

    public static ObjectDisposedException Closed(string folder) => new($"Journal '{folder}'");

    public static JournalException Schema(string file, JournalSchema stored, JournalSchema schema, Type codec) =>
        new($"The codec must read what is stored: file='{file}', stored={stored}, codec={schema} ({codec.Name}). Answer true for it in CanRead, and read it.");

    public static JournalException ItemLength(int length, int size, Type type) =>
        new($"A stored {type.Name} has {size} bytes: found {length}. Another codec has written it.");

    public static InvalidOperationException ItemTooLong(long length, int most) =>
        new($"An item must not be longer than its journal allows: bytes={length}, MaxItemLength={most}. Raise MaxItemLength.");

    public static IOException NoProgress(int length, long at) => new($"The file takes no bytes: {length} left to write at offset {at}.");

    public static ArgumentException Policy(string stage) =>
        new($"A journal that fails stops its pipeline, or the stages behind it would see what is not stored: stage='{stage}'. Give the stage OnFault = FaultPolicy.Stop.");

    public static ArgumentException Stateless(string stage) =>
        new($"A journal stores items in their order, so its batches cannot be split between threads: stage='{stage}', IsStateless=true. Leave it out.");

    public static ArgumentException NotForEveryItem(string stage) =>
        new($"A journal is for every item, or a durable publish would count as stored what the journal was not given: stage='{stage}' follows a filter or router, or is one of several workers. Put the journal before them.");

    public static InvalidOperationException AttachedTwice(string folder) =>
        new($"A journal is one stage of one pipeline, and not one of several workers: folder='{folder}' is attached already. Open it again for another run.");

    public static InvalidOperationException NotAttached() =>
        new("The journal must be a stage of the pipeline before items are replayed into it or awaited by it. Build the pipeline with it first.");

    public static InvalidOperationException OtherRing() =>
        new("A durable publish and a replay go into the ring that the journal's stage is on: the first of its pipeline. Put the journal before any stage that begins another ring.");

    public static InvalidOperationException ShardedRing() =>
        new("In a sharded ring a producer does not know its items' sequences: producers=Sharded. Use a single or a multi producer for a durable publish or a replay.");

    public static InvalidOperationException PublishedBeforeReplay(long sequence) =>
        new($"Stored items come before new ones: an item was published at ring sequence {sequence} before the replay had ended. Replay first, then publish.");

    public static ArgumentOutOfRangeException ReplayFrom(long from, long first, long next) =>
        new(nameof(from), from, $"A replay begins at an item that is stored, or at the end: from={from}, first={first}, next={next}.");

    public static InvalidOperationException ReplayedTwice() => new("A journal is replayed once in a run. Open it again to replay again.");

    public static ArgumentOutOfRangeException SnapshotBeyond(long next, long written) =>
        new(nameof(next), next, $"A snapshot holds the state after items that the journal has: next={next}, written={written}.");

    public static ArgumentOutOfRangeException NotWritten(long sequence) =>
        new(nameof(sequence), sequence, $"An item's sequence is 0 or more, and below {long.MaxValue}: sequence={sequence}. Wait for an item that was published, or will be.");
}
