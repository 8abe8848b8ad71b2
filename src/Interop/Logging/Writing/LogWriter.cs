using Microsoft.Extensions.Logging;
using Raceway.Interop.Logging.Files;
using Raceway.Rings;

namespace Raceway.Interop.Logging.Writing;

/// <summary>The stage behind the ring: writes each batch at once, and says in the file what is missing there.</summary>
internal sealed class LogWriter : IBatchHandler<LogSlot>, IStageLifetime
{
    [ThreadStatic]
    private static bool t_isOne;

    private readonly string _path;
    private readonly LogFileOptions _options;
    private readonly RollingFile _file;
    private readonly PassedEntries _passed;
    private readonly LossCounter _dropped;
    private readonly LossCounter _failed;
    private readonly LossCounter _unformatted;
    private readonly LossFormat _notice;
    private readonly Action<string> _tell;
    private readonly Tickets _tickets;
    private Exception? _untold; // why an entry could not be formatted, since that was told last
    private int _thread;
    private long _cut;
    private bool _isBehind;

    public LogWriter(string path, LogFileOptions options, Tickets tickets, PassedEntries passed, LossFormat notice)
    {
        (_path, _options, _tickets, _passed, _notice) = (path, options, tickets, passed, notice);
        _tell = Tell;
        _dropped = new LossCounter(LogLossReason.Full);
        _failed = new LossCounter(LogLossReason.File);
        _unformatted = new LossCounter(LogLossReason.Format);
        _file = new RollingFile(path, options, _failed, _tell);
    }

    public RollingFile File => _file;

    /// <summary>Entries that found the buffer full.</summary>
    public LossCounter Dropped => _dropped;

    /// <summary>Entries that could not be written.</summary>
    public LossCounter Failed => _failed;

    /// <summary>Entries that could not be formatted here.</summary>
    public LossCounter Unformatted => _unformatted;

    /// <summary>Entries that it has cut.</summary>
    public long Cut => Volatile.Read(ref _cut);

    /// <summary>Whether half of the buffer waited when the last batch began: callers had better format their entries themselves.</summary>
    public bool IsBehind => Volatile.Read(ref _isBehind);

    /// <summary>Whether the calling thread is the writer of any log file.</summary>
    public static bool IsOneOfThem => t_isOne;

    /// <summary>Entries that are not in the file, whatever the reason.</summary>
    public long Lost => _dropped.Total + _failed.Total + _unformatted.Total;

    /// <summary>Whether the caller is the writer: it must not wait for itself.</summary>
    public bool IsMyThread => Volatile.Read(ref _thread) == Environment.CurrentManagedThreadId;

    public void OnStart()
    {
        Volatile.Write(ref _thread, Environment.CurrentManagedThreadId);
        t_isOne = true;
        _file.Prepare();
    }

    public void OnBatch(Batch<LogSlot> batch)
    {
        _file.Prepare();
        bool isBehind = _tickets.Last - _passed.Last >= _options.Capacity / 2;
        if (isBehind != _isBehind) Volatile.Write(ref _isBehind, isBehind);
        long last = 0;
        foreach (ref LogSlot slot in batch)
        {
            if (slot.Keeper is { } keeper) AppendKept(keeper, in slot);
            else _file.Append(slot.Bytes.Span, slot.Level);
            last = slot.Ticket;
        }

        _file.Flush();
        TellLosses(last);
        // A caller that waited for its entry finds its slot free.
        batch.Complete(batch.Count);
        _passed.Pass(last);
    }

    public void OnStop()
    {
        TellLosses(long.MaxValue);
        _file.Close();
        t_isOne = false;
        _passed.End();
    }

    private void AppendKept(EntryKeeper keeper, in LogSlot slot)
    {
        EntryWriter writer = EntryWriter.Rent(_options, slot.Time);
        if (IsFormatted(keeper, writer))
        {
            ReadOnlySpan<byte> entry = writer.Finish();
            if (writer.WasCut) Volatile.Write(ref _cut, _cut + 1);
            _file.Append(entry, slot.Level);
        }
        else
        {
            _unformatted.Add(slot.Level);
        }

        keeper.Return();
        EntryWriter.Return(writer);
    }

    private bool IsFormatted(EntryKeeper keeper, EntryWriter writer)
    {
        try
        {
            keeper.Format(writer);
            return true;
        }
        catch (Exception cause)
        {
            _untold = cause;
            return false;
        }
    }

    // Behind the entries that had filled the buffer there is room again for what was dropped meanwhile.
    private void TellLosses(long written)
    {
        // Once a batch: a formatter that fails always would tell of each entry.
        if (_untold is { } cause) _tell(LoggingErrors.FormatFailed(_path, cause));
        _untold = null;
        TellLoss(_dropped, written);
        TellLoss(_failed, written);
        TellLoss(_unformatted, written);
    }

    private void TellLoss(LossCounter counter, long written)
    {
        if (_file.IsFaulted || !counter.TryTake(written, out LogLoss loss)) return;
        EntryWriter writer = EntryWriter.Rent(_options);
        try
        {
            _notice(loss, writer);
            _file.AppendNotice(writer.Finish());
            _file.Flush();
            if (_file.IsFaulted) counter.GiveBack(loss);
        }
        catch (Exception cause)
        {
            _tell(LoggingErrors.NoticeFailed(_path, cause));
        }
        finally
        {
            EntryWriter.Return(writer);
        }
    }

    private void Tell(string line)
    {
        try
        {
            if (_options.SelfLog is { } log) log(line);
            else Console.Error.WriteLine(line);
        }
        catch (Exception)
        {
            // There is nowhere left to say it; the counter of faults has it.
        }
    }
}
