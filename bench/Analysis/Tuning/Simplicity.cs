using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>Of finalists that cannot be told apart, the simplest: what shows no gain is not worth a setting.</summary>
internal static class Simplicity
{
    /// <summary>By how much the best of several is ahead by chance.</summary>
    public const double NoMatter = 1.02;

    /// <summary>Whether the best is not shown to be better than another one.</summary>
    /// <param name="over">How many times as good as the other the best is.</param>
    public static bool IsEqual(MedianInterval? over) => over is { Low: <= 1, Median: <= NoMatter };

    /// <summary>
    /// The one that changes the fewest knobs. If it is not today's, and others differ from it in the limit of batches alone, the one
    /// with the smallest limit.
    /// </summary>
    /// <param name="ranked">Finalists, the best first.</param>
    /// <param name="today">What runs today: to keep it changes nothing.</param>
    /// <param name="over">How many times as good as another the best is.</param>
    public static IReadOnlyDictionary<string, string> Choose(
        IReadOnlyList<IReadOnlyDictionary<string, string>> ranked, IReadOnlyDictionary<string, string> today,
        Func<IReadOnlyDictionary<string, string>, MedianInterval?> over)
    {
        IReadOnlyDictionary<string, string>[] equal = [.. ranked.Where((one, place) => place == 0 || IsEqual(over(one)))];
        // Another one may change as little: what it sets is the default.
        if (equal.FirstOrDefault(one => IsToday(one, today)) is { } kept) return kept;
        return BatchSizes.Least(equal.MinBy(KnobSpace.ChangesOf)!, equal, over);
    }

    /// <summary>How many knobs a choice changes.</summary>
    public static int ChangesOf(IReadOnlyDictionary<string, string> one, IReadOnlyDictionary<string, string> today) =>
        IsToday(one, today) ? 0 : KnobSpace.ChangesOf(one);

    private static bool IsToday(IReadOnlyDictionary<string, string> one, IReadOnlyDictionary<string, string> today) =>
        Knobs.NameOf(one) == Knobs.NameOf(today);
}
