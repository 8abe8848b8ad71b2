using System.Collections;
using System.Globalization;

namespace Raceway.Testing;

/// <summary>Compares results by what they hold, and writes them: a sequence item by item, anything else by itself.</summary>
internal static class ResultText
{
    private const int Most = 20;

    public static string Of(object? value) => value switch
    {
        null => "null",
        string text => $"\"{text}\"",
        IEnumerable items => Of(items),
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString() ?? "",
    };

    public static bool AreSame(object? one, object? other)
    {
        if (one is string || other is string || one is not IEnumerable first || other is not IEnumerable second) return Equals(one, other);
        return first.Cast<object?>().SequenceEqual(second.Cast<object?>(), ByContent.Instance);
    }

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
