namespace Raceway.Verify.Tiers;

/// <summary>What processes find in their environment.</summary>
internal static class Environments
{
    /// <summary>Names the file that tests append their counts to.</summary>
    public const string Tally = "RACEWAY_TALLY";

    private const string Long = "RACEWAY_LONG";
    private const string Seed = "RACEWAY_SEED";

    /// <summary>Of builds, and of tests of mutants: what these do counts nothing, and is the small set.</summary>
    public static IReadOnlyDictionary<string, string?> OfTools { get; } = Of(null, false, null);

    /// <summary>Of the proof.</summary>
    /// <param name="tally">The file for the counts.</param>
    /// <param name="isLong">Whether the long set runs.</param>
    /// <param name="seed">What random choices come from; the tests' own where null.</param>
    public static Dictionary<string, string?> Of(string? tally, bool isLong, string? seed) => new()
    {
        ["DOTNET_NOLOGO"] = "1",
        ["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1",
        [Tally] = tally,
        [Long] = isLong ? "1" : null,
        [Seed] = seed,
    };
}
