using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>Adds the health of hosted pipelines to a host's health checks.</summary>
/// <example>
/// <code>
/// builder.Services.AddHealthChecks().AddPipeline("payments", tags: ["ready"]);
/// </code>
/// </example>
public static class PipelineHealth
{
    /// <summary>Adds the health of the pipeline <paramref name="name"/>, under that name.</summary>
    /// <remarks>
    /// Healthy: it runs, its stages move, and its rings have room. Degraded: it has not started yet or is draining, a stage with
    /// items has not moved for <see cref="HostedPipelineOptions.StallAfter"/>, or a ring is as full as
    /// <see cref="HostedPipelineOptions.NearlyFull"/> says. Unhealthy: it has ended or faulted.
    /// </remarks>
    /// <param name="checks">The host's health checks.</param>
    /// <param name="name">Of a pipeline of the same host.</param>
    /// <param name="failureStatus">What is reported where it can do no work. Default: unhealthy.</param>
    /// <param name="tags">For filters.</param>
    public static IHealthChecksBuilder AddPipeline(
        this IHealthChecksBuilder checks, string name, HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(checks);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        // One for all looks: whether a stage has moved is seen between them.
        checks.Services.AddKeyedSingleton(name, (services, _) => new PipelineHealthCheck(
            services.GetRequiredKeyedService<HostedPipeline>(name), services.GetService<TimeProvider>() ?? TimeProvider.System));
        return checks.Add(new HealthCheckRegistration(
            name, services => services.GetRequiredKeyedService<PipelineHealthCheck>(name), failureStatus, tags));
    }
}

/// <summary>Looks at a pipeline: whether it works, moves, and has room.</summary>
internal sealed class PipelineHealthCheck(HostedPipeline pipeline, TimeProvider time) : IHealthCheck
{
    private readonly Lock _gate = new();
    private readonly Dictionary<Stage, (long Position, long Since)> _seen = [];

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        HostedPipelineOptions options = pipeline.Options;
        RingState state = pipeline.State;
        string[] stalled = Stalled(options.StallAfter);
        int[] full = [.. Enumerable.Range(0, pipeline.Rings.Count)
            .Where(n => pipeline.Rings[n].Backlog >= options.NearlyFull * pipeline.Rings[n].Capacity)];
        List<string> concerns = [];
        if (stalled.Length > 0) concerns.Add($"no progress for {options.StallAfter} with items waiting: {string.Join(", ", stalled)}");
        if (full.Length > 0) concerns.Add($"nearly full: ring {string.Join(", ", full)}");
        HealthStatus failure = context.Registration.FailureStatus;
        (HealthStatus status, string text) = state switch
        {
            RingState.Faulted => (failure, "faulted"),
            RingState.Stopped => (failure, "has ended"),
            RingState.Created => (HealthStatus.Degraded, "not started yet"),
            RingState.Draining => (HealthStatus.Degraded, string.Join("; ", concerns.Prepend("draining"))),
            _ when concerns.Count > 0 => (HealthStatus.Degraded, string.Join("; ", concerns)),
            _ => (HealthStatus.Healthy, "running"),
        };
        return Task.FromResult(new HealthCheckResult(status, text, pipeline.Fault, DataOf(state, stalled)));
    }

    /// <summary>Stages that had work before them, and did none of it, since <paramref name="limit"/> ago.</summary>
    private string[] Stalled(TimeSpan limit)
    {
        long now = time.GetTimestamp();
        List<string> stalled = [];
        lock (_gate)
        {
            foreach (Stage stage in pipeline.Stages)
            {
                long position = stage.Position;
                bool known = _seen.TryGetValue(stage, out (long Position, long Since) seen);
                if (!known || seen.Position != position || !HasWork(stage, position)) _seen[stage] = (position, now);
                else if (time.GetElapsedTime(seen.Since, now) >= limit)
                    stalled.Add(stage.Name);
            }
        }

        return [.. stalled];
    }

    // Those behind a stage that is stalled wait for it, and are not stalled themselves.
    private static bool HasWork(Stage stage, long position) =>
        stage.Upstream.Count == 0 ? stage.Lag > 0 : stage.Upstream.Min(before => before.Position) > position;

    private Dictionary<string, object> DataOf(RingState state, string[] stalled)
    {
        var data = new Dictionary<string, object>
        {
            ["state"] = state.ToString(),
            ["plan"] = pipeline.Plan.ToString(),
            ["capacity"] = pipeline.Rings.Sum(ring => (long)ring.Capacity),
            ["backlog"] = pipeline.Backlog,
            ["unprocessed"] = pipeline.Rings.Sum(ring => ring.Unprocessed),
            ["stalled"] = stalled,
        };
        foreach (Stage stage in pipeline.Stages) data[$"lag {stage.Name}"] = stage.Lag;
        return data;
    }
}
