using System.Globalization;

namespace Raceway.Tests.Support.Proof;

/// <summary>What the tiers count, so that a run can close with one line.</summary>
internal enum Counted
{
    States,
    Interleavings,
    Operations,
    Faults,
    BadInputs,
    Misuses,
}

/// <summary>Adds counts to the file that the environment names; without one they are only shown by the tests.</summary>
internal static class Tally
{
    /// <summary>Names the file. Several processes may append to it.</summary>
    public const string FileVariable = "RACEWAY_TALLY";

    /// <summary>Set to 1: the long set, with the nightly figures.</summary>
    public const string LongVariable = "RACEWAY_LONG";

    private static readonly object s_gate = new();

    /// <summary>Whether the long set runs.</summary>
    public static bool IsLong { get; } = Environment.GetEnvironmentVariable(LongVariable) == "1";

    /// <summary>Counts <paramref name="count"/> of what has been done, checked and found right.</summary>
    public static void Add(Counted what, long count)
    {
        if (Environment.GetEnvironmentVariable(FileVariable) is not { Length: > 0 } file) return;
        string line = string.Create(CultureInfo.InvariantCulture, $"{what} {count}\n");
        lock (s_gate)
        {
            // One short append is one write; a reader adds the lines up.
            using var stream = new FileStream(file, FileMode.Append, FileAccess.Write, FileShare.ReadWrite);
            stream.Write(System.Text.Encoding.ASCII.GetBytes(line));
        }
    }
}
