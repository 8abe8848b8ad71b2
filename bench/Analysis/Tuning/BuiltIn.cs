using Raceway.Suites.Batching;
using Raceway.Suites.MainJob;
using Raceway.Suites.PlansSuite;

namespace Raceway.Analysis.Tuning;

/// <summary>Pipelines of the suites as trials.</summary>
public static class BuiltIn
{
    /// <summary>The main job.</summary>
    public static ITrialHost MainJob()
    {
        LoadedInput loaded = LoadedInput.Load(ReferenceDocs.Find().Files);
        ExpectedTotals expected = ExpectedTotals.Compute(loaded.Parts, hashed: false);
        Line[] lines = loaded.Lines.ToArray();
        return new TrialHost<Line>("main-job", () => new LineTrial(lines, expected));
    }

    /// <summary>Each kind of real work of the batching suite, done by one stage.</summary>
    public static IEnumerable<(string Name, string Description, Func<ITrialHost> Create)> Works => BatchingCases.Kinds.Select(
        static one => (one.Name, one.Description, (Func<ITrialHost>)(() => one.Missing() is { } reason
            ? throw new TuneException($"{one.Name} cannot be tuned here: {reason}")
            : new TrialHost<Job>(one.Name, () => new WorkTrial(one)))));

    /// <summary>The five stages of the plans suite.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="heavy">Which of the stages hash.</param>
    public static ITrialHost Readings(string name, int heavy) => new TrialHost<Reading>(name, () => new ReadingTrial(heavy));
}
