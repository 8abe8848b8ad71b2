using System.Diagnostics.CodeAnalysis;

namespace Raceway.Testing;

/// <summary>Whether an object has a generic interface, whatever its type arguments are.</summary>
internal static class Interfaces
{
    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "An interface that is trimmed away is one that no code asks for by its name. And a test program is not trimmed.")]
    public static bool AnyOf(object one, params ReadOnlySpan<Type> definitions)
    {
        foreach (Type has in one.GetType().GetInterfaces())
            if (has.IsGenericType && definitions.Contains(has.GetGenericTypeDefinition())) return true;
        return false;
    }
}
