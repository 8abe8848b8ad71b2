using Raceway.Pipelines;

namespace Raceway.Interop;

/// <summary>The end of a pipeline: each subscription attaches a poller of its own.</summary>
internal sealed class PipelineObservable<T>(Pipeline<T> pipeline) : IObservable<T>
{
    public IDisposable Subscribe(IObserver<T> observer)
    {
        ArgumentNullException.ThrowIfNull(observer);
        var subscription = new Subscription<T>(pipeline, pipeline.AttachPoller().Outlet(), observer);
        _ = Task.Run(subscription.RunAsync);
        return subscription;
    }
}
