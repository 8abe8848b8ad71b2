using Microsoft.Extensions.Logging;
using Microsoft.Win32.SafeHandles;
using Raceway.Interop.Logging.Writing;

namespace Raceway.Interop.Logging.Files;

/// <summary>The file that is written: gathers entries, writes them at once, begins the next file, and outlives errors.</summary>
/// <remarks>
/// <para><b>Threads</b>: the writer's alone; its figures by any.</para>
/// <para><b>Errors</b>: none leaves it. After an error the file is opened again and the write repeated once. If that fails too, the
/// entries are lost and counted, and the file is tried again a second later. What a failed write has left behind is cut off, so that
/// no line is torn. After a sync that fails, they are written and synced once more; if that fails too, they stay written.</para>
/// </remarks>
internal sealed class RollingFile
{
    private const int LeastBuffer = 256 << 10;
    private const long PauseMilliseconds = 1000;

    // Two writers of one file would write over each other: the second takes the next number.
    private static readonly OpenPaths s_open = new();

    private readonly LogFileOptions _options;
    private readonly FileNames _names;
    private readonly LossCounter _failed;
    private readonly Action<string> _tell;
    private readonly byte[] _buffer;
    private LevelCounts _gathered;
    private SafeFileHandle? _file;
    private string _path;
    private DateOnly _day;
    private int _number;
    private long _offset;
    private int _length;
    private long _tryAgainAt = long.MinValue;
    private long _lookAgainAt;
    private bool _isFaulted;
    private bool _owesSync;
    private bool _isSyncFaulted;
    private long _entries, _bytes, _writes, _faults;

    public RollingFile(string path, LogFileOptions options, LossCounter failed, Action<string> tell)
    {
        (_options, _failed, _tell) = (options, failed, tell);
        _names = new FileNames(path, options.RollDaily);
        _path = _names.PathOf(_day, 0);
        _buffer = new byte[Math.Max(LeastBuffer, options.MaxEntryBytes)];
    }

    public long Entries => Volatile.Read(ref _entries);

    public long Bytes => Volatile.Read(ref _bytes);

    public long Writes => Volatile.Read(ref _writes);

    public long Faults => Volatile.Read(ref _faults);

    /// <summary>Whether the last write has failed.</summary>
    public bool IsFaulted => _isFaulted;

    private DateOnly Today => DateOnly.FromDateTime((_options.LocalTime ? _options.Time.GetLocalNow() : _options.Time.GetUtcNow()).DateTime);

    /// <summary>Before the first entry, and before each batch: the file of the day is open, and still the one of its name.</summary>
    public void Prepare()
    {
        if (_file is not null && (IsOfAnotherDay || (Environment.TickCount64 >= _lookAgainAt && !IsInPlace()))) Close();
        if (_file is null && !IsPausing) OpenOrTell(_options.RollDaily ? Today : default, after: -1);
    }

    /// <summary>Adds an entry to what is written next.</summary>
    public void Append(ReadOnlySpan<byte> bytes, LogLevel level)
    {
        AppendNotice(bytes);
        // A level of no name counts as the nearest one.
        _gathered[Math.Clamp((int)level, 0, LevelCounts.Levels - 1)]++;
        _owesSync |= level == LogLevel.Critical && _options.Critical == LogDurability.Synced;
    }

    /// <summary>Adds a line that counts as no entry.</summary>
    public void AppendNotice(ReadOnlySpan<byte> bytes)
    {
        if (_options.MaxFileBytes is { } most && _offset + _length > 0 && _offset + _length + bytes.Length > most) Roll();
        if (bytes.Length > _buffer.Length - _length) Flush();
        bytes.CopyTo(_buffer.AsSpan(_length));
        _length += bytes.Length;
    }

    /// <summary>Writes what was added, and syncs it if it must survive a power cut. Its entries are written, or lost and counted.</summary>
    public void Flush()
    {
        if (_length == 0) return;
        bool isWritten = !(_file is null && IsPausing) && WroteAll();
        long entries = 0;
        for (int level = 0; level < LevelCounts.Levels; level++)
        {
            entries += _gathered[level];
            if (!isWritten && _gathered[level] > 0) _failed.Add((LogLevel)level, _gathered[level]);
        }

        if (isWritten)
        {
            Volatile.Write(ref _entries, _entries + entries);
            Volatile.Write(ref _bytes, _bytes + _length);
            Volatile.Write(ref _writes, _writes + 1);
        }

        _gathered = default;
        (_length, _owesSync) = (0, false);
    }

    /// <summary>Closes the file. What was added is flushed before.</summary>
    public void Close()
    {
        if (_file is null) return;
        _file.Dispose();
        _file = null;
        s_open.Release(_path);
        (_offset, _number) = (0, 0);
    }

