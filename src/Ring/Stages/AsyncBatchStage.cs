using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>An async stage whose handler's batch is done when its task has completed.</summary>
internal sealed class AsyncBatchStage<T>(
    Ring ring, Slots<T> column, IAsyncBatchHandler<T> handler, StageOptions options, string name)
    : AsyncStage<T>(ring, column, options, name)
{
    private ConfiguredValueTaskAwaitable.ConfiguredValueTaskAwaiter _running;

    private protected override object Handler
    {
        get => IWrapper.Unwrap(handler);
        set { }
    }

    private protected override bool Call(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        ValueTask task = handler.OnBatchAsync(batch, cancellation);
        _running = task.ConfigureAwait(false).GetAwaiter();
        return _running.IsCompleted;
    }

    private protected override void OnCompleted(Action then) => _running.UnsafeOnCompleted(then);

    private protected override BatchOutcome GetOutcome()
    {
        _running.GetResult();
        return BatchOutcome.Done;
    }
}
