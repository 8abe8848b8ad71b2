using Raceway.Interop.Journal.Format;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Reading;

/// <summary>A journal of 100 items that was closed, with any byte changed, or any file cut off anywhere.</summary>
public sealed class FlipTests
{
    private static readonly JournalOptions s_everySecond = Kit.Small with { Durability = Durability.Every(TimeSpan.FromDays(1)) };

    public static TheoryData<bool> Synced => [true, false];

    [Theory]
    [MemberData(nameof(Synced))]
    public void Inspect_OfAnyFlippedByte_ReportsItOrItLiesInAnUnusedTail(bool eachBatch)
    {
        SimulatedDisk disk = Kit.Hundred(eachBatch ? null : s_everySecond);
        JournalReport whole = JournalFolder.Inspect(disk);
        Assert.Null(whole.Damage);
        Assert.Equal((0, 100, 0L, true), (whole.First, whole.Next, whole.TornBytes, whole.WasClosed));
        var random = new Random(7);
        long flips = 0;
        foreach (SegmentReport segment in whole.Segments)
        {
            byte[] bytes = disk[segment.File];
            bool isLast = segment == whole.Segments[^1];
            for (int at = 0; at < bytes.Length; at++)
            {
                byte was = bytes[at];
                bytes[at] ^= (byte)random.Next(1, 256);
                JournalReport report = JournalFolder.Inspect(disk);
                bool isReported = report.Damage is not null || report.TornBytes > 0;
                Assert.True(isReported || (!isLast && at >= segment.UsedBytes), $"{segment.File} at {at} is not reported");
                if (at < segment.UsedBytes - JournalFormat.GroupHeaderLength || !isLast) Assert.Equal(at < segment.UsedBytes, report.Damage is not null);
                bytes[at] = was;
                flips++;
            }
        }

        Tally.Add(Counted.Faults, flips);
    }

    [Fact]
    public void Open_OfAnyFlippedByte_RefusesOrKeepsAllItems()
    {
        SimulatedDisk disk = Kit.Hundred();
        JournalReport whole = JournalFolder.Inspect(disk);
        List<long> expected = Kit.Numbers(disk);
        foreach (SegmentReport segment in whole.Segments)
        {
            for (int at = 0; at < segment.UsedBytes; at++)
            {
                SimulatedDisk copy = disk.Copy();
                copy[segment.File][at] ^= 0x10;
                try
                {
                    using Journal<long> journal = Kit.Open(copy, Kit.Small with { CheckAll = true });
                    // Only the mark of the last closing can be lost without a witness, and it holds no item.
                    Assert.True(journal.Found.TornBytes > 0);
                    Assert.False(journal.Found.WasClosed);
                    Assert.Equal(expected, Kit.Numbers(copy));
                }
                catch (JournalDamagedException refused)
                {
                    Assert.Equal(segment.File, refused.Damage.File);
                    Assert.InRange(refused.Damage.Offset, 0, at);
                }
            }
        }
    }

    /// <summary>The known hole, and its bounds: nothing in a journal that was not closed speaks for its last batch.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Open_OfAnyFlippedByteOfAJournalThatWasNotClosed_CutsTheLastBatchAndRefusesTheRest(int groupsOfTheLast)
    {
        var disk = new SimulatedDisk(new Random(1));
        JournalOptions options = Kit.Small with { SegmentLength = 16_384, GroupLength = 40 };
        var journal = Journal<byte[]>.Open(disk, JournalCodec.Bytes, options);
        // Of odd lengths, so that there are zeros between groups.
        for (int i = 0; i < 20; i++) journal.Store(new byte[1 + (i % 9)]);
        int last = (int)journal.Writer.Written.Offset;
        journal.Store([.. Enumerable.Range(0, groupsOfTheLast).Select(static n => Enumerable.Repeat((byte)1, 41 + n).ToArray())]);
        int end = (int)journal.Writer.Written.Offset;
        disk.Restart();
        for (int at = 0; at < end; at++)
        {
            SimulatedDisk copy = disk.Copy();
            copy[JournalFormat.SegmentName(0)][at] ^= 0x10;
            if (at < last)
            {
                JournalDamagedException refused = Assert.Throws<JournalDamagedException>(() => Journal<byte[]>.Open(copy, JournalCodec.Bytes, options));
                Assert.InRange(refused.Damage.Offset, 0, at);
                Assert.NotNull(JournalFolder.Inspect(copy).Damage);
                JournalFolder.Cut(copy);
                using var cut = Journal<byte[]>.Open(copy, JournalCodec.Bytes, options);
                Assert.InRange(cut.Found.Next, 0, 20);
                continue;
            }

            using var again = Journal<byte[]>.Open(copy, JournalCodec.Bytes, options);
            Assert.InRange(again.Found.Next, 20, 20 + groupsOfTheLast);
            // Behind the last byte of the last group nothing is lost; all the same it is told.
            Assert.True(again.Found.TornBytes > 0, $"{at} of {end} is not told");
        }

        Assert.Single(JournalFolder.Inspect(disk).Segments);
        Tally.Add(Counted.Faults, end);
    }

