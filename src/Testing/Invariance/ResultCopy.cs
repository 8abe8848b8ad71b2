using System.Collections;
using System.Runtime.CompilerServices;

namespace Raceway.Testing;

/// <summary>Copies what a result holds at the end of its run: a list that a later run goes on to fill, or a query that is run late, would show that run's items.</summary>
/// <remarks>Sequences, sets, dictionaries and tuples are copied with what is in them; anything else is taken as it is.</remarks>
internal static class ResultCopy
{
    public static object? Of(object? value) => value switch
    {
        null or string => value,
        IDictionary entries => Of(entries),
        IEnumerable items when Interfaces.AnyOf(items, typeof(ISet<>), typeof(IReadOnlySet<>)) => new HashSet<object?>(Items(items), ResultText.ByContent),
        IEnumerable items => Items(items).ToArray(),
        ITuple tuple => new Tuple([.. Enumerable.Range(0, tuple.Length).Select(i => Of(tuple[i]))]),
        _ => value,
    };

    private static Dictionary<object, object?> Of(IDictionary entries)
    {
        var copy = new Dictionary<object, object?>(ResultText.ByContent!);
        foreach (DictionaryEntry entry in entries) copy[Of(entry.Key)!] = Of(entry.Value);
        return copy;
    }

    private static IEnumerable<object?> Items(IEnumerable items) => items.Cast<object?>().Select(Of);

    private sealed class Tuple(object?[] items) : ITuple
    {
        public int Length => items.Length;

        public object? this[int index] => items[index];
    }
}
