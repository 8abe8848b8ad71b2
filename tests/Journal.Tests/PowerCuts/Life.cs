using System.Buffers;
using System.Buffers.Binary;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Reading;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.PowerCuts;

/// <summary>The lives of one journal on a disk that loses power: opened, written, cut, opened again, and compared with what was told.</summary>
internal sealed class Life
{
    private static readonly VirtualTime s_still = new();

    private readonly Random _random;
    private readonly SimulatedDisk _disk;
    private readonly Durability _durability;
    private readonly int _largest;
    private readonly List<byte[]> _submitted = [];
    private long _acknowledged;
    private long _number;
    private long _saved;

    public Life(int seed)
    {
        _random = new Random(seed);
        _disk = new SimulatedDisk(_random);
        // Large ones are written from where they are.
        _largest = _random.Next(8) == 0 ? 4_000 : 300;
        _durability = _random.Next(4) switch
        {
            0 => Durability.Every(TimeSpan.FromSeconds(1)),
            1 => Durability.LeftToTheSystem,
            _ => Durability.EachBatch,
        };
    }

    /// <summary>How often the power went off in a call.</summary>
    public int Cuts { get; private set; }

    /// <summary>How many other calls failed.</summary>
    public int Faults => _disk.Faults - Cuts;

    /// <summary>Opens it that often; each opening ends by a power cut, the end of the process, or in order.</summary>
    public void Run(int openings)
    {
        for (int i = 0; i < openings; i++)
        {
            Live();
            bool wasCut = _disk.IsOff;
            if (wasCut) Cuts++;
            if (wasCut || _random.Next(8) != 0) _disk.PowerOn();
            else _disk.Restart();
        }

        Open().Dispose();
    }

    private void Live()
    {
        PlanFaults();
        Journal<byte[]>? journal = null;
        try
        {
            journal = Open();
            int batches = _random.Next(12);
            for (int i = 0; i < batches; i++)
            {
                Append(journal);
                if (_random.Next(6) == 0) Save(journal);
            }

            if (_random.Next(3) == 0) journal.Close();
        }
        catch (Exception fault) when (IsPlanned(fault))
        {
            // It has failed, and takes nothing more, whatever the disk does.
            if (journal is not null && !_disk.IsOff)
                Assert.ThrowsAny<Exception>(() => journal.Stage.OnBatch(new Batch<byte[]>([[1]], journal.Writer.Written.Ring)));
        }

        if (journal is null) return;
        // What is left to the system is never told to survive a power cut.
        if (_durability.Interval is not null) _acknowledged = Math.Max(_acknowledged, journal.DurableSequence + 1);
        journal.Dispose();
        if (_durability.Interval is not null) _acknowledged = Math.Max(_acknowledged, journal.DurableSequence + 1);
    }

    // The power goes off, or a call fails, at a call that is soon or late.
    private void PlanFaults()
    {
        int cut = 1 + _random.Next(_random.Next(2) == 0 ? 30 : 150);
        int error = _random.Next(4) == 0 ? 1 + _random.Next(80) : -1;
        DiskFault kind = _random.Next(2) == 0 ? DiskFault.Error : DiskFault.NoSpace;
        int isShort = 2 + _random.Next(10);
        _disk.Plan = call =>
            call == cut ? DiskFault.PowerCut : call == error ? kind : call % isShort == 0 ? DiskFault.Short : DiskFault.None;
    }

    private Journal<byte[]> Open()
    {
        var options = new JournalOptions
        {
            Durability = _durability,
            // Never by itself: the test syncs between batches.
            Time = s_still,
            SegmentLength = _largest < 1_000 && _random.Next(2) == 0 ? 8_192 : 16_384,
            GroupLength = 1 + _random.Next(1_024),
            MaxItemLength = _largest,
            KeepSnapshots = 1 + _random.Next(2),
            CheckAll = _random.Next(2) == 0,
            // On the writer's thread, so that a seed repeats it.
            Ahead = _random.Next(2) == 0 ? null : static work => work(),
        }.Checked();
        Journal<byte[]> journal = Journal<byte[]>.Open(_disk, JournalCodec.Bytes, options);
        try
        {
            Compare(journal.Found, journal.Snapshots);
            return journal;
        }
        catch
        {
            journal.Dispose();
            throw;
        }
    }

    // Acknowledged is part of recovered; recovered is the beginning of what was submitted: in order, nothing invented, no gap.
    private void Compare(JournalFound found, JournalSnapshots snapshots)
    {
        Assert.InRange(found.Next, _acknowledged, _submitted.Count);
        Assert.Empty(snapshots.Damaged);
        if (snapshots.Latest is { } latest)
        {
            // A snapshot and the items behind it are the whole.
            Assert.InRange(latest.Next, Math.Max(_saved, found.First), found.Next);
            Assert.Equal(StateAfter(latest.Next), latest.State.ToArray());
            _saved = latest.Next;
        }
        else
        {
            Assert.Equal((0L, 0L), (_saved, found.First));
        }

        using var items = new StoredItems(_disk, SegmentFiles.Find(_disk), found.First, found.Next);
        for (int i = (int)found.First; i < found.Next; i++)
        {
            Assert.True(items.TryRead(out ReadOnlySpan<byte> bytes), $"item {i} of {found.Next} cannot be read");
            Assert.True(bytes.SequenceEqual(_submitted[i]), $"item {i} of {found.Next} is not the one that was stored");
        }

        Assert.False(items.TryRead(out _));
        _submitted.RemoveRange((int)found.Next, _submitted.Count - (int)found.Next);
        // Opening has synced them.
        _acknowledged = found.Next;
    }

    private void Append(Journal<byte[]> journal)
    {
        var batch = new byte[1 + _random.Next(6)][];
        for (int i = 0; i < batch.Length; i++)
        {
            byte[] item = new byte[_random.Next(5) == 0 ? 0 : sizeof(long) + _random.Next(_largest - sizeof(long))];
            _random.NextBytes(item);
            if (item.Length > 0) BinaryPrimitives.WriteInt64LittleEndian(item, _number++);
            batch[i] = item;
        }

        long sequence = journal.NextSequence - journal.Found.Next;
        _submitted.AddRange(batch);
        journal.Stage.OnBatch(new Batch<byte[]>(batch, sequence));
        if (_durability.Interval == TimeSpan.Zero) Assert.Equal(_submitted.Count - 1, journal.DurableSequence);
        else if (_random.Next(3) == 0) journal.Writer.Sync();
    }

    // What a handler would have made of the items before that one.
    private byte[] StateAfter(long next)
    {
        uint state = 0;
        for (int i = 0; i < next; i++) state = (state * 31) + (uint)_submitted[i].Length + _submitted[i].FirstOrDefault();
        return BitConverter.GetBytes(state);
    }

    private void Save(Journal<byte[]> journal)
    {
        long next = journal.NextSequence;
        byte[] state = StateAfter(next);
        Assert.True(journal.Snapshots.TrySave(next, state, static (bytes, output) => output.Write(bytes)));
        if (journal.Snapshots.Fault is null) _saved = next;
        else Assert.True(IsPlanned(journal.Snapshots.Fault), $"{journal.Snapshots.Fault}");
    }

    private static bool IsPlanned(Exception fault)
    {
        for (Exception? one = fault; one is not null; one = one.InnerException)
        {
            if (one is JournalDamagedException) return false;
            if (one is PowerCutException) return true;
            if (one is IOException and not JournalException) return true;
        }

        return false;
    }
}
