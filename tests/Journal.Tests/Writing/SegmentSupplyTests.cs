using Raceway.Interop.Journal;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;
using Raceway.Interop.Journal.Writing;
using Raceway.Journal.Tests.Support;
using Raceway.Testing;
using Xunit;

namespace Raceway.Journal.Tests.Writing;

/// <summary>Which part of a segment is filled with zeros, and when a roll waits for it.</summary>
public sealed class SegmentSupplyTests
{
    private const int Part = 1 << 20;
    private const int Length = 3 * Part;
    private const int Header = JournalFormat.SegmentHeaderLength;

    private static readonly TimeSpan s_hang = TimeSpan.FromSeconds(60);

    private readonly VirtualTime _time = new();
    private readonly DiskLoad _load;
    private Thread? _maker;

    public SegmentSupplyTests() => _load = new DiskLoad(_time);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Prepare_AFreeDisk_WritesAllZerosAhead(bool canReserve)
    {
        SimulatedDisk disk = Disk(canReserve);
        using SegmentSupply supply = Supply(disk, static work => work());
        supply.Prepare();
        Assert.Equal(Length, disk.Written);
        Take(supply, disk);
        Assert.Equal(Length + Header, disk.Written);
    }

    [Theory]
    [InlineData(true, Header)]
    [InlineData(false, Length + Header)]
    public void Take_WhileItemsKeepTheDiskBusy_WaitsForNoZeros(bool canReserve, int written)
    {
        SimulatedDisk disk = Disk(canReserve);
        SegmentSupply supply = Supply(disk, Start);
        BeBusy();
        supply.Prepare();
        if (canReserve) AwaitPause();
        Take(supply, disk);
        Assert.Equal(written, disk.Written);
        supply.Dispose();
    }

    [Fact]
    public void Take_BusySinceTheFirstPart_HasThatPart()
    {
        SimulatedDisk disk = Disk(canReserve: true);
        disk.Plan = _ =>
        {
            if (disk.Written == Part) BeBusy();
            return DiskFault.None;
        };
        SegmentSupply supply = Supply(disk, Start);
        supply.Prepare();
        AwaitPause();
        Take(supply, disk);
        Assert.Equal(Part + Header, disk.Written);
        supply.Dispose();
    }

    [Fact]
    public void Prepare_TheDiskIsFreeAgain_ZerosGoOn()
    {
        SimulatedDisk disk = Disk(canReserve: true);
        SegmentSupply supply = Supply(disk, Start);
        BeBusy();
        supply.Prepare();
        AwaitPause();
        Assert.Equal(0, disk.Written);
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.True(SpinWait.SpinUntil(() => disk.Written == Length, s_hang));
        Take(supply, disk);
        Assert.Equal(Length + Header, disk.Written);
        supply.Dispose();
    }

    [Fact]
    public void Dispose_WhileZerosWait_EndsAndDeletes()
    {
        SimulatedDisk disk = Disk(canReserve: true);
        SegmentSupply supply = Supply(disk, Start);
        BeBusy();
        supply.Prepare();
        AwaitPause();
        supply.Dispose();
        Assert.Empty(disk.List());
        Assert.Equal(0, disk.Written);
    }

    [Theory]
    [InlineData(true, Length + Header)]
    [InlineData(false, Header)]
    public void Take_NothingIsMadeAhead_ZerosOnlyWhereWished(bool filled, int written)
    {
        SimulatedDisk disk = Disk(canReserve: true);
        using SegmentSupply supply = Supply(disk, ahead: null);
        Take(supply, disk, filled);
        Assert.Equal(written, disk.Written);
    }

    // No item waits for them then.
    [Fact]
    public void Open_OfANewJournal_FillsItsFirstSegment()
    {
        SimulatedDisk disk = Disk(canReserve: true);
        using Journal<long> journal = Kit.Open(disk);
        Assert.True(disk.Written > Kit.Small.SegmentLength, $"{disk.Written} bytes written");
    }

