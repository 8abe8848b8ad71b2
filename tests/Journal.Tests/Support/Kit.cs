using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Reading;

namespace Raceway.Journal.Tests.Support;

/// <summary>What tests of the journal begin with.</summary>
internal static class Kit
{
    /// <summary>Small segments, made when they are needed.</summary>
    public static JournalOptions Small { get; } = new() { SegmentLength = 5_120, GroupLength = 256, MaxItemLength = 256, Ahead = null };

    public static Journal<long> Open(JournalFiles files, JournalOptions? options = null) =>
        Journal<long>.Open(files, JournalCodec.Unmanaged<long>("number"), (options ?? Small).Checked());

    /// <summary>Stores items as its stage does, a batch at a time.</summary>
    public static void Store<T>(this Journal<T> journal, params T[] items) =>
        journal.Stage.OnBatch(new Batch<T>(items, journal.Writer.Written.Ring));

    /// <summary>Steps every stage until none has anything to do.</summary>
    public static void StepAll<T>(this Pipeline<T> pipeline)
    {
        while (pipeline.Stages.Any(static stage => stage.Step().Kind == StepKind.Progressed)) continue;
    }

    /// <summary>All items that are stored.</summary>
    public static List<long> Numbers(JournalFiles files)
    {
        using var items = new StoredItems(files, SegmentFiles.Find(files), 0, long.MaxValue);
        List<long> all = [];
        while (items.TryRead(out ReadOnlySpan<byte> bytes)) all.Add(BitConverter.ToInt64(bytes));
        return all;
    }

    /// <summary>A journal of 100 items from 0 on, in batches of 1 to 7, opened three times and closed.</summary>
    public static SimulatedDisk Hundred(JournalOptions? options = null)
    {
        var disk = new SimulatedDisk(new Random(1));
        long next = 0;
        foreach (int end in new[] { 40, 70, 100 })
        {
            using Journal<long> journal = Open(disk, options);
            for (int size = 1; next < end; size = (size % 7) + 1)
            {
                long[] batch = [.. Enumerable.Range(0, (int)Math.Min(size, end - next)).Select(n => next + n)];
                journal.Store(batch);
                next += batch.Length;
            }
        }

        return disk;
    }
}
