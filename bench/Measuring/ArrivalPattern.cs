using System.Diagnostics;
using System.Globalization;

namespace Raceway.Measuring;

/// <summary>When the items of an open loop are due, whether or not the contestant has kept up.</summary>
/// <remarks>
/// All times are laid down before the round, so that no pattern costs more than another while it runs, and so that latency
/// counts from when an item was to be sent, and not from when a producer that was held up came to it (coordinated omission:
/// G. Tene, "How NOT to Measure Latency").
/// </remarks>
public abstract record ArrivalPattern
{
    private static readonly string[] s_kinds = ["constant", "poisson", "burst:N", "replay:FILE"];

    /// <summary>What an option may say.</summary>
    public static string Kinds => string.Join(", ", s_kinds);

    /// <summary>When each of the first <paramref name="items"/> is due, in timer ticks since the start; never falling.</summary>
    /// <param name="items">How many.</param>
    /// <param name="rate">Items a second, on average.</param>
    /// <param name="seed">Decides what is random.</param>
    public abstract long[] Due(int items, double rate, int seed);

    /// <summary>Reads what an option says.</summary>
    /// <param name="text"><c>constant</c>, <c>poisson</c>, <c>burst:64</c> or <c>replay:arrivals.txt</c>.</param>
    /// <exception cref="FormatException">It is none of them, or the file is none; the message says why.</exception>
    public static ArrivalPattern Parse(string text)
    {
        string[] parts = text.Split(':', 2);
        return parts switch
        {
            ["constant"] => new ConstantArrivals(),
            ["poisson"] => new PoissonArrivals(),
            ["burst", var size] when int.TryParse(size, NumberStyles.None, CultureInfo.InvariantCulture, out int items)
                && items is >= 2 and <= 1_000_000 => new BurstArrivals(items),
            ["burst", ..] => throw new FormatException(
                $"a burst is of 2 to 1000000 items, written burst:64; got '{text}'."),
            ["replay", { Length: > 0 } file] => ReplayedArrivals.Load(file),
            _ => throw new FormatException($"arrivals are one of {Kinds}; got '{text}'."),
        };
    }
}

/// <summary>Evenly: item <c>i</c> at <c>i / rate</c>.</summary>
public sealed record ConstantArrivals : ArrivalPattern
{
    /// <inheritdoc/>
    public override long[] Due(int items, double rate, int seed)
    {
        double step = Stopwatch.Frequency / rate;
        var due = new long[items];
        for (int i = 0; i < items; i++) due[i] = (long)(i * step);
        return due;
    }

    /// <inheritdoc/>
    public override string ToString() => "constant";
}

/// <summary>As independent customers come: the times between two of them are exponentially distributed.</summary>
public sealed record PoissonArrivals : ArrivalPattern
{
    /// <inheritdoc/>
    public override long[] Due(int items, double rate, int seed)
    {
        double mean = Stopwatch.Frequency / rate;
        var random = new Random(seed);
        var due = new long[items];
        double at = 0;
        for (int i = 0; i < items; i++)
        {
            due[i] = (long)at;
            at -= Math.Log(1 - random.NextDouble()) * mean;
        }

        return due;
    }

    /// <inheritdoc/>
    public override string ToString() => "poisson";
}

/// <summary>Many at once, then nothing until the average rate is met again.</summary>
/// <param name="Size">Items of a burst.</param>
public sealed record BurstArrivals(int Size) : ArrivalPattern
{
    /// <inheritdoc/>
    public override long[] Due(int items, double rate, int seed)
    {
        double step = Stopwatch.Frequency / rate;
        var due = new long[items];
        for (int i = 0; i < items; i++) due[i] = (long)((long)(i / Size) * Size * step);
        return due;
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"burst:{Size}");
}

/// <summary>As recorded: the distances of a file's timestamps, again from the beginning when all are through.</summary>
/// <param name="File">Where they are from.</param>
/// <param name="Seconds">Since the first, rising; two or more.</param>
public sealed record ReplayedArrivals(string File, IReadOnlyList<double> Seconds) : ArrivalPattern
{
    private const decimal MostSeconds = 1e15m;

    /// <summary>Reads a file of one timestamp a line: seconds as a number, or date and time as ISO 8601 writes them.</summary>
    /// <exception cref="FormatException">There is no such file, or a line is no timestamp, or they fall.</exception>
    public static ReplayedArrivals Load(string file)
    {
        (int Number, string Text)[] lines;
        try
        {
            FileKind.RefuseSpecial(file);
            lines = [.. System.IO.File.ReadLines(file).Select(static (line, i) => (i + 1, line.Trim())).Where(static line => line.Item2.Length > 0)];
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new FormatException($"the timestamps cannot be read: {error.Message}");
        }

        if (lines.Length < 2) throw new FormatException($"a replay needs two timestamps at least: '{file}' has {lines.Length}.");
        var times = new decimal[lines.Length];
        for (int i = 0; i < lines.Length; i++)
        {
            (int number, string text) = lines[i];
            times[i] = SecondsOf(text) ?? throw new FormatException(
                $"a timestamp is a number of seconds or a time as in 2026-01-31T12:00:00.123Z: '{file}' line {number} is '{text}'.");
            if (i > 0 && times[i] < times[i - 1])
                throw new FormatException($"timestamps must not fall: '{file}' line {number} is before the one above. Sort the file.");
        }

        return times[^1] > times[0]
            ? new ReplayedArrivals(file, [.. times.Select(time => (double)(time - times[0]))])
            : throw new FormatException($"timestamps must not all be the same: '{file}'.");
    }

    /// <summary>The rate of the recording.</summary>
    public double Rate => (Seconds.Count - 1) / Seconds[^1];

    /// <inheritdoc/>
    public override long[] Due(int items, double rate, int seed)
    {
        // As recorded where the rate is the recording's own; stretched or pressed together where another one is asked for.
        double scale = Stopwatch.Frequency * Rate / rate;
        // The last timestamp is where the next pass begins.
        int pass = Seconds.Count - 1;
        var due = new long[items];
        for (int i = 0; i < items; i++) due[i] = (long)((i / pass * Seconds[^1] + Seconds[i % pass]) * scale);
        return due;
    }

    /// <inheritdoc/>
    public override string ToString() => $"replay:{File}";

    // Exact until the first one is taken off: a double of seconds since year 1 has steps of some microseconds.
    private static decimal? SecondsOf(string text) =>
        decimal.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out decimal seconds)
            ? Math.Abs(seconds) <= MostSeconds ? seconds : null
        : DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out DateTimeOffset at)
            ? at.UtcTicks / (decimal)TimeSpan.TicksPerSecond
        : null;
}
