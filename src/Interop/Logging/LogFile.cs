using System.Diagnostics;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Raceway.Interop.Logging.Writing;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Logging;

/// <summary>A log file: entries are formatted by their callers, or later, and written in batches by one thread behind a ring.</summary>
/// <remarks>
/// <para>Most programs use it through <c>AddRacewayFile</c> (Microsoft.Extensions.Logging) or <c>WriteTo.RacewayFile</c> (Serilog). It is
/// public for other front ends.</para>
/// <para><b>Threads</b>: every member by any thread, in any order, also after disposal, and by the callbacks that it calls.</para>
/// <para><b>Order</b>: the entries of one thread stand in the file in the order in which they were logged.</para>
/// <para><b>Blocking</b>: an entry waits for room if the buffer is full and <see cref="LogFileOptions.Overflow"/> says so. A Critical entry
/// waits until it is written, or <see cref="LogFileOptions.FlushTimeout"/> is over.</para>
/// <para><b>Cost</b>: an entry is formatted into a buffer of the thread and copied into the ring (<see cref="Write"/>), or what it is made
/// from is copied there (<see cref="WriteLater"/>). Nothing is allocated.</para>
/// <para><b>Errors</b>: errors of the file never reach the caller. They are counted, and told to <see cref="LogFileOptions.SelfLog"/>. An
/// exception of the caller's own formatter is the caller's, and nothing is written then. Where it is thrown later, the entry is dropped
/// and counted, and <see cref="LogFileOptions.SelfLog"/> is told.</para>
/// <para>A file is written by one process at a time. A second log file of the same process and path takes the next number
/// (<c>app.001.log</c>).</para>
/// </remarks>
/// <example>
/// <code>
/// await using var file = new LogFile("logs/audit.log", new LogFileOptions { Critical = LogDurability.Synced });
/// file.Write(LogLevel.Information, order.Id, static (id, writer) => writer.WriteLine($"booked {id}"));
/// bool isWritten = file.Flush();
/// </code>
/// </example>
public sealed class LogFile : IDisposable, IAsyncDisposable
{
    private const string StageName = "log-file";

    // Below this share of the ring the writer waits for more, as long as the oldest entry may wait.
    private const int BatchShare = 16;

    private static readonly Dispatch s_atOnce = Dispatch.Batch();

    private readonly LogFileOptions _options;
    private readonly Tickets _tickets = new();
    private readonly PassedEntries _passed = new();
    private readonly KeeperPools _keepers = new();
    private readonly LogWriter _writer;
    private readonly Pipeline<LogSlot> _pipeline;
    private readonly Publisher<LogSlot> _publisher;
    private readonly Urgency _urgency;
    private readonly Lock _ending = new();
    private int _blocked;
    private int _disposed;
    private long _refused;
    private long _toldLost;
    private long _cut;
    private Task? _ended;

    /// <summary>Begins to write. The file is opened, and made, by the writer: an error of it is no error here.</summary>
    /// <param name="path">The file; its name is the stem of the others where it rolls.</param>
    /// <param name="options">How it is written.</param>
    /// <param name="notice">Writes the line that says what was dropped. Default: a line of text.</param>
    /// <exception cref="ArgumentException">The path is empty, or an option is out of range.</exception>
    public LogFile(string path, LogFileOptions? options = null, LossFormat? notice = null)
    {
        if (string.IsNullOrWhiteSpace(path)) throw LoggingErrors.NoPath();
        _options = (options ?? new LogFileOptions()).Copy();
        _options.Check();
        _writer = new LogWriter(path, _options, _tickets, _passed, notice ?? LogLoss.WriteLine);
        Dispatch gathering = _options.FlushInterval == TimeSpan.Zero
            ? s_atOnce
            : Dispatch.Batch(min: Math.Max(2, _options.Capacity / BatchShare), maxAge: _options.FlushInterval);
        _pipeline = Pipeline.Of<LogSlot>(_options.Capacity)
            .Configure(ring => ring with
            {
                Payload = LogSlot.BytesOf,
                PayloadOptions = new PayloadOptions { MaxLength = _options.MaxEntryBytes },
                Time = _options.Time,
            })
            .Stage(StageName, _writer, gathering)
            // A thread of its own: callers that wait for room may hold all those of the pool.
            .Run(Plan.SharedRing);
        _urgency = new Urgency(_pipeline[StageName], gathering, s_atOnce);
        _publisher = _pipeline.Publisher;
    }

    /// <summary>Callers that wait for room.</summary>
    internal int Blocked => Volatile.Read(ref _blocked);

    private bool IsDisposed => Volatile.Read(ref _disposed) != 0;

