using Raceway.Interop.Journal.Files;

namespace Raceway.Journal.Tests.Support;

/// <summary>The power went off in the middle of a call.</summary>
internal sealed class PowerCutException() : Exception("the power is off");

/// <summary>What a call of the disk does instead of succeeding.</summary>
internal enum DiskFault
{
    None,

    /// <summary>The power goes off within the call; a write may have begun.</summary>
    PowerCut,

    /// <summary>The call fails. A sync forgets what it should have written, as systems do.</summary>
    Error,

    /// <summary>No room: a write writes a part, or nothing.</summary>
    NoSpace,

    /// <summary>A write takes a part, and says so.</summary>
    Short,
}

/// <summary>A folder on a disk that loses power. Files have a view (what reads give) and a platter (what survives).</summary>
/// <remarks>
/// A write changes the view; each sector of it is then pending with every content it has had. A sync moves the file's pending sectors
/// to the platter. At a power cut each pending sector is what it was, or what it became at any time since, independently
/// of all others: writes are lost, reordered and torn at sectors. Changes of names that no folder sync covered happen or not,
/// independently too. A sync that fails leaves some sectors on the platter, and none pending: the view shows what the platter
/// may not have, and nothing will ever write it.
/// </remarks>
internal sealed class SimulatedDisk(Random random) : JournalFiles
{
    public const int Sector = 512;

    private readonly List<Action<Dictionary<string, Inode>>> _pendingNames = [];
    private Dictionary<string, Inode> _names = [];
    private Dictionary<string, Inode> _platterNames = [];
    private bool _isLocked;

    /// <summary>Calls so far.</summary>
    public int Calls { get; private set; }

    /// <summary>Whether the power went off.</summary>
    public bool IsOff { get; private set; }

    /// <summary>How many calls have failed by a fault.</summary>
    public int Faults { get; private set; }

    /// <summary>Bytes that calls have written so far.</summary>
    public long Written { get; private set; }

    /// <summary>Whether room can be reserved; null: sometimes.</summary>
    public bool? CanReserve { get; init; }

    /// <summary>What the call of that number does; asked for each.</summary>
    public Func<int, DiskFault> Plan { get; set; } = static _ => DiskFault.None;

    public override string Folder => "simulated";

    /// <summary>The power comes back: what survived is all there is.</summary>
    public void PowerOn()
    {
        // Sometimes all or nothing: a mean of one half would never show a long run of either.
        double kept = random.Next(4) switch { 0 => 0, 1 => 1, _ => random.NextDouble() };
        foreach (Action<Dictionary<string, Inode>> change in _pendingNames)
        {
            if (random.NextDouble() < kept) change(_platterNames);
        }

        _pendingNames.Clear();
        _names = new Dictionary<string, Inode>(_platterNames);
        foreach (Inode file in _names.Values.Distinct()) file.LosePower(random, kept);
        Restart();
    }

    /// <summary>The process ends and begins again; the system goes on.</summary>
    public void Restart()
    {
        (IsOff, _isLocked, Calls, Plan) = (false, false, 0, static _ => DiskFault.None);
    }

    /// <summary>The bytes of a file, to look at or to change: what is changed has survived.</summary>
    public byte[] this[string name]
    {
        get => _names[name].View;
        set
        {
            var file = new Inode();
            file.Write(value, 0);
            file.Flush();
            _names[name] = file;
            _platterNames[name] = file;
        }
    }

    public override IReadOnlyList<string> List()
    {
        Call(out _, canBeShort: false);
        return [.. _names.Keys];
    }

    public override IJournalFile Create(string name)
    {
        Call(out _, canBeShort: false);
        var file = new Inode();
        Change(names => names[name] = file);
        return new Handle(this, file);
    }

    public override IJournalFile Open(string name, bool forWriting)
    {
        Call(out _, canBeShort: false);
        return new Handle(this, _names.TryGetValue(name, out Inode? file) ? file : throw new FileNotFoundException(name));
    }

    public override void Rename(string from, string to)
    {
        Call(out _, canBeShort: false);
        Inode file = _names[from];
        Change(names =>
        {
            if (names.TryGetValue(from, out Inode? there) && there == file) names.Remove(from);
            names[to] = file;
        });
    }

    public override void Delete(string name)
    {
        Call(out _, canBeShort: false);
        Change(names => names.Remove(name));
    }

    public override void Archive(string name, string folder) => Delete(name);

    public override void SyncFolder()
    {
        Call(out _, canBeShort: false);
        _pendingNames.Clear();
        _platterNames = new Dictionary<string, Inode>(_names);
    }

    public override IDisposable? TryLock()
    {
        if (_isLocked) return null;
        _isLocked = true;
        return new Release(this);
    }

    /// <summary>A copy of the names and files as they are, all of it durable.</summary>
    public SimulatedDisk Copy()
    {
        var copy = new SimulatedDisk(random);
        foreach ((string name, Inode file) in _names) copy[name] = file.View;
        return copy;
    }

