namespace Raceway.Rings;

/// <summary>An async stage whose handler says what has become of its batch.</summary>
internal sealed class AsyncOutcomeStage<T>(
    Ring ring, Slots<T> column, IAsyncOutcomeHandler<T> handler, StageOptions options, string name)
    : AsyncStage<T>(ring, column, options, name)
{
    private ValueTask<BatchOutcome> _running;

    private protected override object Handler
    {
        get => IWrapper.Unwrap(handler);
        set { }
    }

    private protected override bool Call(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        ValueTask<BatchOutcome> task = handler.OnBatchAsync(batch, cancellation);
        _running = task;
        return _running.ConfigureAwait(false).GetAwaiter().IsCompleted;
    }

    private protected override void OnCompleted(Action then) => _running.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(then);

    // Taken once: the task is not touched again.
    private protected override BatchOutcome GetOutcome() => _running.ConfigureAwait(false).GetAwaiter().GetResult();
}
