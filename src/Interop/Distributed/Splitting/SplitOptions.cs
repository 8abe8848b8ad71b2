using Raceway.Pipelines;

namespace Raceway.Interop.Distributed;

/// <summary>What of a split pipeline runs in this process, and over what it is linked to the rest. Immutable.</summary>
public sealed record SplitOptions
{
    /// <summary>The parts that run here.</summary>
    /// <value>Default: all, in one process without a link.</value>
    public IReadOnlyList<string>? Parts { get; init; }

    /// <summary>Over what links go.</summary>
    /// <value>Needed where not all parts run here. Not disposed of by the run.</value>
    public ILinkTransport? Transport { get; init; }

    /// <summary>How links cut their frames, and the name of the sender.</summary>
    public LinkOptions Link { get; init; } = new();

    /// <summary>How the stages are driven.</summary>
    /// <value>Default <see cref="Plan.Auto"/>.</value>
    public Plan Plan { get; init; } = Plan.Auto;

    /// <summary>The names of all workers that run the same parts: they share the partitions of the link that brings items.</summary>
    /// <value>Default: this one alone.</value>
    public IReadOnlyList<string> Workers { get; init; } = ["worker"];

    /// <summary>Which of <see cref="Workers"/> this is, counted from 0.</summary>
    public int Worker { get; init; }

    /// <summary>After how long this worker offers itself for the partitions of the others too: it has them when they die.</summary>
    /// <value>Default 2 s: their owners come first. Infinite: never.</value>
    public TimeSpan StandbyAfter { get; init; } = TimeSpan.FromSeconds(2);

    internal SplitOptions Checked(IReadOnlyList<string> known)
    {
        if ((uint)Worker >= (uint)Workers.Count) throw LinkErrors.Workers(Worker, Workers.Count);
        // As long as a timer can be set.
        bool isTime = StandbyAfter >= TimeSpan.Zero && StandbyAfter <= TimeSpan.FromDays(49);
        if (!isTime && StandbyAfter != Timeout.InfiniteTimeSpan) throw LinkErrors.StandbyAfter(StandbyAfter);
        if (Parts is { Count: 0 }) throw LinkErrors.NoParts(known);
        foreach (string part in Parts ?? [])
            if (!known.Contains(part, StringComparer.Ordinal)) throw LinkErrors.Parts(part, known);
        return this;
    }
}
