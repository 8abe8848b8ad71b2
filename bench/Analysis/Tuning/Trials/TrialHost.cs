using Raceway.Measuring;
using Raceway.Pipelines;

namespace Raceway.Analysis.Tuning;

/// <summary>Runs trials in this process.</summary>
/// <param name="name">What is tried.</param>
/// <param name="create">Makes an object for each trial.</param>
/// <typeparam name="T">What is published.</typeparam>
public sealed class TrialHost<T>(string name, Func<ITrial<T>> create) : ITrialHost
{
    private const long Rubbish = 256 << 10;
    private long _allocated;

    /// <inheritdoc/>
    public string Name { get; } = name;

    /// <inheritdoc/>
    public TrialReply Run(TrialRequest request, CancellationToken cancellation)
    {
        ITrial<T> trial = create();
        using IDisposable? owned = trial as IDisposable;
        // The garbage of earlier trials is collected before the clock starts.
        if (GC.GetTotalAllocatedBytes() - _allocated > Rubbish)
        {
            GC.Collect();
            _allocated = GC.GetTotalAllocatedBytes();
        }

        TrialReply reply = request.Knobs.GetValueOrDefault(Knobs.Transport) switch
        {
            null => new RingTrial<T>(trial, request, cancellation).Run(),
            Knobs.Control => new ControlTrial(request, cancellation).Run(),
            _ => new ChannelTrial<T>(trial, request, cancellation).Run(),
        };
        return reply with { Compiled = WarmUp.Compiled };
    }
}
