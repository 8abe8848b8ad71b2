using Raceway.Interop.Journal.Format;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Writing;

/// <summary>The journal as a stage: under every plan, with a replay before live items, and when it fails.</summary>
public sealed class PipelineTests
{
    private static readonly TimeSpan s_drain = TimeSpan.FromMinutes(5);

    public static TheoryData<Plan> Plans => [.. Enum.GetValues<Plan>().Where(static plan => plan != Plan.Manual)];

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Replay_UnderAnyPlan_GivesTheSameStateAndLiveItemsFollow(Plan plan)
    {
        using var folder = new TempFolder();
        long expected = 0;
        for (int run = 0; run < 3; run++)
        {
            var logic = new Logic();
            using Journal<Order> journal = Journal<Order>.Open(
                folder.Path, JournalCodec.Unmanaged<Order>(), Kit.Small with { SegmentLength = 65_536 }, static (ref Order item, long sequence) => item.Sequence = sequence);
            Assert.Equal(run * 1_000, journal.Found.Next);
            logic.Journal = journal;
            await using Pipeline<Order> pipeline = Pipeline.Of<Order>(64)
                .Stage("journal", journal, Dispatch.Batch(max: 16)).Stage("logic", logic).Run(plan);
            SingleProducer<Order> producer = pipeline.CreateProducer();
            Assert.Equal(run * 1_000, journal.Replay(producer));
            for (int i = 0; i < 1_000; i++)
            {
                long amount = (run * 1_000) + i;
                expected = (expected * 31) + amount;
                producer.Publish(new Order { Amount = amount });
            }

            DrainResult result = await Watchdog.Await(pipeline.DrainAsync(s_drain), pipeline.Ring);
            Assert.True(result.IsDrained, $"{result}");
            Assert.Equal((run + 1) * 1_000, logic.Next);
            Assert.Equal(0, logic.Wrong);
            Assert.Equal(expected, logic.Hash);
        }
    }

