using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>The one life of a ring and of those that it is linked with: how it ends, and what it ended with.</summary>
/// <param name="Ring">Any of them.</param>
internal readonly record struct Life(Ring Ring)
{
    private LinkedRings? Linked => Ring.Family as LinkedRings;

    /// <summary>Completes when every stage has ended.</summary>
    public Task Completion => Linked?.Completion ?? Ring.Completion;

    /// <summary>Lets nothing more in. What is inside is handled first; then it has stopped, or is faulted with the cause.</summary>
    /// <returns>False where nothing was let in any more already.</returns>
    public bool Complete(Exception? cause)
    {
        if (Ring.Control.IsClosed) return false;
        // By this drain the rings end when they are empty, whether or not anybody else waits for it.
        if (Linked is { } linked)
        {
            if (cause is not null) linked.EndWith(cause);
            _ = linked.DrainAsync(Timeout.InfiniteTimeSpan, CancellationToken.None);
        }
        else
        {
            if (cause is not null) Ring.EndWith(cause);
            _ = Ring.DrainAsync(Timeout.InfiniteTimeSpan);
        }

        return true;
    }

    /// <summary>How it ended for a stage that has: null where everything has come through, or it was taken out.</summary>
    /// <exception cref="OperationCanceledException">Cancelled, before the other stages had ended.</exception>
    public async ValueTask<Exception?> EndAsync(Stage stage, CancellationToken cancellation)
    {
        if (stage.IsLeaving) return null;
        await Completion.WaitAsync(cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!Completion.IsCompleted) cancellation.ThrowIfCancellationRequested();
        return Failure();
    }

    /// <summary>After <see cref="Completion"/>: what a reader is told; null where everything has come through.</summary>
    public Exception? Failure()
    {
        if (Completion.Exception is { } faults) return faults.InnerException;
        long left = Linked?.All.Sum(static ring => ring.Unprocessed) ?? Ring.Unprocessed;
        return left == 0 ? null : new RingStoppedException(
            $"The pipeline was halted before everything had been handled: unprocessed={left}. Drain it to read them all, or take "
            + "them by OnUnprocessed.");
    }

    /// <summary>Why nothing is let in; null where it has been completed, and nothing is wrong.</summary>
    public Exception? Refusal() => Ring.Refusal() is var refusal and not RingStoppedException ? refusal : null;
}
