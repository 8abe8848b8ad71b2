using System.Runtime.CompilerServices;
using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Modelled;

/// <summary>A processor without a pause: polls go through <see cref="Thread.SpinWait"/>.</summary>
internal static class NoIntrinsics
{
    public static bool IsSupported => false;

    public static void Pause()
    {
    }

    public static void Yield()
    {
    }
}

/// <summary>A machine with more processors than threads.</summary>
internal static class Environment
{
    public static int ProcessorCount => 8;

    public static int CurrentManagedThreadId => Model.Me is { } me ? me.Id + 1 : 1_000;

    public static string? GetEnvironmentVariable(string name) => System.Environment.GetEnvironmentVariable(name);
}

/// <summary>The clock of the model. Frequency: nanoseconds.</summary>
internal static class Stopwatch
{
    // Before any execution: what a pause costs is measured then, and shall be dear, so that polls are few.
    private static long s_before;

    public static long Frequency => 1_000_000_000;

    /// <summary>How often the shipped sources have looked at it in this execution: they all do so in one place.</summary>
    public static long Reads { get; private set; }

    public static long GetTimestamp([CallerFilePath] string file = "")
    {
        if (Model.Me is null) return s_before < long.MaxValue / 2 ? Model.Current.Now + s_before : Model.Current.Now;
        if (file.EndsWith("Clock.cs", StringComparison.Ordinal)) Reads++;
        return Model.Current.Now;
    }

    /// <summary>Counts anew.</summary>
    public static void ForgetReads() => Reads = 0;

    public static TimeSpan GetElapsedTime(long from) => TimeSpan.FromTicks((GetTimestamp() - from) / 100);

    /// <summary>Lets <paramref name="nanoseconds"/> pass while nothing is modelled.</summary>
    public static void Pass(long nanoseconds) => s_before += nanoseconds;

    public static void Settle() => s_before = 0;
}

/// <summary>Allocation; what is pinned is told to the model.</summary>
internal static class GC
{
    public static T[] AllocateArray<T>(int length, bool pinned = false) => Note(System.GC.AllocateArray<T>(length, pinned), pinned);

    public static T[] AllocateUninitializedArray<T>(int length, bool pinned = false) =>
        Note(System.GC.AllocateArray<T>(length, pinned), pinned);

    public static void SuppressFinalize(object instance) => System.GC.SuppressFinalize(instance);

    private static unsafe T[] Note<T>(T[] array, bool pinned)
    {
        if (pinned) Model.Current.Pinned((nint)Unsafe.AsPointer(ref array[0]), (nint)array.Length * Unsafe.SizeOf<T>());
        return array;
    }
}