    // Over many segments, by the defaults: behind the last large sync the next segment gets all its zeros.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Store_LargeBatches_ThenAPause_TheNextSegmentIsFilled(bool hasMeter)
    {
        using var folder = new TempFolder();
        byte[][] items = [.. Enumerable.Range(0, 24).Select(static n => Enumerable.Repeat((byte)(n + 1), Part / 3).ToArray())];
        using (Journal<byte[]> journal = Journal<byte[]>.Open(folder.Path, JournalCodec.Bytes, new JournalOptions { SegmentLength = Length }))
        {
            using JournalMeter? meter = hasMeter ? journal.CreateMeter("test") : null;
            foreach (byte[] item in items) journal.Store(item);
            Assert.True(SpinWait.SpinUntil(() => Directory.GetFiles(folder.Path, "*.unfinished") is [var next] && new FileInfo(next).Length == Length, s_hang));
        }

        Assert.Equal(items, JournalFolder.Read(folder.Path).Select(static item => item.Bytes.ToArray()));
    }

    // Where no room is reserved, a roll needs all zeros. The end needs none.
    [Fact]
    public void Dispose_WhileZerosAreWrittenThatMustBe_EndsAndDeletes()
    {
        SimulatedDisk disk = Disk(canReserve: false);
        using var begun = new ManualResetEventSlim();
        Thread? ending = null;
        SegmentSupply supply = Supply(disk, Start);
        disk.Plan = _ =>
        {
            if (disk.Written != Part || ending is not null) return DiskFault.None;
            ending = new Thread(supply.Dispose) { IsBackground = true };
            ending.Start();
            begun.Set();
            Assert.True(SpinWait.SpinUntil(() => supply.IsEnding, s_hang));
            return DiskFault.None;
        };
        supply.Prepare();
        Assert.True(begun.Wait(s_hang));
        Assert.True(ending!.Join(s_hang));
        Assert.Equal(Part, disk.Written);
        Assert.Empty(disk.List());
    }

    [Fact]
    public void Run_NoThreadCanBeStarted_RunsAllTheSame()
    {
        using var ran = new ManualResetEventSlim();
        Beside.Run(ran.Set, static _ => throw new InsufficientMemoryException("no more threads"));
        Assert.True(ran.Wait(s_hang));
    }

    [Fact]
    public void TryReserve_AFileOfTheSystem_KeepsItsLength()
    {
        using var folder = new TempFolder();
        using IJournalFile file = new SystemFiles(folder.Path).Create("reserved");
        bool isReserved = file.TryReserve(Length);
        Assert.Equal(0, file.Length);
        file.SetLength(Length);
        var read = new byte[Length];
        Array.Fill(read, (byte)1);
        Assert.Equal(Length, file.ReadAll(read, 0));
        Assert.Equal(-1, read.AsSpan().IndexOfAnyExcept((byte)0));
        Assert.True(isReserved || !OperatingSystem.IsLinux());
    }

    private static SimulatedDisk Disk(bool canReserve) => new(new Random(1)) { CanReserve = canReserve };

    private void Start(Action work)
    {
        _maker = new Thread(() => work()) { IsBackground = true };
        _maker.Start();
    }

    // Until the maker waits for the disk to be free, or has ended although it is not.
    private void AwaitPause() =>
        Assert.True(SpinWait.SpinUntil(() => !_maker!.IsAlive || (_maker.ThreadState & ThreadState.WaitSleepJoin) != 0, s_hang));

    private static void Take(SegmentSupply supply, SimulatedDisk disk, bool filled = false)
    {
        var header = new SegmentHeader(1, 0, -1, Length, 1, new JournalSchema(1, 1), JournalFormat.LeastAlignment);
        IJournalFile? file = null;
        Exception? fault = null;
        var taking = new Thread(() => fault = Record.Exception(() => file = supply.Take(ref header, filled))) { IsBackground = true };
        taking.Start();
        Assert.True(taking.Join(s_hang));
        Assert.Null(fault);
        Assert.Equal(Length, file!.Length);
        Assert.Equal([JournalFormat.SegmentName(0)], disk.List());
    }

    private SegmentSupply Supply(SimulatedDisk disk, Action<Action>? ahead) => new(disk, Length, _load, ahead);

    private void BeBusy()
    {
        long since = _load.Begin(Part);
        _time.Advance(TimeSpan.FromSeconds(1));
        _load.End(since);
    }
}
