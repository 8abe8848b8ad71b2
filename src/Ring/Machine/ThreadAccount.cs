using System.Globalization;
using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>What the system has accounted to a thread so far.</summary>
/// <param name="Processor">Time on a processor.</param>
/// <param name="Ready">Time in which it could have run and had no processor.</param>
internal readonly record struct ThreadTimes(TimeSpan Processor, TimeSpan Ready);

/// <summary>The system's account of a thread, read when it is asked for. Linux only (/proc/…/schedstat); elsewhere there is none.</summary>
/// <remarks>
/// The thread itself notes its number when it begins, and its last figures when it ends: numbers are used again. Nothing is
/// read in between unless a caller asks, at some microseconds each time. Figures lag by a tick of the scheduler at most.
/// </remarks>
internal sealed partial class ThreadAccount
{
    private int _thread;
    private ThreadTimes? _last;

    private ThreadAccount(int thread) => _thread = thread;

    /// <summary>That of the calling thread; null where the system has none.</summary>
    public static ThreadAccount? OfCurrent()
    {
        if (!OperatingSystem.IsLinux()) return null;
        try
        {
            return new ThreadAccount(GetThreadId());
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            return null;
        }
    }

    /// <summary>The last figures are those of now: the calling thread is the one accounted for, and ends.</summary>
    public void Close()
    {
        _last = ReadFile(_thread);
        // ORDER: release; pairs with the acquire reads of Read: a reader that finds no number finds the last figures.
        Volatile.Write(ref _thread, 0);
    }

    /// <summary>The figures of now, or the last; null where the system keeps none.</summary>
    public ThreadTimes? Read()
    {
        // ORDER: acquire, twice; pairs with the release in Close. What was read of a number that is no longer the thread's
        // is thrown away.
        int thread = Volatile.Read(ref _thread);
        ThreadTimes? now = thread == 0 ? null : ReadFile(thread);
        return Volatile.Read(ref _thread) == 0 ? _last : now;
    }

    private static ThreadTimes? ReadFile(int thread)
    {
        try
        {
            string text = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{thread}/schedstat"));
            return Parse(text);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Nanoseconds on a processor and ready for one, and a count; all 0 where the system does not count.</summary>
    internal static ThreadTimes? Parse(string text)
    {
        string[] figures = text.Split(' ', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        return figures.Length >= 2
            && long.TryParse(figures[0], NumberStyles.None, CultureInfo.InvariantCulture, out long processor)
            && long.TryParse(figures[1], NumberStyles.None, CultureInfo.InvariantCulture, out long ready)
            && processor > 0
            ? new ThreadTimes(TimeSpan.FromMicroseconds(processor / 1e3), TimeSpan.FromMicroseconds(ready / 1e3))
            : null;
    }

    [LibraryImport("libc", EntryPoint = "gettid")]
    private static partial int GetThreadId();
}