    [Fact]
    public void Inspect_OfAnyCutFile_ReportsIt_AndCutKeepsWhatIsBeforeIt()
    {
        SimulatedDisk disk = Kit.Hundred();
        JournalReport whole = JournalFolder.Inspect(disk);
        foreach (SegmentReport segment in whole.Segments)
        {
            for (int length = 0; length < segment.Length; length += length < segment.UsedBytes ? 1 : 97)
            {
                SimulatedDisk copy = disk.Copy();
                copy[segment.File] = disk[segment.File][..length];
                Assert.NotNull(JournalFolder.Inspect(copy).Damage);
                Assert.Throws<JournalDamagedException>(() => Kit.Open(copy, Kit.Small with { CheckAll = true }));

                JournalFolder.Cut(copy);
                using Journal<long> journal = Kit.Open(copy);
                Assert.Equal(journal.Found.Next, Kit.Numbers(copy).Count);
                Assert.Equal(Enumerable.Range(0, (int)journal.Found.Next).Select(static n => (long)n), Kit.Numbers(copy));
                long least = length < JournalFormat.SegmentHeaderLength ? segment.First : length >= segment.UsedBytes ? segment.Next : segment.First;
                Assert.InRange(journal.Found.Next, least, whole.Next);
            }
        }
    }

    [Fact]
    public void Open_WithoutASegmentOfTheMiddle_SaysWhichItemsAreMissing()
    {
        SimulatedDisk disk = Kit.Hundred();
        JournalReport whole = JournalFolder.Inspect(disk);
        Assert.True(whole.Segments.Count >= 3, $"{whole.Segments.Count} segments");
        disk.Delete(whole.Segments[1].File);
        JournalDamagedException refused = Assert.Throws<JournalDamagedException>(() => Kit.Open(disk));
        Assert.Equal(whole.Segments[1].First, refused.Damage.Sequence);
        JournalFolder.Cut(disk);
        using Journal<long> journal = Kit.Open(disk);
        Assert.Equal(whole.Segments[1].First, journal.Found.Next);
    }

    /// <summary>Bytes that an earlier opening left behind a cut fit in length, place and sequence; only the chain tells.</summary>
    [Fact]
    public void Open_WithALeftoverOfAnEarlierOpeningBehindTheEnd_DoesNotTakeItForAGroup()
    {
        var disk = new SimulatedDisk(new Random(1));
        string name = JournalFormat.SegmentName(0);
        var first = Journal<byte[]>.Open(disk, JournalCodec.Bytes, Kit.Small);
        int start = (int)first.Writer.Written.Offset;
        first.Store(new byte[100]);
        int second = (int)first.Writer.Written.Offset;
        first.Store([2]);
        byte[] leftover = disk[name][second..(int)first.Writer.Written.Offset];
        disk.Restart();
        disk[name].AsSpan(start).Clear();

        // Shorter by the mark of this opening: the leftover's place is the next one.
        var other = Journal<byte[]>.Open(disk, JournalCodec.Bytes, Kit.Small);
        other.Store(new byte[100 - JournalFormat.GroupHeaderLength]);
        Assert.Equal(second, other.Writer.Written.Offset);
        disk.Restart();
        leftover.CopyTo(disk[name], second);

        Assert.Equal(1, JournalFolder.Inspect(disk).Count);
        using var again = Journal<byte[]>.Open(disk, JournalCodec.Bytes, Kit.Small);
        Assert.Equal(1, again.Found.Next);
        Assert.True(again.Found.TornBytes > 0);
    }
}
