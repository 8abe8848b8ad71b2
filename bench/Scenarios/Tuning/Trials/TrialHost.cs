using Raceway.Pipelines;

namespace Raceway.Scenarios.Tuning;

/// <summary>Runs trials in this process.</summary>
/// <param name="name">What is tried.</param>
/// <param name="create">Makes an object for each trial.</param>
/// <typeparam name="T">What is published.</typeparam>
public sealed class TrialHost<T>(string name, Func<ITrial<T>> create) : ITrialHost
{
    /// <inheritdoc/>
    public string Name { get; } = name;

    /// <inheritdoc/>
    public TrialReply Run(TrialRequest request, CancellationToken cancellation)
    {
        ITrial<T> trial = create();
        // What the one before left behind is collected on nobody's time.
        GC.Collect();
        return request.Knobs.ContainsKey(Knobs.Transport)
            ? new ChannelTrial<T>(trial, request, cancellation).Run()
            : new RingTrial<T>(trial, request, cancellation).Run();
    }
}
