using System.Globalization;

namespace Raceway.Proof.Tests.Support;

/// <summary>Where randomness begins: the same in every push, another one in each pass of the long set.</summary>
internal static class Seed
{
    /// <summary>Names the seed; every failure prints it.</summary>
    public const string Variable = "RACEWAY_SEED";

    public static int Value { get; } =
        int.TryParse(Environment.GetEnvironmentVariable(Variable), CultureInfo.InvariantCulture, out int seed) ? seed : 1;

    /// <summary>A seed of its own for what has <paramref name="name"/>, the same in every process.</summary>
    public static int For(string name)
    {
        int hash = Value;
        foreach (char each in name) hash = unchecked(hash * 31 + each);
        return hash;
    }
}
