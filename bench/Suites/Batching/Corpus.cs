using System.Text;

namespace Raceway.Suites.Batching;

/// <summary>The messages of a case: the same for each contestant, in each run, on each machine.</summary>
/// <remarks>Message <c>i</c> is the text at <c>i</c> modulo their number. Where an index is needed to tell them apart, the work adds it.</remarks>
public sealed class Corpus
{
    /// <summary>How many messages there are before they begin anew.</summary>
    public const int Count = 4_096;

    private const int Seed = 20;

    private static readonly string[] s_words =
    [
        "accepted", "account", "batch", "cache", "checkout", "client", "connection", "customer", "deadline", "gateway", "invoice",
        "latency", "order", "payment", "pending", "queue", "refused", "region", "request", "retry", "session", "shipment", "timeout", "user",
    ];

    private readonly byte[] _bytes;
    private readonly (int Start, int Length)[] _places;

    private Corpus(IReadOnlyList<byte[]> messages)
    {
        _bytes = [.. messages.SelectMany(static one => one)];
        _places = new (int, int)[messages.Count];
        int start = 0;
        for (int i = 0; i < messages.Count; start += messages[i].Length, i++) _places[i] = (start, messages[i].Length);
    }

    /// <summary>Lines of a log, 40 to 134 bytes each, 87 on average: as long as those of the main job.</summary>
    public static Corpus Lines { get; } = new(Make(static random => Text(random, random.Next(40, 135))));

    /// <summary>Records of 128 bytes.</summary>
    public static Corpus Records { get; } = new(Make(static random => Text(random, 128)));

    /// <summary>Records of 1,024 bytes.</summary>
    public static Corpus LargeRecords { get; } = new(Make(static random => Text(random, 1_024)));

    /// <summary>Events as JSON, a line each, about 160 bytes.</summary>
    public static Corpus Json { get; } = new(Make(Event));

    /// <summary>The message of a job.</summary>
    public ReadOnlySpan<byte> this[long index]
    {
        get
        {
            (int start, int length) = _places[index & (Count - 1)];
            return _bytes.AsSpan(start, length);
        }
    }

    /// <summary>The same, for drivers that keep it until it is sent.</summary>
    public ReadOnlyMemory<byte> MemoryOf(long index)
    {
        (int start, int length) = _places[index & (Count - 1)];
        return _bytes.AsMemory(start, length);
    }

    private static byte[][] Make(Func<Random, byte[]> one)
    {
        var random = new Random(Seed);
        return [.. Enumerable.Range(0, Count).Select(_ => one(random))];
    }

    private static byte[] Text(Random random, int length)
    {
        var text = new StringBuilder();
        while (text.Length < length) text.Append(s_words[random.Next(s_words.Length)]).Append(' ').Append(random.Next(100_000)).Append(' ');
        return Encoding.ASCII.GetBytes(text.ToString(0, length));
    }

    private static byte[] Event(Random random)
    {
        string Word() => s_words[random.Next(s_words.Length)];
        return Encoding.ASCII.GetBytes(
            $$"""{"id":{{random.Next()}},"kind":"{{Word()}}","from":"{{Word()}}-{{random.Next(100)}}","amount":{{random.Next(1_000_000)}},"open":{{(random.Next(2) == 0 ? "true" : "false")}},"tags":["{{Word()}}","{{Word()}}"],"text":"{{Word()}} {{Word()}} {{Word()}}"}""");
    }
}
