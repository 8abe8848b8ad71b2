using System.Collections;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Raceway.Testing;

/// <summary>Compares copied results by what they hold, and writes them: sequences and tuples item by item, sets and dictionaries in any order, anything else by itself.</summary>
internal static class ResultText
{
    private const int Most = 20;

    /// <summary>Items of results by what they hold.</summary>
    public static IEqualityComparer<object?> ByContent { get; } = EqualityComparer<object?>.Create(AreSame, HashOf);

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

    /// <summary>Whether two results are the same, each as <see cref="ResultCopy"/> has copied it.</summary>
    public static bool AreSame(object? one, object? other) => (one, other) switch
    {
        (Dictionary<object, object?> entries, Dictionary<object, object?> others) => entries.Count == others.Count
            && entries.All(entry => others.TryGetValue(entry.Key, out object? value) && AreSame(entry.Value, value)),
        (HashSet<object?> set, HashSet<object?> another) => set.SetEquals(another),
        (object?[] items, object?[] others) => items.SequenceEqual(others, ByContent),
        (ITuple tuple, ITuple another) => Items(tuple).SequenceEqual(Items(another), ByContent),
        _ => Equals(one, other),
    };

    private static int HashOf(object? value) => value is ITuple or (IEnumerable and not string) ? 0 : value?.GetHashCode() ?? 0;

    private static IEnumerable<object?> Items(ITuple tuple) => Enumerable.Range(0, tuple.Length).Select(i => tuple[i]);

    private static string Of(IEnumerable items)
    {
        string[] texts = [.. items.Cast<object?>().Take(Most + 1).Select(Of)];
        return $"[{string.Join(", ", texts.Take(Most))}{(texts.Length > Most ? ", …" : "")}]";
    }
}
