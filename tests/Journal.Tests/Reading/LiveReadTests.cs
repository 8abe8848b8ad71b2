using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Reading;

/// <summary>A journal is looked at while its writer is at work.</summary>
public sealed class LiveReadTests
{
    private const int Looks = 300;

    [Fact]
    public async Task Inspect_OfAJournalThatIsBeingWritten_FindsARowAndNoDamage()
    {
        using var folder = new TempFolder();
        using Journal<long> journal = Journal<long>.Open(
            folder.Path, JournalCodec.Unmanaged<long>(), Kit.Small with { SegmentLength = 1 << 20, GroupLength = 512 });
        bool stops = false;
        Task writing = Task.Run(() =>
        {
            for (long next = 0; !Volatile.Read(ref stops); next += 16)
                journal.Store([.. Enumerable.Range(0, 16).Select(n => next + n)]);
        });
        long least = 0;
        for (int i = 0; i < Looks; i++)
        {
            long durable = journal.DurableSequence;
            JournalReport report = JournalFolder.Inspect(folder.Path);
            Assert.Null(report.Damage);
            Assert.True(report.Next > durable, $"{report.Next} are found, and {durable} was durable before");
            Assert.InRange(report.Next, least, long.MaxValue);
            least = report.Next;
        }

        Volatile.Write(ref stops, true);
        await writing.OrHang();
    }
}
