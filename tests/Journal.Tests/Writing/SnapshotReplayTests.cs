using System.Buffers;
using System.Runtime.InteropServices;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Writing;

/// <summary>A state by a snapshot and its tail is the state by all items, under every plan, in the shape of an account service.</summary>
public sealed class SnapshotReplayTests
{
    private const int Runs = 3;
    private const int Each = 1_000;

    // With up to eight more, the last save of the last run is more than a batch before its end: there is a tail.
    private const int LeastSavesEach = 175;

    // From the first item on, so that a full replay stays possible.
    private static readonly JournalOptions s_options = Kit.Small with { SegmentLength = 65_536, KeepSnapshots = int.MaxValue };

    public static TheoryData<Plan> Plans => [.. Enum.GetValues<Plan>()];

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Replay_OfASnapshotAndItsTail_EqualsAFullReplay(Plan plan)
    {
        using var folder = new TempFolder();
        var expected = new Book();
        for (int run = 0; run < Runs; run++)
        {
            long[] live = [.. Enumerable.Range(run * Each, Each).Select(static n => (long)n * n)];
            foreach (long amount in live) expected.Add(amount);
            Book book = await Run(folder.Path, plan, fromSnapshot: true, live, savesEach: LeastSavesEach + (plan.GetHashCode() % 7) + run);
            Assert.Equal(expected.Hash, book.Hash);
        }

        Book full = await Run(folder.Path, plan, fromSnapshot: false, [], savesEach: int.MaxValue);
        Book quick = await Run(folder.Path, plan, fromSnapshot: true, [], savesEach: int.MaxValue);
        Assert.Equal((Runs * Each, expected.Hash), (full.Next, full.Hash));
        Assert.Equal((Runs * Each, expected.Hash), (quick.Next, quick.Hash));
        Assert.Equal(Runs * Each, full.Handled);
        Assert.InRange(quick.Handled, 1, Each);
    }

    private static async Task<Book> Run(string folder, Plan plan, bool fromSnapshot, long[] live, int savesEach)
    {
        using Journal<Entry> journal = Journal<Entry>.Open(
            folder, JournalCodec.Unmanaged<Entry>(), s_options, static (ref Entry item, long sequence) => item.Sequence = sequence);
        var book = new Book { Journal = journal, SavesEach = savesEach };
        if (journal.Found.Next == 0) book.Save();
        else if (fromSnapshot) book.Restore(journal.Snapshots.Latest!.State.Span);
        long beside = 0;
        await using Pipeline<Entry> pipeline = Pipeline.Of<Entry>(64)
            .Fork(
                one => one.Stage("journal", journal, Dispatch.Batch(max: 16)),
                two => two.Stage("beside", (ref Entry item) => beside += item.Amount))
            .Stage("book", book, Dispatch.Batch(max: 16)).Run(plan);
        using SingleProducer<Entry> producer = pipeline.CreateProducer();
        JournalReplay<Entry> replay = journal.BeginReplay(producer, book.Next);
        if (plan == Plan.Manual)
        {
            while (replay.Left > 0)
            {
                replay.TryPublish();
                StepAll(pipeline);
            }

            foreach (long amount in live)
            {
                Assert.Equal(ClaimStatus.Done, producer.TryPublish(new Entry { Amount = amount }));
                StepAll(pipeline);
            }
        }
        else
        {
            while (replay.Left > 0)
            {
                if (replay.TryPublish() == 0) await producer.WaitForRoomAsync();
            }

            foreach (long amount in live) producer.Publish(new Entry { Amount = amount });
            DrainResult drained = await Watchdog.Await(pipeline.DrainAsync(TimeSpan.FromMinutes(5)), pipeline.Ring);
            Assert.True(drained.IsDrained, $"{drained}");
        }

        Assert.Equal(0, book.Wrong);
        return book;
    }

    private static void StepAll(Pipeline<Entry> pipeline)
    {
        while (pipeline.Stages.Any(static stage => stage.Step().Kind == StepKind.Progressed)) continue;
    }

    private struct Entry
    {
        public long Amount;
        public long Sequence;
    }

    private sealed class Book : IBatchHandler<Entry>
    {
        // The next sequence, and a hash that knows the order.
        private readonly long[] _state = new long[2];

        public Journal<Entry>? Journal { get; init; }

        public int SavesEach { get; init; }

        public long Next => _state[0];

        public long Hash => _state[1];

        public long Handled { get; private set; }

        public long Wrong { get; private set; }

        public void OnBatch(Batch<Entry> batch)
        {
            foreach (ref Entry entry in batch)
            {
                if (entry.Sequence != Next) Wrong++;
                Add(entry.Amount);
                Handled++;
            }

            if (Next / SavesEach != (Next - batch.Count) / SavesEach) Save();
        }

        public void Add(long amount) => (_state[0], _state[1]) = (_state[0] + 1, (_state[1] * 31) + amount);

        public void Save() =>
            Journal!.Snapshots.TrySave(Next, this, static (book, output) => output.Write(MemoryMarshal.AsBytes(book._state.AsSpan())));

        public void Restore(ReadOnlySpan<byte> state) => MemoryMarshal.Cast<byte, long>(state).CopyTo(_state);
    }
}
