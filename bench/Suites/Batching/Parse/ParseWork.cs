using System.Text.Json;

namespace Raceway.Suites.Batching.Parse;

/// <summary>Parses each event by <see cref="Utf8JsonReader"/> and adds up its fields. A batch does the same, event by event.</summary>
internal sealed class ParseWork : FoldedWork
{
    private static readonly ulong[] s_expected = [.. Enumerable.Range(0, Corpus.Count).Select(static i => FromDocument(i))];

    public override void Do(ReadOnlySpan<Job> jobs)
    {
        foreach (ref readonly Job job in jobs) Take(Sum(Corpus.Json[job.Index]));
    }

    protected override ulong[] Expected => s_expected;

    private static ulong Sum(ReadOnlySpan<byte> text)
    {
        var reader = new Utf8JsonReader(text);
        ulong sum = 0;
        while (reader.Read())
        {
            sum += reader.TokenType switch
            {
                JsonTokenType.Number => (ulong)reader.GetInt64(),
                JsonTokenType.String => (ulong)reader.ValueSpan.Length,
                JsonTokenType.True => 1,
                _ => 0,
            };
        }

        return sum;
    }

    // The same of a parsed document: another parser of the same library.
    private static ulong FromDocument(long index)
    {
        using JsonDocument document = JsonDocument.Parse(Corpus.Json[index].ToArray());
        return SumOf(document.RootElement);

        static ulong SumOf(JsonElement one) => one.ValueKind switch
        {
            JsonValueKind.Object => one.EnumerateObject().Aggregate(0UL, static (sum, field) => sum + SumOf(field.Value)),
            JsonValueKind.Array => one.EnumerateArray().Aggregate(0UL, static (sum, item) => sum + SumOf(item)),
            JsonValueKind.Number => (ulong)one.GetInt64(),
            JsonValueKind.String => (ulong)one.GetString()!.Length,
            JsonValueKind.True => 1,
            _ => 0,
        };
    }
}
