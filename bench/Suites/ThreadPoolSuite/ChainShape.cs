using System.Globalization;

namespace Raceway.Suites.ThreadPoolSuite;

/// <summary>How deep the chains are, and how many of them are under way at the same time.</summary>
/// <param name="Depth">Hops of a chain.</param>
/// <param name="Parallel">Chains under way; 1 is called serial.</param>
public readonly record struct ChainShape(int Depth, int Parallel)
{
    /// <summary>The name of its case: <c>depth-16/serial</c>, <c>depth-16/64x</c>.</summary>
    public string Name => string.Create(
        CultureInfo.InvariantCulture, $"depth-{Depth}/{(Parallel == 1 ? "serial" : $"{Parallel}x")}");

    /// <summary>Hops that make whole chains for every contestant, at least those asked for.</summary>
    public long Rounded(long hops)
    {
        long each = (long)Depth * Parallel;
        return (hops + each - 1) / each * each;
    }
}
