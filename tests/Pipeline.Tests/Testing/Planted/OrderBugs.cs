using System.Diagnostics;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Testing.Planted;

internal sealed class ComparesWithTheItemBefore(bool isMended) : IEventHandler<long>
{
    private long _before;

    public List<long> Steps { get; } = [];

    // Shared by workers, the item before is not the one that was published before.
    public void OnEvent(ref long item, long sequence, bool endOfBatch)
    {
        Steps.Add(isMended ? item : item - _before);
        _before = item;
    }
}

internal sealed class ListsAcrossLanes(List<long> all, bool isMended) : IEventHandler<long>
{
    private readonly List<long> _mine = [];

    public IReadOnlyList<long> Mine => _mine;

    public IReadOnlyList<long> All => all;

    public void OnEvent(ref long item, long sequence, bool endOfBatch)
    {
        if (isMended) _mine.Add(item);
        else all.Add(item);
    }
}

internal sealed class PublishesIntoItsOwnRing(Publisher<long> publisher, bool isMended) : IEventHandler<long>
{
    public List<long> Rows { get; } = [];

    public void OnEvent(ref long item, long sequence, bool endOfBatch)
    {
        Rows.Add(item);
        if (item >= 1_000) return;
        if (isMended) Rows.Add(item + 1_000);
        else publisher.Publish(item + 1_000);
    }
}

internal sealed class FailsAtItsEnd(bool isMended) : IEventHandler<long>, IStageLifetime
{
    private readonly MemoryStream _file = new();

    public long Written { get; private set; }

    public void OnStart()
    {
    }

    public void OnEvent(ref long item, long sequence, bool endOfBatch)
    {
        _file.WriteByte((byte)item);
        Written = _file.Length;
    }

    public void OnStop()
    {
        _file.Dispose();
        if (!isMended) _file.Flush();
        if (!isMended) Written = _file.Length;
    }
}

internal sealed class GoesByTheWallClock(TimeProvider time, bool isMended) : IEventHandler<long>
{
    private readonly Stopwatch _machine = Stopwatch.StartNew();
    private readonly long _began = time.GetTimestamp();

    /// <summary>Writes the minute into each item.</summary>
    public void OnEvent(ref long item, long sequence, bool endOfBatch)
    {
        TimeSpan passed = isMended ? time.GetElapsedTime(_began) : _machine.Elapsed;
        item = (long)passed.TotalMinutes;
    }
}

internal sealed class DoesNotAwaitItsWrite(Table table, TimeProvider time, bool isMended) : IAsyncBatchHandler<long>
{
    public ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
    {
        Task writing = WriteAsync(batch.ToArray());
        return isMended ? new ValueTask(writing) : ValueTask.CompletedTask;
    }

    private async Task WriteAsync(long[] rows)
    {
        await Task.Delay(TimeSpan.FromSeconds(1), time);
        table.WriteAll(rows);
    }
}