    /// <summary>Formats an entry on this thread, and hands it to the writer.</summary>
    /// <param name="level">Its level. Critical: returns when it is written, or <see cref="LogFileOptions.FlushTimeout"/> is over.</param>
    /// <param name="state">What <paramref name="format"/> is given.</param>
    /// <param name="format">Writes the whole entry, with its line break. It may log; its exceptions are the caller's.</param>
    public void Write<TState>(LogLevel level, TState state, EntryFormat<TState> format)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(format);
        if (level == LogLevel.None) return;
        if (IsDisposed)
        {
            Interlocked.Increment(ref _refused);
            return;
        }

        EntryWriter writer = EntryWriter.Rent(_options);
        try
        {
            format(state, writer);
            ReadOnlySpan<byte> entry = writer.Finish();
            if (writer.WasCut) Interlocked.Increment(ref _cut);
            if (level == LogLevel.Critical) PublishUrgent(entry);
            else PublishFormatted(entry, level);
        }
        finally
        {
            EntryWriter.Return(writer);
        }
    }

    /// <summary>Hands over what an entry is made from: the writer formats it. So the call is shorter than that of <see cref="Write"/>.</summary>
    /// <remarks>
    /// The call formats the entry itself, as <see cref="Write"/> does, in these cases: the writer is behind (half of the buffer waits), the
    /// entry is Critical, the caller is the writer itself, or the file has had eight other types of state.
    /// </remarks>
    /// <param name="level">Its level. Critical: returns when it is written, or <see cref="LogFileOptions.FlushTimeout"/> is over.</param>
    /// <param name="state">What <paramref name="format"/> is given. It is held until the entry is written, whatever its size. Nothing
    /// that it refers to may change after the call.</param>
    /// <param name="format">
    /// Writes the whole entry, with its line break, perhaps on the writer's thread. So it uses nothing of the caller's thread: no scope, no
    /// culture, no current activity. It waits for no lock that a thread may hold while it logs. <see cref="EntryWriter.Timestamp"/> is the
    /// time of the call. It may log. What it throws during the call is the caller's. What it throws later drops the entry, which is counted.
    /// </param>
    /// <typeparam name="TState">What an entry is made from.</typeparam>
    public void WriteLater<TState>(LogLevel level, in TState state, EntryFormat<TState> format)
    {
        ArgumentNullException.ThrowIfNull(format);
        if (level == LogLevel.None) return;
        if (level == LogLevel.Critical || _writer.IsBehind || IsDisposed || _writer.IsMyThread || _keepers.Of<TState>() is not { } pool)
            Write(level, state, format);
        else
            Publish(new KeptEntry<TState>(in state, format, level, _options.Time.GetUtcNow(), pool, _tickets), level);
    }

    /// <summary>Waits until everything logged before is written, for <see cref="LogFileOptions.FlushTimeout"/> at most.</summary>
    /// <returns>False if the time was up before, or if entries of any caller were lost since the flush before: that is told once, and
    /// <see cref="GetStatistics"/> says why. The writer itself, in one of its callbacks, does not wait: false.</returns>
    public bool Flush()
    {
        if (_writer.IsMyThread) return false;
        _urgency.Begin();
        try
        {
            if (!_passed.Wait(_tickets.Last, _options.FlushTimeout)) return false;
            long lost = _writer.Lost;
            return Interlocked.Exchange(ref _toldLost, lost) == lost;
        }
        finally
        {
            _urgency.End();
        }
    }

    /// <summary>What it has done so far.</summary>
    public LogFileStatistics GetStatistics() => new(
        _writer.File.Entries, _writer.File.Bytes, _writer.File.Writes, _writer.Dropped.Total, _writer.Failed.Total, _writer.Unformatted.Total,
        Interlocked.Read(ref _refused), Interlocked.Read(ref _cut) + _writer.Cut, _writer.File.Faults, Math.Max(0, _tickets.Last - _passed.Last));

    /// <summary>Its figures as instruments, until what is returned is disposed.</summary>
    /// <param name="name">The value of the tag <c>raceway.log.name</c>.</param>
    /// <param name="factory">Makes the meter, and owns it, such as that of a host. Default: the meter of the process.</param>
    public LogFileMeter CreateMeter(string name, IMeterFactory? factory = null) => new(name, GetStatistics, factory);

    /// <summary>Writes what was logged, for <see cref="LogFileOptions.FlushTimeout"/> at most, and closes the file. Idempotent.</summary>
    public void Dispose()
    {
        // The writer, in one of its callbacks, cannot wait for itself: it ends behind the callback.
        Task ended = End();
        if (!_writer.IsMyThread) ended.GetAwaiter().GetResult();
    }

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        Task ended = End();
        return _writer.IsMyThread ? ValueTask.CompletedTask : new ValueTask(ended);
    }

    private Task End()
    {
        Volatile.Write(ref _disposed, 1);
        lock (_ending) return _ended ??= Task.Run(EndAsync);
    }

    private async Task EndAsync()
    {
        // Callers that wait for room came before the end: their entries are let in.
        long begun = Stopwatch.GetTimestamp();
        while (Volatile.Read(ref _blocked) != 0 && Stopwatch.GetElapsedTime(begun) < _options.FlushTimeout) await Task.Delay(1).ConfigureAwait(false);
        // A disk that hangs: the writer ends, and closes the file, when it answers again. Nothing waits for that.
        long left = Math.Max(0, (_options.FlushTimeout - Stopwatch.GetElapsedTime(begun)).Ticks);
        await CloseAsync().WaitAsync(TimeSpan.FromTicks(left)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task CloseAsync()
    {
        await _pipeline.DrainAsync(Timeout.InfiniteTimeSpan).ConfigureAwait(false);
        await _pipeline.DisposeAsync().ConfigureAwait(false);
    }

    private void PublishUrgent(ReadOnlySpan<byte> entry)
    {
        if (LogWriter.IsOneOfThem)
        {
            PublishFormatted(entry, LogLevel.Critical);
            return;
        }

        _urgency.Begin();
        try
        {
            long ticket = PublishFormatted(entry, LogLevel.Critical);
            // In vain only if the time is up: the entry stays in the ring, and the file's counters say the rest.
            if (ticket > 0) _ = _passed.Wait(ticket, _options.FlushTimeout);
        }
        finally
        {
            _urgency.End();
        }
    }

    // Returns the entry's number, or 0: it is not in the ring.
    private long PublishFormatted(ReadOnlySpan<byte> bytes, LogLevel level)
    {
        long ticket = 0;
        Publish(new FormattedEntry(bytes, level, _tickets, ref ticket), level);
        return ticket;
    }

    private void Publish<TEntry>(TEntry entry, LogLevel level)
        where TEntry : INewEntry, allows ref struct
    {
        ClaimStatus status = _publisher.TryPublish(entry, Fill);
        if (status == ClaimStatus.Full)
        {
            TimeSpan patience = PatienceOf(level);
            status = patience == TimeSpan.Zero ? PublishIfRoom(entry) : PublishWaiting(entry, patience);
        }

        if (status == ClaimStatus.Stopped) Interlocked.Increment(ref _refused);
        if (status is ClaimStatus.Full or ClaimStatus.TimedOut) _writer.Dropped.Add(level, behind: _tickets.Last);
    }

    private ClaimStatus PublishWaiting<TEntry>(TEntry entry, TimeSpan patience)
        where TEntry : INewEntry, allows ref struct
    {
        // By the machine's clock: that of entries may stand still.
        using CancellationTokenSource? limit = patience == Timeout.InfiniteTimeSpan ? null : new CancellationTokenSource(patience);
        Interlocked.Increment(ref _blocked);
        try
        {
            return _publisher.TryPublish(entry, Fill, Timeout.InfiniteTimeSpan, limit?.Token ?? CancellationToken.None);
        }
        catch (OperationCanceledException)
        {
            return ClaimStatus.TimedOut;
        }
        finally
        {
            Interlocked.Decrement(ref _blocked);
        }
    }

    // A publisher says full also while another caller copies its entry in. That is no reason to drop anything.
    private ClaimStatus PublishIfRoom<TEntry>(TEntry entry)
        where TEntry : INewEntry, allows ref struct
    {
        var spin = default(SpinWait);
        while (_pipeline.Ring.Backlog < _options.Capacity)
        {
            spin.SpinOnce();
            ClaimStatus status = _publisher.TryPublish(entry, Fill);
            if (status != ClaimStatus.Full) return status;
        }

        return ClaimStatus.Full;
    }

    // How long an entry waits for room. A writer must not wait for room that it makes itself, and two writers not for each other's.
    private TimeSpan PatienceOf(LogLevel level) => LogWriter.IsOneOfThem ? TimeSpan.Zero : _options.Overflow switch
    {
        LogOverflow.Wait => Timeout.InfiniteTimeSpan,
        LogOverflow.DropBelow when level >= _options.KeepFrom => Timeout.InfiniteTimeSpan,
        _ => level == LogLevel.Critical ? _options.FlushTimeout : TimeSpan.Zero,
    };

    private static void Fill<TEntry>(ref LogSlot slot, TEntry entry)
        where TEntry : INewEntry, allows ref struct =>
        entry.Fill(ref slot);
}
