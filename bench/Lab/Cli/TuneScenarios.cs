using Raceway.Analysis.Tuning;

namespace Raceway.Lab.Cli;

/// <summary>The pipelines that <c>raceway tune</c> has of its own.</summary>
internal static class TuneScenarios
{
    private static readonly Dictionary<string, (string Description, Func<ITrialHost> Create)> s_own = new()
    {
        ["main-job"] = ("the lines of the reference documentation: parse, totals", BuiltIn.MainJob),
        ["small"] = ("five stages that compute a little", static () => BuiltIn.Readings("small", heavy: 0)),
        ["uneven"] = ("five stages, the third one hashes", static () => BuiltIn.Readings("uneven", heavy: 1 << 2)),
        ["heavy"] = ("five stages that each hash", static () => BuiltIn.Readings("heavy", heavy: (1 << 5) - 1)),
    };

    /// <summary>By name, with what each is.</summary>
    public static IReadOnlyDictionary<string, (string Description, Func<ITrialHost> Create)> All { get; } =
        s_own.Concat(BuiltIn.Works.Select(static one => KeyValuePair.Create(one.Name, (one.Description, one.Create)))).ToDictionary();

    /// <summary>All of them in a sentence: kinds of real work by their names, as the suite has described them.</summary>
    public static string Sentence =>
        $"A pipeline of the tool's own: {string.Join("; ", s_own.Select(static one => $"{one.Key}, {one.Value.Description}"))}; or one "
        + $"stage with real work of compare --suite batching: {string.Join(", ", All.Keys.Except(s_own.Keys))}.";
}
