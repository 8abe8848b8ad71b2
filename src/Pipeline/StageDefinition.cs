using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>One stage of a definition.</summary>
/// <param name="Name">Its name.</param>
/// <param name="After">Names of its upstream stages; null for the stage defined before it.</param>
/// <param name="Options">The rest, without name and upstream.</param>
/// <param name="Attach">Attaches its handler to a ring's items.</param>
internal sealed record StageDefinition<T>(
    string Name, IReadOnlyList<string>? After, StageOptions Options, Func<Slots<T>, StageOptions, Stage> Attach)
{
    /// <summary>Checks what can be checked without a ring.</summary>
    /// <exception cref="ArgumentException">The options contradict each other or the capacity.</exception>
    public void Check(int capacity) => Options.Check<T>(Name, capacity);
}
