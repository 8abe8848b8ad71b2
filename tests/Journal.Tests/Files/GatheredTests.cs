using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Files;

/// <summary>Items that are written from where they are, beside items that are copied.</summary>
public sealed class GatheredTests
{
    private static readonly JournalOptions s_options = new() { SegmentLength = 16 << 20, GroupLength = 8 << 20, Ahead = null };

    // More pieces than one call takes, in one group.
    private static byte[][] Items(int count, int seed)
    {
        var random = new Random(seed);
        return [.. Enumerable.Range(0, count).Select(_ =>
        {
            byte[] item = new byte[random.Next(3) switch { 0 => random.Next(100), 1 => random.Next(2_040, 2_060), _ => random.Next(2_048, 5_000) }];
            random.NextBytes(item);
            return item;
        })];
    }

    [Fact]
    public void Store_OfLargeAndSmallItems_KeepsTheirBytesAndOrder()
    {
        using var folder = new TempFolder();
        byte[][] items = Items(2_500, 5);
        using (Journal<byte[]> journal = Journal<byte[]>.Open(folder.Path, JournalCodec.Bytes, s_options))
        {
            journal.Store(items);
            journal.Store(items[..10]);
        }

        byte[][] read = [.. JournalFolder.Read(folder.Path).Select(static item => item.Bytes.ToArray())];
        Assert.Equal(items.Length + 10, read.Length);
        for (int i = 0; i < read.Length; i++) Assert.True(read[i].AsSpan().SequenceEqual(items[i % items.Length]), $"item {i}");
        Assert.Null(JournalFolder.Inspect(folder.Path).Damage);
    }

    /// <summary>A write may take a part, and end within any piece.</summary>
    [Fact]
    public void Store_WithShortWrites_KeepsTheirBytesAndOrder()
    {
        for (int seed = 0; seed < 50; seed++)
        {
            var disk = new SimulatedDisk(new Random(seed));
            byte[][] items = Items(40, seed);
            using (Journal<byte[]> journal = Journal<byte[]>.Open(disk, JournalCodec.Bytes, s_options with { SegmentLength = 1 << 20, GroupLength = 100_000, MaxItemLength = 5_000 }))
            {
                disk.Plan = static call => call % 3 == 0 ? DiskFault.None : DiskFault.Short;
                journal.Store(items);
            }

            using var stored = new Raceway.Interop.Journal.Reading.StoredItems(
                disk, Raceway.Interop.Journal.Reading.SegmentFiles.Find(disk), 0, items.Length);
            foreach (byte[] item in items)
            {
                Assert.True(stored.TryRead(out ReadOnlySpan<byte> bytes));
                Assert.True(bytes.SequenceEqual(item));
            }
        }
    }
}
