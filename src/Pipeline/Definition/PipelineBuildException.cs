namespace Raceway.Pipelines;

/// <summary>A pipeline's definition is wrong; all that is wrong, at once.</summary>
public sealed class PipelineBuildException : ArgumentException
{
    internal PipelineBuildException(IReadOnlyList<string> problems)
        : base("The pipeline cannot be built:" + string.Concat(problems.Select(problem => $"\n - {problem}"))) =>
        Problems = problems;

    /// <summary>Each problem: the rule, the value, the remedy.</summary>
    public IReadOnlyList<string> Problems { get; }
}
