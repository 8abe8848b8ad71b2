using System.Collections;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Raceway.Testing;

/// <summary>Compares results by what they hold, and writes them: sequences, tuples and dictionaries item by item, anything else by itself.</summary>
internal static class ResultText
{
    private const int Most = 20;

    public static string Of(object? value) => value switch
    {
        null => "null",
        string text => $"\"{text}\"",
        IDictionary entries => Of(entries.Keys.Cast<object>().Select(key => (key, entries[key]))),
        IEnumerable items => Of(items),
        ITuple tuple => $"({string.Join(", ", Items(tuple).Select(Of))})",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString() ?? "",
    };

    public static bool AreSame(object? one, object? other)
    {
        if (one is string || other is string) return Equals(one, other);
        if (one is IDictionary entries && other is IDictionary others)
        {
            return entries.Count == others.Count
                && entries.Keys.Cast<object>().All(key => others.Contains(key) && AreSame(entries[key], others[key]));
        }

        if (one is ITuple tuple && other is ITuple another) return AreSame(Items(tuple), Items(another));
        if (one is not IEnumerable first || other is not IEnumerable second) return Equals(one, other);
        return first.Cast<object?>().SequenceEqual(second.Cast<object?>(), ByContent.Instance);
    }

    private static IEnumerable<object?> Items(ITuple tuple) => Enumerable.Range(0, tuple.Length).Select(i => tuple[i]);

    private static string Of(IEnumerable items)
    {
        string[] texts = [.. items.Cast<object?>().Take(Most + 1).Select(Of)];
        return $"[{string.Join(", ", texts.Take(Most))}{(texts.Length > Most ? ", …" : "")}]";
    }

    private sealed class ByContent : IEqualityComparer<object?>
    {
        public static ByContent Instance { get; } = new();

        bool IEqualityComparer<object?>.Equals(object? x, object? y) => AreSame(x, y);

        public int GetHashCode(object? obj) => 0;
    }
}
