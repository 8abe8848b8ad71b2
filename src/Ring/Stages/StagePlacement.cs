using System.Runtime.InteropServices;

namespace Raceway.Rings;

/// <summary>What has become of <see cref="StageOptions.Processors"/>. Immutable.</summary>
/// <param name="Status">Whether the stage's thread is bound.</param>
/// <param name="Processors">What was asked for; empty where nothing was.</param>
/// <param name="Reason">Why it was not done; null where it was, or was not asked for.</param>
public sealed record StagePlacement(PlacementStatus Status, IReadOnlyList<int> Processors, string? Reason = null)
{
    internal static StagePlacement NotAsked { get; } = new(PlacementStatus.NotAsked, []);

    /// <summary>The processors and what has become of them.</summary>
    public override string ToString()
    {
        if (Status == PlacementStatus.NotAsked) return "not asked";
        string asked = string.Join(',', Processors);
        string outcome = Status switch
        {
            PlacementStatus.Pending => "not started yet",
            PlacementStatus.Applied => "applied",
            PlacementStatus.Unsupported => "unsupported",
            _ => "refused",
        };
        return Reason is null ? $"{asked} {outcome}" : $"{asked} {outcome}: {Reason}";
    }

    /// <summary>Binds the calling thread, and says what came of it.</summary>
    internal static StagePlacement Bind(int[] processors)
    {
        if (!OperatingSystem.IsLinux()) return Unsupported(processors, "threads are bound on Linux only");
        try
        {
            int error = Affinity.Write(processors);
            return error == 0
                ? new StagePlacement(PlacementStatus.Applied, processors)
                : new StagePlacement(
                    PlacementStatus.Refused, processors, $"{Marshal.GetPInvokeErrorMessage(error)} (error {error})");
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            return Unsupported(processors, e.Message);
        }
    }

    internal static StagePlacement Unsupported(int[] processors, string reason) =>
        new(PlacementStatus.Unsupported, processors, reason);
}

/// <summary>Whether a stage's thread runs where it was asked to.</summary>
public enum PlacementStatus
{
    /// <summary><see cref="StageOptions.Processors"/> is not set: the scheduler decides.</summary>
    NotAsked,

    /// <summary>The stage's thread has not started yet.</summary>
    Pending,

    /// <summary>The thread runs on those processors only.</summary>
    Applied,

    /// <summary>Not on this system, or the thread is not the stage's own; nothing was done.</summary>
    Unsupported,

    /// <summary>The system said no (none of the processors may be used, for one); nothing was done.</summary>
    Refused,
}