    private bool IsOfAnotherDay => _options.RollDaily && Today != _day;

    private bool IsPausing => Environment.TickCount64 < _tryAgainAt;

    // Once more with the file opened anew: it may be gone while its disk is well.
    private bool WroteAll()
    {
        for (bool again = _file is not null; ; again = false)
        {
            try
            {
                if (_file is null) Open(_options.RollDaily ? Today : default, after: -1);
                // Another program may have cut the file (copytruncate): a write behind its end would leave a hole.
                _offset = Math.Min(_offset, _options.Disk.LengthOf(_file!));
                _options.Disk.Write(_file!, _buffer.AsSpan(0, _length), _offset);
                if (_owesSync) Sync();
                _offset += _length;
                _isFaulted = false;
                return true;
            }
            catch (Exception cause)
            {
                if (again) OnPassingFault();
                else OnFault(cause);
                if (!again) return false;
            }
        }
    }

    // After a sync that failed, the system may take for written what never reached the disk: so it is written once more. If that fails
    // too, the lines stay: they are better than none.
    private void Sync()
    {
        try
        {
            _options.Disk.Sync(_file!);
        }
        catch (Exception)
        {
            Volatile.Write(ref _faults, _faults + 1);
            try
            {
                _options.Disk.Write(_file!, _buffer.AsSpan(0, _length), _offset);
                _options.Disk.Sync(_file!);
            }
            catch (Exception cause)
            {
                Volatile.Write(ref _faults, _faults + 1);
                if (!_isSyncFaulted) _tell(LoggingErrors.SyncFailed(_path, cause));
                _isSyncFaulted = true;
                return;
            }
        }

        _isSyncFaulted = false;
    }

    private void OnPassingFault()
    {
        Volatile.Write(ref _faults, _faults + 1);
        CutOff();
        Close();
    }

    private void OnFault(Exception cause)
    {
        OnPassingFault();
        _tryAgainAt = Environment.TickCount64 + PauseMilliseconds;
        if (_isFaulted) return;
        _isFaulted = true;
        _tell(LoggingErrors.FileFailed(_path, cause));
    }

    // A write that failed may have written a part.
    private void CutOff()
    {
        if (_file is null) return;
        try
        {
            if (_options.Disk.LengthOf(_file) > _offset) _options.Disk.Truncate(_file, _offset);
        }
        catch (Exception)
        {
            // The disk is at fault already; then a part of a line may stay.
        }
    }

    private void Roll()
    {
        Flush();
        if (_file is null) return;
        int number = _number;
        Close();
        OpenOrTell(_day, after: number);
    }

    private void OpenOrTell(DateOnly day, int after)
    {
        try
        {
            Open(day, after);
        }
        catch (Exception cause)
        {
            OnFault(cause);
        }
    }

    // Opens the last file of the day, or the next one behind a number.
    private void Open(DateOnly day, int after)
    {
        bool rolls = _options.MaxFileBytes is not null;
        for (int number = after >= 0 ? after + 1 : rolls ? _names.HighestOf(day) : 0; ; number++)
        {
            string path = _names.PathOf(day, number);
            if (!s_open.TryTake(path)) continue;
            bool keeps = false;
            SafeFileHandle? file = null;
            try
            {
                _path = path;
                file = _options.Disk.Open(path);
                long length = _options.Disk.LengthOf(file);
                keeps = length == 0 || length + _length <= (_options.MaxFileBytes ?? long.MaxValue);
                if (!keeps) continue;
                (_file, _day, _number, _offset) = (file, day, number, length);
                _lookAgainAt = Environment.TickCount64 + PauseMilliseconds;
                break;
            }
            finally
            {
                if (!keeps)
                {
                    file?.Dispose();
                    s_open.Release(path);
                }
            }
        }

        DeleteOld();
    }

    private void DeleteOld()
    {
        if (_options.RetainedFiles is not { } retained) return;
        foreach ((string path, _, _) in _names.Existing().SkipLast(retained))
        {
            if (s_open.IsTaken(path)) continue;
            try
            {
                File.Delete(path);
            }
            catch (Exception)
            {
                // Open in another program: the next file that begins deletes it.
                Volatile.Write(ref _faults, _faults + 1);
            }
        }
    }

    // Whether another program has removed, renamed or written the file: then it is opened anew.
    private bool IsInPlace()
    {
        _lookAgainAt = Environment.TickCount64 + PauseMilliseconds;
        try
        {
            return _options.Disk.LengthAt(_path) == _offset;
        }
        catch (Exception)
        {
            return false;
        }
    }
}
