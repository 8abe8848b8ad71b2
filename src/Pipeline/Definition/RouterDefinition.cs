namespace Raceway.Pipelines;

/// <summary>What a router chooses between.</summary>
/// <param name="Outputs">Names to follow, one an output; a filter has one, of no name: to follow the filter is to follow it.</param>
internal sealed record RouterDefinition(IReadOnlyList<string?> Outputs)
{
    /// <summary>Whether items may be for no output.</summary>
    public bool IsFilter => Outputs is [null];
}
