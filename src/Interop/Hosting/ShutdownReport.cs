using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>What a hosted pipeline came to when its host shut down.</summary>
/// <param name="Status">How its drain ended.</param>
/// <param name="HasEnded">Whether every stage has ended. False: one had not returned from its handler when the time for the halt
/// was over, and was left behind.</param>
/// <param name="Left">Items that were not handled to their end: exact where it has ended, else a snapshot.</param>
/// <param name="Lagging">The stages that had not passed everything, and how many items each had before it when the drain ended.</param>
/// <param name="Elapsed">From the beginning of the drain to the end of the halt.</param>
public sealed record ShutdownReport(
    DrainStatus Status, bool HasEnded, long Left, IReadOnlyList<StageLag> Lagging, TimeSpan Elapsed)
{
    /// <summary>The status, what was left, and the stages that lagged.</summary>
    public override string ToString()
    {
        string text = $"{Status}: {Left} left";
        if (!HasEnded) text += ", not ended";
        IEnumerable<string> behind = Lagging.Select(stage => $"{stage.Stage} {stage.Lag} behind");
        return string.Join(", ", behind.Prepend(text));
    }
}

/// <summary>How far a stage is behind.</summary>
/// <param name="Stage">Its name.</param>
/// <param name="Lag">Items published that it has not passed.</param>
public readonly record struct StageLag(string Stage, long Lag);