    private void Change(Action<Dictionary<string, Inode>> change)
    {
        change(_names);
        _pendingNames.Add(change);
    }

    private void Call(out DiskFault fault, bool canBeShort)
    {
        if (IsOff) throw new PowerCutException();
        fault = Plan(++Calls);
        if (fault == DiskFault.None) return;
        if (fault == DiskFault.Short && !canBeShort)
        {
            fault = DiskFault.None;
            return;
        }

        Faults++;
        if (fault == DiskFault.PowerCut) IsOff = true;
        // Writes and syncs have their own way to fail.
        if (!canBeShort) Throw(fault);
    }

    private static void Throw(DiskFault fault) => throw (fault switch
    {
        DiskFault.PowerCut => new PowerCutException(),
        DiskFault.NoSpace => new IOException("No space left on device", 28),
        _ => new IOException("Input/output error", 5),
    });

    private sealed class Release(SimulatedDisk disk) : IDisposable
    {
        public void Dispose() => disk._isLocked = false;
    }

    private sealed class Handle(SimulatedDisk disk, Inode file) : IJournalFile
    {
        public long Length
        {
            get
            {
                disk.Call(out _, canBeShort: false);
                return file.View.Length;
            }
        }

        public int Read(Span<byte> into, long from)
        {
            disk.Call(out _, canBeShort: false);
            int count = (int)Math.Clamp(file.View.Length - from, 0, into.Length);
            file.View.AsSpan((int)Math.Min(from, file.View.Length), count).CopyTo(into);
            return count;
        }

        public int Write(ReadOnlySpan<byte> bytes, long at)
        {
            disk.Call(out DiskFault fault, canBeShort: true);
            int count = fault == DiskFault.None ? bytes.Length : disk.Random.Next(fault == DiskFault.Short ? 1 : 0, bytes.Length + 1);
            file.Write(bytes[..count], (int)at);
            disk.Written += count;
            if (fault is not (DiskFault.None or DiskFault.Short)) Throw(fault);
            return count;
        }

        public bool TryReserve(long length)
        {
            disk.Call(out _, canBeShort: false);
            return disk.CanReserve ?? disk.Random.Next(2) == 0;
        }

        public void SetLength(long length)
        {
            disk.Call(out _, canBeShort: false);
            file.Write(new byte[length - file.View.Length], file.View.Length);
        }

        public void Sync()
        {
            disk.Call(out DiskFault fault, canBeShort: true);
            if (fault is DiskFault.None or DiskFault.Short)
            {
                file.Flush();
                return;
            }

            if (fault != DiskFault.PowerCut) file.Forget(disk.Random);
            Throw(fault);
        }

        public void Dispose()
        {
        }
    }

    private Random Random => random;

    private sealed class Inode
    {
        private readonly Dictionary<int, List<byte[]>> _pending = [];
        private byte[] _platter = [];

        public byte[] View { get; private set; } = [];

        public void Write(ReadOnlySpan<byte> bytes, int at)
        {
            if (bytes.IsEmpty) return;
            byte[] view = View;
            if (view.Length < at + bytes.Length) Array.Resize(ref view, at + bytes.Length);
            View = view;
            bytes.CopyTo(View.AsSpan(at));
            for (int sector = at / Sector; sector <= (at + bytes.Length - 1) / Sector; sector++)
            {
                if (!_pending.TryGetValue(sector, out List<byte[]>? contents)) _pending[sector] = contents = [];
                contents.Add(SectorOf(View, sector).ToArray());
            }
        }

        public void Flush()
        {
            // Only what is pending: what a failed sync has forgotten is not written by the next one.
            if (_platter.Length < View.Length) Array.Resize(ref _platter, View.Length);
            foreach ((int sector, List<byte[]> contents) in _pending) contents[^1].CopyTo(SectorOf(_platter, sector));
            _pending.Clear();
        }

        public void Forget(Random random)
        {
            Settle(random, random.NextDouble());
            _pending.Clear();
        }

        public void LosePower(Random random, double kept)
        {
            Settle(random, kept);
            _pending.Clear();
            View = (byte[])_platter.Clone();
        }

        private void Settle(Random random, double kept)
        {
            // The length is written with the first sync; before that it is anything.
            if (_platter.Length < View.Length) Array.Resize(ref _platter, random.Next(2) == 0 ? View.Length : random.Next(_platter.Length, View.Length + 1));
            foreach ((int sector, List<byte[]> contents) in _pending)
            {
                if (random.NextDouble() >= kept || sector * Sector >= _platter.Length) continue;
                byte[] content = contents[random.Next(contents.Count)];
                Span<byte> place = SectorOf(_platter, sector);
                content.AsSpan(0, Math.Min(content.Length, place.Length)).CopyTo(place);
            }
        }

        private static Span<byte> SectorOf(byte[] bytes, int sector) =>
            bytes.AsSpan(sector * Sector, Math.Min(Sector, bytes.Length - (sector * Sector)));
    }
}
