using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>How a hosted pipeline is built and run. Everything has a default.</summary>
/// <remarks>
/// Set in code through the options builder that <c>AddPipeline</c> returns, and by configuration below
/// <c>Raceway:Pipelines:&lt;name&gt;</c>, which has the last word. Checked when the host starts, all problems at once.
/// Everything but <see cref="Capacity"/>, <see cref="Plan"/> and <see cref="Wait"/> follows a change of the configuration while
/// the pipeline runs.
/// </remarks>
public sealed class HostedPipelineOptions
{
    /// <summary>Slots of the ring that producers publish into.</summary>
    /// <value>A power of two from 2 to 2³⁰. Default 1,024.</value>
    public int Capacity { get; set; } = 1024;

    /// <summary>How the stages are driven. Default: <see cref="Plan.Auto"/>.</summary>
    public Plan Plan { get; set; } = Plan.Auto;

    /// <summary>How stages and producers wait, unless their own definition says so. Default: null, as the definition says.</summary>
    public Wait? Wait { get; set; }

    /// <summary>By the name of a stage, in any case: how it is called, where that differs from its definition.</summary>
    public IDictionary<string, StageDispatchOptions> Stages { get; } =
        new Dictionary<string, StageDispatchOptions>(StringComparer.OrdinalIgnoreCase);

    /// <summary>How long a shutdown drains before it halts.</summary>
    /// <value>Zero to a day. Default: infinite, which is as long as the host's own shutdown timeout.</value>
    public TimeSpan DrainTimeout { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How long a shutdown then waits for handlers to return. One that does not is left behind, and the host goes on.
    /// </summary>
    /// <value>Zero to a day. Default: 1 s.</value>
    public TimeSpan HaltTimeout { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>What the host does when the pipeline faults. Default: <see cref="FaultReaction.StopApplication"/>.</summary>
    public FaultReaction OnFault { get; set; } = FaultReaction.StopApplication;

    /// <summary>After how long with items before it and no progress a stage counts as stalled.</summary>
    /// <value>Above zero; longer than any <see cref="Dispatch.MaxAge"/>. Default: 10 s.</value>
    public TimeSpan StallAfter { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>From which part of its capacity on a ring counts as nearly full.</summary>
    /// <value>Above 0, at most 1. Default: 0.9.</value>
    public double NearlyFull { get; set; } = 0.9;

    /// <summary>What of the configuration could not be read.</summary>
    internal List<string> Unreadable { get; } = [];
}
