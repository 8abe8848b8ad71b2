using FASTER.core;
using Raceway.Suites.Batching;

namespace Raceway.Suites.JournalSuite.Logs;

/// <summary>FasterLog: items are enqueued in memory, and a task commits what is there, again and again.</summary>
/// <remarks>
/// Its device opens files with <c>O_SYNC</c> on Linux (<c>FileOptions.WriteThrough</c>), so a commit that has completed is durable as
/// far as the system knows; docs/durability.md says what a trace shows.
/// </remarks>
internal sealed class FasterPeer : DurableLog
{
    private const long Memory = 32 << 20;
    private const long Segment = 64 << 20;

    // Commits by a record in the log itself; the file that says where to begin is written now and then.
    private const int MetadataEvery = 1_000;

    private readonly FasterLogSettings _settings;
    private readonly FasterLog _log;
    private readonly SemaphoreSlim _given = new(0);
    private readonly Task _committing;
    private readonly int _length;
    private long _count;
    private long _done;
    private long _groups;
    private long _begin;
    private long _before;
    private int _sleeps;
    private bool _ends;

    /// <param name="folder">Where.</param>
    /// <param name="length">Bytes of an item.</param>
    /// <param name="isFast">Whether it commits by a record in the log (<c>FastCommitMode</c>), instead of a file for each commit.</param>
    public FasterPeer(string folder, int length, bool isFast)
    {
        _length = length;
        _settings = new FasterLogSettings(folder) { MemorySize = Memory, SegmentSize = Segment };
        if (isFast)
        {
            _settings.FastCommitMode = true;
            _settings.LogChecksum = LogChecksumType.PerEntry;
            _settings.LogCommitManager = new DeviceLogCommitCheckpointManager(
                new LocalStorageNamedDeviceFactory(), new DefaultCheckpointNamingScheme(folder), fastCommitThrottleFreq: MetadataEvery);
        }

        _log = new FasterLog(_settings);
        _begin = _log.TailAddress;
        _committing = Task.Run(CommitAsync);
    }

    public override long Groups => Volatile.Read(ref _groups);

    public override void Begin(Acknowledgements acknowledged)
    {
        base.Begin(acknowledged);
        _begin = _log.TailAddress;
        _log.TruncateUntil(_begin);
        _before = _done;
    }

    public override void Give(in Job job)
    {
        _log.Enqueue(new Entry(_length, job.Index, Acknowledged.Round.Number));
        // ORDER: full fence, pairs with SleepAsync: either it sees the item, or this sees that it sleeps.
        Interlocked.Increment(ref _count);
        if (Volatile.Read(ref _sleeps) != 0 && Interlocked.Exchange(ref _sleeps, 0) != 0) _given.Release();
    }

    public override void ReadBack(long count, StoredReader item)
    {
        using FasterLogScanIterator scan = _log.Scan(_begin, _log.CommittedUntilAddress, recover: false);
        var consumer = new Consumer(item);
        while (count > 0 && !scan.Ended)
        {
            // A page may still be on its way from the disk.
            if (scan.TryConsumeNext(consumer)) count--;
            else if (!scan.WaitAsync().AsTask().GetAwaiter().GetResult()) return;
        }
    }

    public override void Dispose()
    {
        Volatile.Write(ref _ends, true);
        _given.Release();
        _committing.GetAwaiter().GetResult();
        _log.Dispose();
        _settings.LogCommitManager?.Dispose();
        _settings.Dispose();
        _given.Dispose();
    }

    private async Task CommitAsync()
    {
        try
        {
            while (true)
            {
                long count = Interlocked.Read(ref _count);
                if (count <= _done)
                {
                    if (Volatile.Read(ref _ends)) return;
                    await SleepAsync().ConfigureAwait(false);
                    continue;
                }

                await _log.CommitAsync().ConfigureAwait(false);
                Volatile.Write(ref _groups, _groups + 1);
                _done = count;
                Acknowledged.Reach(count - _before);
            }
        }
        catch (Exception fault)
        {
            Acknowledged.Fail(fault);
        }
    }

    private async ValueTask SleepAsync()
    {
        // ORDER: full fence, pairs with Give.
        Interlocked.Exchange(ref _sleeps, 1);
        if (Interlocked.Read(ref _count) > _done && Interlocked.Exchange(ref _sleeps, 0) != 0) return;
        await _given.WaitAsync().ConfigureAwait(false);
    }

    private readonly struct Entry(int length, long index, long round) : ILogEnqueueEntry
    {
        public int SerializedLength => length;

        public void SerializeTo(Span<byte> dest) => Logged.Fill(dest[..length], index, round);
    }

    private sealed class Consumer(StoredReader item) : ILogEntryConsumer
    {
        public void Consume(ReadOnlySpan<byte> entry, long currentAddress, long nextAddress) => item(entry);
    }
}
