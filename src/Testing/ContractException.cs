namespace Raceway.Testing;

/// <summary>A rule that does not hold: the message has the rule, what was found, in which setting, and a remedy where one is known.</summary>
public class ContractException : Exception
{
    internal ContractException(string rule, string found, string setting, string? remedy = null, Exception? cause = null)
        : base($"{rule} Found: {Line(found)}. In: {setting}.{(remedy is null ? "" : $" Remedy: {remedy}")}", cause) => (Rule, Found) = (rule, Line(found));

    /// <summary>The rule, as the message begins with it.</summary>
    public string Rule { get; }

    /// <summary>What was found instead.</summary>
    internal string Found { get; }

    // The texts of others end with a stop, and some have several lines.
    private static string Line(string text) => text.ReplaceLineEndings(" ").TrimEnd('.', ' ');
}
