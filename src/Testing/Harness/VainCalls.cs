using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>Counts how often a stage is called for one item and stays before it: what never goes on ends with an error, not with a hang.</summary>
/// <remarks>
/// What the handler waits for may end on the machine's time. So beyond the most calls each further one gives it a moment, until
/// that time is up as well. The time begins with the first of these calls: however long the calls before took, none of it is
/// used up.
/// </remarks>
/// <param name="most">The most calls for one item.</param>
/// <param name="moments">How long there are moments, from the first call beyond the most.</param>
internal sealed class VainCalls(int most, TimeSpan moments)
{
    private readonly Dictionary<Stage, (long Position, int Times, Patience? Left)> _calls = [];

    /// <summary>The most calls for one item.</summary>
    public int Most => most;

    /// <summary>Counts a call; false if there were too many for the item that the stage is before.</summary>
    /// <param name="stage">The stage.</param>
    /// <param name="end">Ends a moment early.</param>
    public bool Allows(Stage stage, Task end)
    {
        (int times, Patience? left) = _calls.TryGetValue(stage, out var before) && before.Position == stage.Position
            ? (before.Times + 1, before.Left)
            : (1, null);
        if (times > most) left ??= new Patience(moments);
        _calls[stage] = (stage.Position, times, left);
        return left is null || !left.Ends(end);
    }
}