    // A sync is for a whole batch. Without one in each batch nothing is gained by long ones.
    [Theory]
    [InlineData(0, 5_000)]
    [InlineData(10, 2_048)]
    [InlineData(null, 2_048)]
    public async Task Step_OfAJournalThatSyncsEachBatch_TakesAllThatWaits(int? interval, int expected)
    {
        Durability durability = interval switch
        {
            0 => Durability.EachBatch,
            { } milliseconds => Durability.Every(TimeSpan.FromMilliseconds(milliseconds)),
            null => Durability.LeftToTheSystem,
        };
        using Journal<long> journal = Kit.Open(
            new SimulatedDisk(new Random(1)), Kit.Small with { Durability = durability, SegmentLength = 1 << 20, GroupLength = 65_536 });
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8_192).Stage("journal", journal).Run(Plan.Manual);
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long n = 0; n < 5_000; n++) producer.Publish(n);

        pipeline["journal"].Step();

        Assert.Equal(expected, journal.NextSequence);
    }

    [Fact]
    public async Task Stage_OfADiskThatFails_FaultsAndAcknowledgesNothing()
    {
        var disk = new SimulatedDisk(new Random(2));
        using Journal<long> journal = Kit.Open(disk);
        List<long> seen = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16)
            .Stage("journal", journal).Stage("see", (ref long item) => seen.Add(item)).Run(Plan.Manual);
        SingleProducer<long> producer = pipeline.CreateProducer();
        producer.Publish(1);
        pipeline.StepAll();
        Assert.Equal([1], seen);
        Task durable = journal.WaitForDurableAsync(1).AsTask();
        disk.Plan = static _ => DiskFault.Error;
        producer.Publish(2);
        pipeline.StepAll();

        Assert.Equal(RingState.Faulted, pipeline.State);
        Assert.Equal([1], seen);
        Assert.Equal(0, journal.DurableSequence);
        await Assert.ThrowsAsync<JournalException>(async () => await durable);
        await Assert.ThrowsAsync<JournalException>(async () => await journal.WaitForDurableAsync(1));
        Assert.Throws<JournalException>(() => journal.Close());
    }

    [Fact]
    public async Task Stage_WithAnItemThatCannotBeWritten_StoresThoseBeforeIt()
    {
        var disk = new SimulatedDisk(new Random(2));
        byte[] tooLong = new byte[300];
        using (var journal = Journal<byte[]>.Open(disk, JournalCodec.Bytes, Kit.Small))
        {
            await using Pipeline<byte[]> pipeline = Pipeline.Of<byte[]>(16).Stage("journal", journal).Run(Plan.Manual);
            pipeline.CreateProducer().Publish([[1], [2], tooLong, [3]]);
            pipeline.StepAll();
            Assert.Equal(RingState.Faulted, pipeline.State);
            Assert.Equal(1, journal.DurableSequence);
        }

        Assert.Equal(2, JournalFolder.Inspect(disk).Count);
    }

    [Fact]
    public void Attach_WithAPolicyThatGoesOn_IsRefused()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        ArgumentException refused = Assert.ThrowsAny<ArgumentException>(
            () => Pipeline.Of<long>(16).Stage("journal", journal, new StageOptions { OnFault = FaultPolicy.Skip }).Build());
        Assert.Contains("FaultPolicy.Stop", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Attach_AsAStatelessStage_IsRefused()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        Assert.ThrowsAny<ArgumentException>(
            () => Pipeline.Of<long>(16).Stage("journal", journal, new StageOptions { IsStateless = true, Dispatch = Dispatch.Batch() }).Build());
    }

    // A durable publish of an item that the filter leaves out would complete, and the item would be stored nowhere.
    [Fact]
    public void Attach_BehindAFilter_IsRefused()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        ArgumentException refused = Assert.ThrowsAny<ArgumentException>(
            () => Pipeline.Of<long>(16).Filter("even", static (ref readonly long item) => item % 2 == 0).Stage("journal", journal).Build());
        Assert.Contains("Put the journal before them", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Attach_OfASecondPipeline_IsRefused()
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        Pipeline.Of<long>(16).Stage("journal", journal).Build();
        Assert.ThrowsAny<InvalidOperationException>(() => Pipeline.Of<long>(16).Stage("journal", journal).Build());
    }

    [Fact]
    public void Open_OfAJournalThatIsOpen_IsRefused()
    {
        using var folder = new TempFolder();
        using (Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), Kit.Small))
        {
            JournalException refused = Assert.Throws<JournalException>(() => Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), Kit.Small));
            Assert.Contains("one writer", refused.Message, StringComparison.Ordinal);
        }

        Journal<long>.Open(folder.Path, JournalCodec.Unmanaged<long>(), Kit.Small).Dispose();
    }

    [Fact]
    public void Open_WithAnotherSchema_IsRefusedUnlessTheCodecReadsIt()
    {
        var disk = Kit.Hundred();
        Assert.Throws<JournalException>(() => Journal<int>.Open(disk, JournalCodec.Unmanaged<int>("other"), Kit.Small));
        using (Journal<long> journal = Journal<long>.Open(disk, new NewCodec(), Kit.Small)) journal.Store(100);
        JournalReport report = JournalFolder.Inspect(disk);
        Assert.Equal(101, report.Count);
        Assert.Equal(2, report.Segments.Select(static one => one.Schema).Distinct().Count());
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MaxValue)]
    public async Task WaitForDurable_OfASequenceThatNoItemCanHave_IsRefused(long sequence)
    {
        using Journal<long> journal = Kit.Open(new SimulatedDisk(new Random(1)));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(async () => await journal.WaitForDurableAsync(sequence));
    }

    [Fact]
    public void Close_Always_LetsAReaderKnowThatNothingIsMissing()
    {
        var disk = Kit.Hundred();
        JournalReport report = JournalFolder.Inspect(disk);
        Assert.True(report.WasClosed);
        Assert.Equal(JournalFormat.SegmentName(0), report.Segments[0].File);
    }

    private struct Order
    {
        public long Amount;
        public long Sequence;
    }

    private sealed class Logic : IBatchHandler<Order>
    {
        public Journal<Order>? Journal { get; set; }

        public long Next { get; private set; }

        public long Hash { get; private set; }

        public long Wrong { get; private set; }

        public void OnBatch(Batch<Order> batch)
        {
            foreach (ref Order order in batch)
            {
                if (order.Sequence != Next++ || order.Sequence > Journal!.DurableSequence) Wrong++;
                Hash = (Hash * 31) + order.Amount;
            }
        }
    }

    private sealed class NewCodec : IJournalCodec<long>
    {
        public JournalSchema Schema => new(1, 2);

        public bool CanRead(JournalSchema stored) => true;

        public void Write(ref readonly long item, System.Buffers.IBufferWriter<byte> output) => System.Buffers.BuffersExtensions.Write(output, BitConverter.GetBytes(item));

        public void Read(ReadOnlySpan<byte> bytes, JournalSchema stored, ref long item) => item = BitConverter.ToInt64(bytes);
    }
}
