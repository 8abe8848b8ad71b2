using Raceway.Interop.Journal.Reading;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Format;

public sealed class CodecTests
{
    [Fact]
    public async Task Payload_OfASlot_ComesBackByAReplay()
    {
        var disk = new SimulatedDisk(new Random(1));
        var codec = JournalCodec.Payload<Message>(static (ref Message slot) => ref slot.Body);
        List<string> seen = [];
        for (int run = 0; run < 2; run++)
        {
            using var journal = Journal<Message>.Open(disk, codec, Kit.Small);
            await using Pipeline<Message> pipeline = Pipeline.Of<Message>(8)
                .Configure(static options => options with { Payload = static (ref Message slot) => ref slot.Body })
                .Stage("journal", journal).Stage("see", (ref Message item) => seen.Add(Convert.ToHexString(item.Body.Span))).Run(Plan.Manual);
            SingleProducer<Message> producer = pipeline.CreateProducer();
            Assert.Equal(run * 2, journal.Replay(producer));
            producer.PublishPayload([1, 2, 3], 0, static (ref Message _, int _) => { });
            producer.PublishPayload([], 0, static (ref Message _, int _) => { });
            while (pipeline.Stages.Any(static stage => stage.Step().Kind == StepKind.Progressed)) continue;
        }

        Assert.Equal(["010203", "", "010203", "", "010203", ""], seen);
    }

    [Fact]
    public void Fingerprint_OfStructs_DiffersByNamesTypesAndPlaces()
    {
        ulong[] all =
        [
            Of<Pair>(), Of<Swapped.Pair>(), Of<Renamed.Pair>(), Of<Retyped.Pair>(), Of<Packed.Pair>(), Of<Nested>(), Of<long>(),
        ];
        Assert.Equal(all.Length, all.Distinct().Count());
        Assert.Equal(Of<Pair>(), Of<Pair>());
        Assert.NotEqual(JournalCodec.Unmanaged<Pair>("a").Schema, JournalCodec.Unmanaged<Pair>("b").Schema);
        Assert.NotEqual(JournalCodec.Unmanaged<Pair>("a").Schema, JournalCodec.Unmanaged<Pair>("a", version: 2).Schema);
    }

    // Else a journal could not be opened when the runtime has been upgraded.
    [Fact]
    public void Fingerprint_OfGenericStructs_DoesNotDependOnVersionsOfAssemblies()
    {
        string text = LayoutFingerprint.TextOf(typeof(Box<long>), 24);
        Assert.DoesNotContain("Version", text, StringComparison.Ordinal);
        Assert.Contains("[System.Int64]", text, StringComparison.Ordinal);
        Assert.NotEqual(Of<Box<long>>(), Of<Box<ulong>>());
    }

    /// <summary>A version that is raised, and a codec that reads both.</summary>
    [Fact]
    public void Read_OfAnOlderVersion_IsTheCodecsOwn()
    {
        var disk = new SimulatedDisk(new Random(1));
        using (var old = Journal<long>.Open(disk, JournalCodec.Unmanaged<long>("amount"), Kit.Small)) old.Store(5);
        var codec = new Cents(JournalCodec.Unmanaged<long>("amount").Schema);
        using (var journal = Journal<long>.Open(disk, codec, Kit.Small)) journal.Store(7);
        using var items = new StoredItems(disk, SegmentFiles.Find(disk), 0, long.MaxValue);
        List<long> read = [];
        while (items.TryRead(out ReadOnlySpan<byte> bytes))
        {
            long item = 0;
            codec.Read(bytes, items.Schema, ref item);
            read.Add(item);
        }

        Assert.Equal([500, 7], read);
    }

    private static ulong Of<T>()
        where T : unmanaged => JournalCodec.Unmanaged<T>().Schema.Fingerprint;

    private struct Message
    {
        public Payload Body;
    }

#pragma warning disable CS0649 // Only their layout is looked at.
    private struct Pair
    {
        public int A;
        public long B;
    }

    private struct Nested
    {
        public Pair A;
    }

    private struct Box<T>
    {
        public T Value;
        public (T, int) Nested;
    }

    private static class Swapped
    {
        public struct Pair
        {
            public long B;
            public int A;
        }
    }

    private static class Renamed
    {
        public struct Pair
        {
            public int A;
            public long C;
        }
    }

    private static class Retyped
    {
        public struct Pair
        {
            public uint A;
            public long B;
        }
    }

    private static class Packed
    {
        [System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, Pack = 4)]
        public struct Pair
        {
            public int A;
            public long B;
        }
    }
#pragma warning restore CS0649

    // Older segments hold whole units.
    private sealed class Cents(JournalSchema old) : IJournalCodec<long>
    {
        public JournalSchema Schema => old with { Version = 2 };

        public bool CanRead(JournalSchema stored) => stored == Schema || stored == old;

        public void Write(ref readonly long item, System.Buffers.IBufferWriter<byte> output) =>
            System.Buffers.BuffersExtensions.Write(output, BitConverter.GetBytes(item));

        public void Read(ReadOnlySpan<byte> bytes, JournalSchema stored, ref long item) =>
            item = BitConverter.ToInt64(bytes) * (stored == old ? 100 : 1);
    }
}
