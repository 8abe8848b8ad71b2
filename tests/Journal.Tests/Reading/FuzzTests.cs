using Raceway.Interop.Journal.Format;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Reading;

/// <summary>Files that no writer has written: reading them ends, by an answer or a <see cref="JournalException"/>, in bounded memory.</summary>
public sealed class FuzzTests
{
    private const long MostBytes = 4 << 20;

    private static int Rounds => Tally.IsLong ? 1_000_000 : 20_000;

    [Fact]
    public void Read_OfRandomChanges_NeverCrashesOrHangsOrAllocatesMuch()
    {
        SimulatedDisk disk = Kit.Hundred();
        string[] names = [.. disk.List()];
        var random = new Random(3);
        for (int round = 0; round < Rounds; round++)
        {
            SimulatedDisk copy = disk.Copy();
            for (int change = random.Next(1, 4); change > 0; change--) Change(copy, names[random.Next(names.Length)], random);
            Look(copy, round);
        }

        Tally.Add(Counted.BadInputs, Rounds);
    }

    /// <summary>Their checksums are right, so every number in them is looked at.</summary>
    [Fact]
    public void Read_OfHostileNumbersWithRightChecksums_NeverCrashesOrHangsOrAllocatesMuch()
    {
        SimulatedDisk disk = Kit.Hundred();
        string name = JournalFormat.SegmentName(0);
        SegmentHeader segment = SegmentHeader.Read(disk[name], out _)!.Value;
        var random = new Random(4);
        for (int round = 0; round < Rounds; round++)
        {
            SimulatedDisk copy = disk.Copy();
            if (random.Next(2) == 0)
            {
                new SegmentHeader(
                    segment.Journal, Number(random, segment.First), Number(random, segment.Previous), Number(random, segment.Length),
                    (ulong)Number(random, (long)segment.Epoch), segment.Schema, (int)Number(random, segment.Alignment)).WriteTo(copy[name]);
            }
            else
            {
                int at = JournalFormat.SegmentHeaderLength + (random.Next(3) * JournalFormat.GroupHeaderLength);
                var header = new GroupHeader(
                    (GroupKind)Number(random, 1), (int)Number(random, 16), (int)Number(random, 1), Number(random, 0), (int)Number(random, 4_096),
                    segment.Checksum, (ulong)Number(random, 1), (uint)random.Next());
                header.WriteTo(copy[name].AsSpan(at), segment, at);
            }

            Look(copy, round);
        }

        Tally.Add(Counted.BadInputs, Rounds);
    }

    private static long Number(Random random, long usual) => random.Next(7) switch
    {
        0 => 0,
        1 => -1,
        2 => int.MaxValue,
        3 => long.MaxValue,
        4 => random.NextInt64(),
        5 => usual + random.Next(-2, 3),
        _ => usual,
    };

    private static void Change(SimulatedDisk disk, string name, Random random)
    {
        byte[] bytes = disk[name];
        // An earlier change has cut it off.
        if (bytes.Length < sizeof(long)) return;
        switch (random.Next(5))
        {
            case 0:
                disk[name] = bytes[..random.Next(bytes.Length + 1)];
                break;
            case 1:
                random.NextBytes(bytes.AsSpan(random.Next(bytes.Length)));
                break;
            case 2:
                int at = random.Next(bytes.Length / 8) * 8;
                int length = Math.Min(random.Next(1, 600), bytes.Length - at);
                bytes.AsSpan(random.Next(bytes.Length - length + 1), length).CopyTo(bytes.AsSpan(at, length));
                break;
            case 3:
                disk[JournalFormat.SegmentName(random.Next(200))] = (byte[])bytes.Clone();
                break;
            default:
                bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
                break;
        }
    }

    private static void Look(SimulatedDisk disk, int round)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            JournalReport report = JournalFolder.Inspect(disk);
            Assert.InRange(report.Count, 0, 100);
            // Opened and cut as they would be by a user; each item read is one that was written.
            if (report.Damage is not null) JournalFolder.Cut(disk);
            using Journal<long> journal = Kit.Open(disk);
            List<long> numbers = Kit.Numbers(disk);
            Assert.Equal(Enumerable.Range((int)journal.Found.First, numbers.Count).Select(static n => (long)n), numbers);
        }
        catch (JournalException)
        {
            // Refused, with a reason.
        }
        catch (Exception fault)
        {
            throw new InvalidOperationException($"round {round}: {fault.Message}", fault);
        }

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, MostBytes);
    }
}
