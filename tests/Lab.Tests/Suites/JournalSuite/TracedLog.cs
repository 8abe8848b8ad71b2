using Microsoft.Win32.SafeHandles;
using Raceway.Suites.Batching;
using Raceway.Suites.Batching.Disk;
using Raceway.Suites.JournalSuite;
using Raceway.Suites.JournalSuite.Logs;

namespace Raceway.Lab.Tests.Suites.JournalSuite;

/// <summary>A process of its own, made to be traced: a log gets items one by one, and each acknowledgement is a write to a file of marks.</summary>
internal static class TracedLog
{
    /// <summary>The first word of the command.</summary>
    public const string Word = "acknowledge";

    /// <summary>A planted log that never syncs.</summary>
    public const string NeverSyncs = "planted/never-syncs";

    /// <summary>A planted log that syncs what it wrote before, and not what it acknowledges.</summary>
    public const string SyncsTooEarly = "planted/syncs-too-early";

    /// <summary>How many items it gives.</summary>
    public const int Items = 20;

    private const int Length = 128;
    private const long Round = 1;

    /// <summary>The bytes of an item.</summary>
    public static byte[] Item(long index)
    {
        byte[] item = new byte[Length];
        Logged.Fill(item, index, Round);
        return item;
    }

    /// <summary>The process.</summary>
    public static int Run(string name, string folder, string marks)
    {
        using SafeFileHandle marked = File.OpenHandle(marks, FileMode.CreateNew, FileAccess.Write);
        using DurableLog log = Open(name, folder);
        var acknowledged = new Acknowledgements(new JournalRound(Round), feed: null, latency: null);
        log.Begin(acknowledged);
        for (long index = 0; index < Items; index++)
        {
            log.Give(new Job(index, 0));
            acknowledged.Wait(index + 1);
            RandomAccess.Write(marked, "."u8, index);
        }

        return 0;
    }

    private static DurableLog Open(string name, string folder) => name switch
    {
        NeverSyncs => new GroupCommit(new PlantedStore(folder, syncs: false), Length, Items),
        SyncsTooEarly => new GroupCommit(new PlantedStore(folder, syncs: true), Length, Items),
        _ => JournalCases.Logs(Length).Single(log => log.Name == name).Open(folder),
    };

    private sealed class PlantedStore(string folder, bool syncs) : IGroupStore
    {
        private readonly SafeFileHandle _file = File.OpenHandle(Path.Combine(folder, "items.log"), FileMode.CreateNew, FileAccess.Write);
        private long _end;

        public void Begin() => _end = 0;

        public void Append(Span<byte> items, long first, int count)
        {
            if (syncs) DataSync.Flush(_file);
            RandomAccess.Write(_file, items, _end);
            _end += items.Length;
        }

        public void ReadBack(long count, StoredReader item)
        {
        }

        public void Dispose() => _file.Dispose();
    }
}
