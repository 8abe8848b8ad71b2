using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>The one life of a ring and of those that it is linked with: how it ends, and what it ended with.</summary>
/// <param name="Ring">Any of them.</param>
internal readonly record struct PipelineLife(Ring Ring)
{
    private ILinkedLife? Linked => Ring.Family as ILinkedLife;

    /// <summary>Completes when every stage has ended.</summary>
    public Task Completion => Linked?.Completion ?? Ring.Completion;

    /// <inheritdoc cref="RingEnds.TryComplete"/>
    public bool TryComplete(Exception? error)
    {
        // By a drain the rings end when they are empty, whether or not there is another that waits for it.
        if (Linked is { } linked)
        {
            if (!linked.Complete(error)) return false;
            _ = linked.DrainAsync(Timeout.InfiniteTimeSpan, CancellationToken.None);
        }
        else
        {
            if (!Ring.Complete(error)) return false;
            _ = Ring.DrainAsync(Timeout.InfiniteTimeSpan);
        }

        return true;
    }

    /// <summary>Completes when it has ended, and a stage has had everything or was taken out; faults where items are left.</summary>
    public async Task EndOf(Stage stage)
    {
        await stage.Ended.ConfigureAwait(false);
        if (stage.IsLeaving) return;
        await Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (Completion.Exception is { } faults) throw faults.InnerException!;
        long left = Linked?.Unprocessed ?? Ring.Unprocessed;
        if (left == 0) return;
        throw new RingStoppedException(
            $"The pipeline was halted before everything had been handled: unprocessed={left}. Drain it to read them all, or take "
            + "them by OnUnprocessed.");
    }
}

/// <summary>The life that several rings have together.</summary>
internal interface ILinkedLife
{
    /// <summary>Completes when every stage of all has ended.</summary>
    Task Completion { get; }

    /// <summary>After that: the items that are left in any of them.</summary>
    long Unprocessed { get; }

    /// <summary>Lets nothing more in. When everything has been handled, all end, with <paramref name="cause"/> where there is one.</summary>
    /// <returns>False where nothing was let in any more already: then the cause does not count.</returns>
    bool Complete(Exception? cause);

    /// <summary>Lets nothing more in, and waits for the end.</summary>
    Task<DrainResult> DrainAsync(TimeSpan timeout, CancellationToken cancellation);
}
