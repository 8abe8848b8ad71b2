using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>A choice under trial, and what is known of it.</summary>
/// <param name="knobs">The choice.</param>
internal sealed class Candidate(IReadOnlyDictionary<string, string> knobs)
{
    private readonly List<double> _relative = [];

    public IReadOnlyDictionary<string, string> Knobs { get; } = knobs;

    public string Name { get; } = Tuning.Knobs.NameOf(knobs);

    /// <summary>Why it is out, where it threw, hung or gave a wrong result.</summary>
    public string? Failure { get; set; }

    /// <summary>Its costs, less the median cost of all that ran in the same pass.</summary>
    public IReadOnlyList<double> Relative => _relative;

    /// <summary>The median of <see cref="Relative"/>.</summary>
    public double Score => _relative.Count == 0 ? double.PositiveInfinity : Statistics.Median(_relative);

    /// <summary>Rounds at full speed, as they ran.</summary>
    public List<Sample> Fast { get; } = [];

    /// <summary>Rounds at the given rate, as they ran.</summary>
    public List<Sample> Paced { get; } = [];

    /// <summary>A new rung: only what is measured beside the others of it counts.</summary>
    public void Forget() => _relative.Clear();

    public void Add(double relative) => _relative.Add(relative);
}
