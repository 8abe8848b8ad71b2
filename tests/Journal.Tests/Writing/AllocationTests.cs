using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Writing;

/// <summary>Tests that measure something of the whole process: never beside others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    public const string Name = "Alone";
}

/// <summary>An item costs no allocation: stored, awaited, or replayed.</summary>
[Collection(AloneCollection.Name)]
public sealed class AllocationTests
{
    private const int Count = 20_000;
    private const int Stored = 200_000;

    private static readonly JournalOptions s_large = new() { SegmentLength = 32 << 20, GroupLength = 64 << 10, Durability = Durability.LeftToTheSystem, Ahead = null };

    public static TheoryData<bool> Synced => [true, false];

    [Theory]
    [MemberData(nameof(Synced))]
    public void Store_OfItems_AllocatesNothing(bool eachBatch)
    {
        using var folder = new TempFolder();
        JournalOptions options = eachBatch ? s_large with { Durability = Durability.EachBatch } : s_large;
        using Journal<long> journal = Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), options);
        long[] items = new long[100];
        long ring = 0;
        void Run()
        {
            for (int i = 0; i < Count / items.Length; i++, ring += items.Length) journal.Stage.OnBatch(new Batch<long>(items, ring));
        }

        Run();
        // A batch of 100 is far below one object per item.
        Allocated.AssertFewer(Count / items.Length / 2, Run);
    }

    [Fact]
    public async Task PublishAsync_AwaitedOneByOne_AllocatesNothing()
    {
        using var folder = new TempFolder();
        using Journal<long> journal = Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), s_large);
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).Stage("journal", journal).Run();
        DurablePublisher<long> publisher = journal.CreatePublisher(pipeline.CreateProducer());
        async Task Run()
        {
            for (int i = 0; i < Count / 10; i++) await publisher.PublishAsync(i);
        }

        await Run();
        await Allocated.AssertFewerAsync(Count / 10 / 4, Run);
    }

    [Fact]
    public void Replay_OfItems_AllocatesNothingPerItem()
    {
        using var folder = new TempFolder();
        using (Journal<long> journal = Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), s_large)) journal.Store(new long[Stored]);
        // Opening, the windows of two readers and the pipeline are there once.
        Allocated.AssertFewer(Stored / 3, () =>
        {
            using Journal<long> journal = Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), s_large);
            Pipeline<long> pipeline = Pipeline.Of<long>(256).Stage("journal", journal).Run(Plan.Manual);
            JournalReplay<long> replay = journal.BeginReplay(pipeline.CreateProducer());
            while (replay.Left > 0)
            {
                Assert.True(replay.TryPublish() > 0);
                while (pipeline["journal"].Step().Kind == StepKind.Progressed) continue;
            }

            pipeline.DisposeAsync().AsTask().GetAwaiter().GetResult();
        });
    }
}
