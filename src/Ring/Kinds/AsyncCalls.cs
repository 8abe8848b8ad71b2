using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>One kind of async handler: calls it, and keeps its task until that has been taken.</summary>
internal abstract class AsyncCall<T>
{
    /// <summary>The handler.</summary>
    public abstract object Handler { get; }

    /// <summary>Calls the handler; true if its task has completed.</summary>
    public abstract bool Start(AsyncBatch<T> batch, CancellationToken cancellation);

    /// <summary>Has <paramref name="then"/> called when the task completes.</summary>
    public abstract void OnCompleted(Action then);

    /// <summary>What the completed task says, once. Throws what the handler threw.</summary>
    public abstract BatchOutcome GetOutcome();
}

/// <summary>A handler that is done with its batch when its task has completed.</summary>
internal sealed class PlainAsyncCall<T>(IAsyncBatchHandler<T> handler) : AsyncCall<T>
{
    private ConfiguredValueTaskAwaitable.ConfiguredValueTaskAwaiter _running;

    public override object Handler => handler;

    public override bool Start(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        ValueTask task = handler.OnBatchAsync(batch, cancellation);
        _running = task.ConfigureAwait(false).GetAwaiter();
        return _running.IsCompleted;
    }

    public override void OnCompleted(Action then) => _running.UnsafeOnCompleted(then);

    public override BatchOutcome GetOutcome()
    {
        _running.GetResult();
        return BatchOutcome.Done;
    }
}

/// <summary>A handler that returns what has become of its batch by its task.</summary>
internal sealed class OutcomeAsyncCall<T>(IAsyncOutcomeHandler<T> handler) : AsyncCall<T>
{
    private ValueTask<BatchOutcome> _running;

    public override object Handler => handler;

    public override bool Start(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        ValueTask<BatchOutcome> task = handler.OnBatchAsync(batch, cancellation);
        _running = task;
        return _running.ConfigureAwait(false).GetAwaiter().IsCompleted;
    }

    public override void OnCompleted(Action then) => _running.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(then);

    // Taken once: the task is not touched again.
    public override BatchOutcome GetOutcome() => _running.ConfigureAwait(false).GetAwaiter().GetResult();
}
