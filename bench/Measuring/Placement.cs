using Raceway.Rings;

namespace Raceway.Measuring;

/// <summary>Puts threads that are to run at the same time on different processors at their start.</summary>
/// <remarks>
/// With two processors Linux often wakes the second of two threads on the processor of the first, and leaves both there
/// for some milliseconds while the other one idles: a measurement of that is no measurement of a queue. Only with
/// exactly two usable processors is anything done; with more, the scheduler finds an idle one, and choosing a pair for
/// it would choose how far apart they are.
/// </remarks>
internal static class Placement
{
    private static readonly int[] s_pair = ReadPair();

    /// <summary>Moves the calling thread to one of the two processors, and leaves the scheduler free to move it on.</summary>
    /// <param name="index">Which one; null: the thread serves others too, and stays where it is.</param>
    public static void StartApart(int? index)
    {
        if (index is { } own && Pin(own)) _ = Affinity.Write(s_pair);
    }

    /// <summary>Keeps the calling thread, which must be one's own, on one of the two processors.</summary>
    public static bool Pin(int index) => s_pair.Length == 2 && Affinity.Write([s_pair[index % 2]]) == 0;

    private static int[] ReadPair()
    {
        if (Environment.ProcessorCount != 2) return [];
        int[] found = Affinity.Read();
        // A quota may leave two processors' worth of time on a machine with more: then nothing is known of a pair.
        return found.Length == 2 ? found : [];
    }
}
