using System.Text;
using Microsoft.Win32.SafeHandles;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Suites.Batching;

/// <summary>A disk that is full in the middle of a batch, with a handler as a user would write it.</summary>
public sealed class DiskFullTests
{
    private const int Items = 5_000;
    private const int Size = 100;

    // No multiple of the size: so the write that fails is torn, whatever the batches are.
    private const int RoomPages = 41;
    private const int AllPages = 256;

    [Fact]
    public async Task DiskFull_WhileABatchIsAppended_WritesTheRestOnceWhenThereIsRoom()
    {
        using var disk = new SmallDisk(AllPages);
        string filler = disk.File("filler"), path = disk.File("records");
        await File.WriteAllBytesAsync(filler, new byte[(AllPages - RoomPages) * SmallDisk.Page]);
        using var appender = new Appender(path);
        var acknowledged = new Acknowledger();
        await using Pipeline<long> pipeline = Define(appender, acknowledged, FaultPolicy.Retry(40, TimeSpan.FromMilliseconds(1))).Build();
        using SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < Items; item++) producer.Publish(item);
        await pipeline.StartAsync();

        Stage append = pipeline["append"];
        await Watchdog.UntilAsync(() => append.GetStatistics().Retries >= 3 && acknowledged.Count == append.Position + 1, "it is full");
        long stored = acknowledged.Count;
        // What a failed write has left behind it is being cut off.
        byte[] full = Read(path, (int)stored * Size);
        File.Delete(filler);
        DrainResult drained = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

        // As long as it was full: each record that was acknowledged is in the file, whole, and few fitted.
        Assert.InRange(stored, 1, RoomPages * SmallDisk.Page / Size);
        Assert.Equal(Records(stored), full);
        // Afterwards: every record once, in order, without the remains of a write that failed.
        Assert.True(drained.IsDrained);
        Assert.Equal(Records(Items), ReadAll(path));
        Assert.Equal(Items, acknowledged.Count);
        Assert.True(appender.BytesCut > 0);
        StageStatistics seen = append.GetStatistics();
        Assert.Equal((seen.Faults, 0L, 0L), (seen.Retries, seen.Skipped, seen.DeadLettered));
    }

    [Fact]
    public async Task DiskFull_ForGood_FaultsThePipelineAndKeepsWhatWasAcknowledged()
    {
        using var disk = new SmallDisk(RoomPages);
        string path = disk.File("records");
        using var appender = new Appender(path);
        var acknowledged = new Acknowledger();
        await using Pipeline<long> pipeline = Define(appender, acknowledged, FaultPolicy.Retry(2, TimeSpan.FromMilliseconds(1))).Run();
        using SingleProducer<long> producer = pipeline.CreateProducer();

        var told = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Run(() =>
        {
            for (long item = 0; ; item++) producer.Publish(item);
        }).OrHang());
        await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());

        Assert.Equal("append", told.Stage);
        Assert.IsType<IOException>(told.InnerException);
        byte[] file = ReadAll(path);
        Assert.True(acknowledged.Count <= pipeline["append"].Position + 1);
        Assert.Equal(Records(acknowledged.Count), file.AsSpan(0, (int)acknowledged.Count * Size).ToArray());
    }

    private static PipelineBuilder<long, long> Define(Appender appender, Acknowledger acknowledged, FaultPolicy policy) =>
        Pipeline.Of<long>(8_192)
            .Stage("append", appender, new StageOptions { Dispatch = Dispatch.Batch(max: 64), OnFault = policy })
            .Stage("acknowledge", acknowledged);

    private static byte[] Records(long count)
    {
        byte[] records = new byte[count * Size];
        for (int i = 0; i < count; i++) Write(i, records.AsSpan(i * Size, Size));
        return records;
    }

    private static void Write(long item, Span<byte> record)
    {
        record.Fill((byte)'.');
        Encoding.ASCII.GetBytes($"record {item}", record);
        record[^1] = (byte)'\n';
    }

    private static byte[] ReadAll(string path) => Read(path, (int)new FileInfo(path).Length);

    private static byte[] Read(string path, int length)
    {
        using var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        byte[] bytes = new byte[length];
        stream.ReadExactly(bytes);
        return bytes;
    }

    /// <summary>Appends a batch by one write and syncs it. What a write that failed has left is cut off before the next one.</summary>
    private sealed class Appender(string path) : IBatchHandler<long>, IDisposable
    {
        private readonly SafeFileHandle _file = File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.Read);
        private byte[] _bytes = [];
        private long _end;

        public long BytesCut { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            long torn = RandomAccess.GetLength(_file) - _end;
            if (torn > 0)
            {
                RandomAccess.SetLength(_file, _end);
                BytesCut += torn;
            }

            int length = batch.Count * Size;
            if (_bytes.Length < length) _bytes = new byte[length];
            for (int i = 0; i < batch.Count; i++) Write(batch[i], _bytes.AsSpan(i * Size, Size));
            RandomAccess.Write(_file, _bytes.AsSpan(0, length), _end);
            RandomAccess.FlushToDisk(_file);
            _end += length;
        }

        public void Dispose() => _file.Dispose();
    }

    private sealed class Acknowledger : IBatchHandler<long>
    {
        private long _count;

        public long Count => Volatile.Read(ref _count);

        public void OnBatch(Batch<long> batch) => Volatile.Write(ref _count, _count + batch.Count);
    }
}
