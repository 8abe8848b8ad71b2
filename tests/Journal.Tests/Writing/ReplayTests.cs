using System.Buffers;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Writing;

/// <summary>A replay step by step: what may not come before it, and what ends it.</summary>
public sealed class ReplayTests
{
    [Fact]
    public async Task BeginReplay_InAManualPipeline_PublishesWhatThereIsRoomFor()
    {
        var disk = Kit.Hundred();
        using Journal<long> journal = Kit.Open(disk);
        List<long> seen = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16)
            .Stage("journal", journal).Stage("see", (ref long item) => seen.Add(item)).Run(Plan.Manual);
        JournalReplay<long> replay = journal.BeginReplay(pipeline.CreateProducer(), from: 30);
        while (replay.Left > 0)
        {
            Assert.InRange(replay.TryPublish(), 1, 16);
            pipeline.StepAll();
        }

        Assert.Equal(Enumerable.Range(30, 70).Select(static n => (long)n), seen);
    }

    [Fact]
    public async Task Publish_BeforeTheReplayHasEnded_FailsTheStageAndStoresNothing()
    {
        var disk = Kit.Hundred();
        using Journal<long> journal = Kit.Open(disk);
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).MultiProducer().Stage("journal", journal).Run(Plan.Manual);
        JournalReplay<long> replay = journal.BeginReplay(pipeline.CreateMultiProducer());
        replay.TryPublish();
        pipeline.StepAll();
        pipeline.CreateMultiProducer().Publish(7);
        pipeline.StepAll();
        Assert.Equal(RingState.Faulted, pipeline.State);
        Assert.Equal(100, journal.NextSequence);
    }

    // The stage sees both in one batch, or the stored items when the early one is stored already.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Publish_BeforeTheReplayBegins_FailsTheStageAndStoresNothingTwice(bool isStoredMeanwhile)
    {
        var disk = Kit.Hundred();
        using Journal<long> journal = Kit.Open(disk);
        await using Pipeline<long> pipeline = Pipeline.Of<long>(256).Stage("journal", journal).Run(Plan.Manual);
        SingleProducer<long> producer = pipeline.CreateProducer();
        JournalReplay<long>? replay = null;
        producer.Publish(7);
        if (isStoredMeanwhile)
        {
            // The stage has looked whether a replay is under way, and the replay has looked whether an item was stored.
            disk.Plan = _ =>
            {
                disk.Plan = static _ => DiskFault.None;
                replay = journal.BeginReplay(producer);
                return DiskFault.None;
            };
            pipeline.StepAll();
        }

        replay ??= journal.BeginReplay(producer);
        while (replay.TryPublish() > 0) continue;
        pipeline.StepAll();
        Assert.Equal(RingState.Faulted, pipeline.State);
        Assert.Equal(isStoredMeanwhile ? 101 : 100, journal.NextSequence);
    }

    [Fact]
    public async Task TryPublish_BehindAnItemThatCouldNotBeRead_ThrowsTheSameAgain()
    {
        var disk = Kit.Hundred();
        var codec = new Failing { FailsAt = 50 };
        using var journal = Journal<long>.Open(disk, codec, Kit.Small);
        List<long> seen = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16)
            .Stage("journal", journal).Stage("see", (ref long item) => seen.Add(item)).Run(Plan.Manual);
        JournalReplay<long> replay = journal.BeginReplay(pipeline.CreateProducer());
        FormatException? first = null;
        while (first is null)
        {
            first = Record.Exception(() => replay.TryPublish()) as FormatException;
            pipeline.StepAll();
        }

        codec.FailsAt = -1;
        Assert.Same(first, Assert.Throws<FormatException>(() => replay.TryPublish()));
        pipeline.StepAll();
        Assert.Equal(Enumerable.Range(0, seen.Count).Select(static n => (long)n), seen);
        Assert.True(seen.Count <= 50, $"{seen.Count} items");
    }

    /// <summary>Writes as the kit's codec does, and cannot read one item.</summary>
    private sealed class Failing : IJournalCodec<long>
    {
        private readonly IJournalCodec<long> _codec = JournalCodec.Unmanaged<long>("number");

        public long FailsAt { get; set; }

        public JournalSchema Schema => _codec.Schema;

        public void Write(ref readonly long item, IBufferWriter<byte> output) => _codec.Write(in item, output);

        public void Read(ReadOnlySpan<byte> bytes, JournalSchema stored, ref long item)
        {
            _codec.Read(bytes, stored, ref item);
            if (item == FailsAt) throw new FormatException();
        }
    }
}
