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

    /// <summary>The five stages of the plans suite.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="heavy">Which of the stages hash.</param>
    public static ITrialHost Readings(string name, int heavy) => new TrialHost<Reading>(name, () => new ReadingTrial(heavy));
}
