namespace Raceway.Testing;

/// <summary>A contract that does not hold: the message has the rule, what was found, and in which setting.</summary>
public sealed class ContractException : Exception
{
    internal ContractException(string rule, string found, string setting)
        : base($"{rule} Found: {found}. In: {setting}.")
    {
    }
}
