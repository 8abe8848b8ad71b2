using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>Pipelines as observers and observables.</summary>
/// <example>
/// <code>
/// await using Pipeline&lt;Order> pipeline = definition.Run();
/// IObservable&lt;Order> booked = pipeline.AsObservable();
/// using IDisposable subscription = source.Subscribe(pipeline.AsObserver());
/// </code>
/// </example>
public static class ObservableBridge
{
    /// <summary>The beginning of the pipeline as an observer: subscribe it to what is to be published.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: any; it publishes by <see cref="Pipeline{T}.Publisher"/>.</para>
    /// <para><b>Blocking</b>: <c>OnNext</c> waits for room, asleep: an observable knows no other back-pressure. <b>Cost</b>: that of a publish. <b>Order</b>: of the calls.</para>
    /// <para><b>Errors</b>: <c>OnCompleted</c> lets the pipeline finish what it holds; <c>OnError</c> does, and then it is faulted
    /// with that. Where the pipeline takes no more, <c>OnNext</c> throws why, so that the source ends; behind the source's own end
    /// it does nothing, as observers do.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">It has all its producers.</exception>
    public static IObserver<T> AsObserver<T>(this Pipeline<T> pipeline)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return new PublishingObserver<T>(new SharedInlet<T>(pipeline.Ring));
    }

    /// <summary>What comes behind the pipeline's last stages as an observable; each subscription is a stage of its own.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: observers are called by the pool, each one call at a time. <b>Order</b>: of the sequences.</para>
    /// <para><b>Back-pressure</b>: the slowest observer holds producers back. A subscription sees what is passed from then on;
    /// before the start, everything. Disposing of it takes its stage out, and drops what was not observed.</para>
    /// <para><b>Cost</b>: nothing allocated an item.</para>
    /// <para><b>Errors</b>: the pipeline's end is <c>OnCompleted</c>, its fault <c>OnError</c>. An observer that throws is a
    /// handler that throws: the pipeline is faulted.</para>
    /// </remarks>
    /// <exception cref="PipelineBuildException">By Subscribe: the pipeline does not end in items of this type.</exception>
    /// <exception cref="InvalidOperationException">By Subscribe: the pipeline is draining or has ended.</exception>
    public static IObservable<T> AsObservable<T>(this Pipeline<T> pipeline)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return new PipelineObservable<T>(pipeline);
    }
}
