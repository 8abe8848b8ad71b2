using System.Buffers;
using System.Globalization;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Writing;

/// <summary>Many items through one journal, with snapshots: memory, handles and files stay as many as they were.</summary>
/// <remarks><c>RACEWAY_LONG=1</c> asks for 10⁸ items, <c>RACEWAY_ITEMS</c> for so many.</remarks>
[Collection(AloneCollection.Name)]
public sealed class EnduranceTests(ITestOutputHelper output)
{
    private const int Looks = 10;
    private const int Claim = 256;
    private const int SavesEach = 100_000;

    // The pool of arrays keeps a megabyte of zeros for each thread of the pool that has made a segment.
    private const long Slack = 8 << 20;

    private static long Items =>
        long.TryParse(Environment.GetEnvironmentVariable("RACEWAY_ITEMS"), CultureInfo.InvariantCulture, out long items) ? items
        : Tally.IsLong ? 100_000_000 : 2_000_000;

    [Fact]
    public async Task Run_OfManyItems_KeepsMemoryHandlesAndFilesFlat()
    {
        using var folder = new TempFolder();
        long items = Items / Claim * Claim;
        // A roll every 100,000 items or so.
        var options = new JournalOptions { SegmentLength = 2 << 20, GroupLength = 64 << 10, MaxItemLength = 64, KeepSnapshots = 1 };
        using (Journal<long> journal = Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), options))
        {
            var sum = new Sum(journal);
            await using Pipeline<long> pipeline = Pipeline.Of<long>(8_192).Stage("journal", journal).Stage("sum", sum).Run();
            using SingleProducer<long> producer = pipeline.CreateProducer();
            long[] claim = new long[Claim];
            List<Look> looks = [];
            for (long next = 0, look = 1; next < items; next += Claim)
            {
                for (int i = 0; i < Claim; i++) claim[i] = next + i;
                producer.Publish(claim);
                if (next + Claim < items * look / Looks) continue;
                look++;
                await Watchdog.UntilAsync(() => pipeline.Backlog == 0, pipeline.Ring);
                // Behind a snapshot of all, one segment is needed.
                await Watchdog.UntilAsync(sum.TrySave, "a snapshot");
                await Watchdog.UntilAsync(() => Directory.GetFiles(folder.Path, "*.segment").Length == 1, "segments removed");
                looks.Add(Look.Of(folder.Path));
                output.WriteLine($"{next + Claim} items: {looks[^1]}");
            }

            Assert.Equal(Looks, looks.Count);
            // The first look is behind the warm-up. The next segment may be on the way at one look and not at another.
            Assert.All(looks, look => Assert.InRange(look.Memory, 0, looks[0].Memory + Slack));
            Assert.All(looks, look => Assert.InRange(look.Handles, 0, looks[0].Handles + 3));
            Assert.All(looks, look => Assert.InRange(look.Files, 0, looks[0].Files + 3));
            // Segments, snapshots and looks have their objects: far below a byte per item.
            Assert.InRange(looks[^1].Allocated - looks[0].Allocated, 0, items + Slack);
            Assert.InRange(journal.Snapshots.Written, 1, long.MaxValue);
            Assert.Null(journal.Snapshots.Fault);
            Assert.Equal(items * (items - 1) / 2, sum.Total);
        }

        // What is left of it: the last snapshots and the items behind them.
        using Journal<long> again = Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), options);
        JournalSnapshot latest = again.Snapshots.Latest!;
        long total = BitConverter.ToInt64(latest.State.Span);
        foreach (StoredItem item in JournalFolder.Read(folder.Path, latest.Next)) total += BitConverter.ToInt64(item.Bytes.Span);
        Assert.Equal((items, items * (items - 1) / 2), (again.Found.Next, total));
        Tally.Add(Counted.Operations, items);
    }

    // Objects that live, open files of the process, files of the journal, and bytes allocated since the start.
    private readonly record struct Look(long Memory, int Handles, int Files, long Allocated, long Resident)
    {
        public static Look Of(string folder)
        {
            long allocated = GC.GetTotalAllocatedBytes();
            GC.Collect();
            GC.WaitForPendingFinalizers();
            long memory = GC.GetTotalMemory(forceFullCollection: true);
            int handles = OperatingSystem.IsLinux() ? Directory.GetFileSystemEntries("/proc/self/fd").Length : 0;
            return new Look(memory, handles, Directory.GetFiles(folder).Length, allocated, Environment.WorkingSet);
        }

        public override string ToString() => string.Create(
            CultureInfo.InvariantCulture,
            $"{Memory:N0} bytes live, {Handles} handles, {Files} files, {Allocated:N0} bytes allocated, {Resident:N0} resident");
    }

    private sealed class Sum(Journal<long> journal) : IBatchHandler<long>
    {
        private long _next;

        public long Total { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            foreach (ref long item in batch) Total += item;
            long before = _next;
            _next += batch.Count;
            if (before / SavesEach != _next / SavesEach) TrySave();
        }

        public bool TrySave() =>
            journal.Snapshots.TrySave(_next, Total, static (total, output) => output.Write(BitConverter.GetBytes(total)));
    }
}
