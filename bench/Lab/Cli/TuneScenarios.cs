using Raceway.Analysis.Tuning;

namespace Raceway.Lab.Cli;

/// <summary>The pipelines that <c>raceway tune</c> has of its own.</summary>
internal static class TuneScenarios
{
    /// <summary>By name, with what each is.</summary>
    public static IReadOnlyDictionary<string, (string Description, Func<ITrialHost> Create)> All { get; } =
        new Dictionary<string, (string, Func<ITrialHost>)>
        {
            ["main-job"] = ("the lines of the reference documentation: parse, totals", BuiltIn.MainJob),
            ["small"] = ("five stages that compute a little", static () => BuiltIn.Readings("small", heavy: 0)),
            ["uneven"] = ("five stages, the third one hashes", static () => BuiltIn.Readings("uneven", heavy: 1 << 2)),
            ["heavy"] = ("five stages that each hash", static () => BuiltIn.Readings("heavy", heavy: (1 << 5) - 1)),
        }.Concat(BuiltIn.Works.Select(static one => KeyValuePair.Create(one.Name, (one.Description, one.Create)))).ToDictionary();
}
