using Microsoft.Extensions.Logging;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>A pipeline that lives as long as its host, for items of any type.</summary>
/// <remarks>
/// A service with the pipeline's name as its key. It is built when the host's options are checked, started before any hosted
/// service is, and drained after all of them have stopped: so hosted services may publish as long as they run.
/// <para><b>Threads</b>: every member by any thread.</para>
/// </remarks>
/// <example>
/// <code>
/// foreach (string name in new[] { "orders", "payments" })
/// {
///     HostedPipeline hosted = services.GetRequiredKeyedService&lt;HostedPipeline>(name);
///     Console.WriteLine($"{hosted.Name}: {hosted.State}, {hosted.Backlog} items");
/// }
/// </code>
/// </example>
public abstract class HostedPipeline
{
    private protected HostedPipeline(string name) => Name = name;

    /// <summary>Its name: the key of its services, and of its section of the configuration.</summary>
    public string Name { get; }

    /// <summary>Where it is in its life.</summary>
    public abstract RingState State { get; }

    /// <summary>Items in its rings that not every last stage of theirs has passed: a snapshot.</summary>
    public abstract long Backlog { get; }

    /// <summary>What its shutdown came to. Null before that.</summary>
    public ShutdownReport? Shutdown { get; private protected set; }

    internal abstract HostedPipelineOptions Options { get; }

    internal abstract IReadOnlyList<Stage> Stages { get; }

    internal abstract IReadOnlyList<Ring> Rings { get; }

    internal abstract Plan Plan { get; }

    /// <summary>Why it has faulted, where it has.</summary>
    internal abstract Exception? Fault { get; }

    /// <summary>Checks <paramref name="options"/>, and builds the pipeline by them where it has not been built yet.</summary>
    /// <returns>All that is wrong.</returns>
    internal abstract IReadOnlyList<string> Check(HostedPipelineOptions options);

    private protected ILogger Logger { get; init; } = null!;
}
