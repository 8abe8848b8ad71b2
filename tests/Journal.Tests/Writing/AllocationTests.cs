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
    private const int Callers = 512;
    private const int Each = 100;

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

    /// <summary>Many callers wait beside each other: for the disk, and with a small ring also for room.</summary>
    [Theory]
    [InlineData(4 * Callers)]
    [InlineData(Callers / 4)]
    public async Task PublishAsync_OfManyCallersAtOnce_AllocatesNothing(int slots)
    {
        using var folder = new TempFolder();
        using Journal<long> journal = Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), s_large with { Durability = Durability.EachBatch });
        await using Pipeline<long> pipeline = Pipeline.Of<long>(slots).Stage("journal", journal).Run();
        DurablePublisher<long> publisher = journal.CreatePublisher(pipeline.CreateProducer());
        using var cancellation = new CancellationTokenSource();
        async Task Call()
        {
            for (int i = 0; i < Each; i++) await publisher.PublishAsync(i, cancellation.Token);
        }

        var calls = new Task[Callers];
        async Task Run()
        {
            for (int i = 0; i < Callers; i++) calls[i] = Call();
            await Task.WhenAll(calls);
        }

        await Run();
        // The calls themselves are an object or two each, and store so many items. Far below one object per item.
        await Allocated.AssertFewerAsync(Callers * Each / 4, Run);
    }

    [Fact]
    public void Replay_OfItems_AllocatesNothingPerItem()
    {
        using var folder = new TempFolder();
        JournalOptions segments = s_large with { SegmentLength = 1 << 19, MaxItemLength = 1 << 10 };
        using (Journal<long> journal = Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), segments)) journal.Store(new long[Stored]);
        Assert.True(Directory.GetFiles(folder.Path, "*.segment").Length > 5);
        // Opening, the windows of two readers and the pipeline are there once, however many segments there are.
        Allocated.AssertFewer(Stored / 6, () =>
        {
            using Journal<long> journal = Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), segments);
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
