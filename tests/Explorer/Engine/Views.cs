using System.Numerics;

namespace Raceway.Explorer.Engine;

/// <summary>What a thread or a store knows: a clock for each thread, then for each location the oldest store still readable.</summary>
internal static class Views
{
    /// <summary>Clocks come first. More threads than that share them.</summary>
    public const int Threads = 32;

    /// <summary>Clocks and locations.</summary>
    public const int Width = Threads + 736;

    /// <summary>Makes <paramref name="view"/> know what <paramref name="other"/> knows.</summary>
    public static void Join(int[] view, int[] other, int used)
    {
        int i = 0;
        for (; i < used; i += Vector<int>.Count)
            Vector.Max(new Vector<int>(view, i), new Vector<int>(other, i)).CopyTo(view, i);
    }

    public static void Copy(int[] from, int[] to, int used) => from.AsSpan(0, used).CopyTo(to);
}
