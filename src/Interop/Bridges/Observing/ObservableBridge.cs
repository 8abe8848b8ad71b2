using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>Pipelines as observers and observables.</summary>
public static class ObservableBridge
{
    /// <summary>The beginning of the pipeline as an observer: subscribe it to what is to be published.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: one at a time, as observers are called.</para>
    /// <para><b>Blocking</b>: <c>OnNext</c> waits for room, as <see cref="RingOptions.ProducerWait"/> says: an observable knows no
    /// other back-pressure. <b>Cost</b>: that of a publish. <b>Order</b>: of the calls.</para>
    /// <para><b>Errors</b>: <c>OnCompleted</c> lets the pipeline finish what it holds; <c>OnError</c> does, and then it is faulted
    /// with that. Where the pipeline takes no more, <c>OnNext</c> throws why, so that the source ends; behind the source's own end
    /// it does nothing, as observers do.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">It has all its producers.</exception>
    public static IObserver<T> AsObserver<T>(this Pipeline<T> pipeline)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return new PublishingObserver<T>(pipeline.Ring.NewInlet());
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

    private sealed class PublishingObserver<T>(Inlet<T> inlet) : IObserver<T>
    {
        private int _ended;

        public void OnNext(T value)
        {
            if (Volatile.Read(ref _ended) == 0) inlet.Producer.Publish(value);
        }

        public void OnError(Exception error)
        {
            ArgumentNullException.ThrowIfNull(error);
            End(error);
        }

        public void OnCompleted() => End(null);

        private void End(Exception? error)
        {
            if (Interlocked.Exchange(ref _ended, 1) == 0) inlet.TryComplete(error);
        }
    }

    private sealed class PipelineObservable<T>(Pipeline<T> pipeline) : IObservable<T>
    {
        public IDisposable Subscribe(IObserver<T> observer)
        {
            ArgumentNullException.ThrowIfNull(observer);
            Poller<T> poller = pipeline.AttachPoller(out string name);
            var subscription = new Subscription<T>(pipeline, name, poller.Outlet(), observer);
            _ = Task.Run(subscription.RunAsync);
            return subscription;
        }
    }

    private sealed class Subscription<T>(Pipeline<T> pipeline, string name, Outlet<T> outlet, IObserver<T> observer) : IDisposable
    {
        private readonly CancellationTokenSource _disposed = new();

        public void Dispose() => _disposed.Cancel();

        public async Task RunAsync()
        {
            try
            {
                await ObserveAsync().ConfigureAwait(false);
            }
            catch (Exception fault)
            {
                // The observer's own, as everything else has been told to it.
                outlet.Poller.Stage.Owner.Fail(fault, outlet.Poller.Stage);
            }
        }

        private async Task ObserveAsync()
        {
            Exception? failure = null;
            try
            {
                while (await outlet.WaitToReadAsync(_disposed.Token).ConfigureAwait(false))
                {
                    // Not inside of a try of its own: what the observer throws is not the pipeline's end.
                    if (!Deliver()) break;
                }
            }
            catch (OperationCanceledException) when (_disposed.IsCancellationRequested)
            {
            }
            catch (Exception error) when (error is RingFaultedException or RingStoppedException)
            {
                failure = error;
            }

            if (_disposed.IsCancellationRequested) await LeaveAsync().ConfigureAwait(false);
            else if (failure is null) observer.OnCompleted();
            else observer.OnError(failure);
        }

        private bool Deliver()
        {
            while (!_disposed.IsCancellationRequested)
            {
                if (!outlet.TryRead(out T? item)) return true;
                observer.OnNext(item);
            }

            return false;
        }

        private async Task LeaveAsync()
        {
            try
            {
                await pipeline.DetachAsync(name).ConfigureAwait(false);
            }
            catch (InvalidOperationException)
            {
                // It is draining, or has ended: what is left is passed by reading it, or not at all.
                while (await outlet.WaitToReadAsync().AsTask().ContinueWith(
                    static read => read.IsCompletedSuccessfully && read.Result, TaskScheduler.Default).ConfigureAwait(false))
                    outlet.TakeBatch();
            }
        }
    }
}
