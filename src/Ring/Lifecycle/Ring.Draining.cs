namespace Raceway.Rings;

/// <content>How a ring is drained: to its end, or until the time is up.</content>
public abstract partial class Ring
{
    /// <summary>The last sequence that every stage has to pass before a drain is done, as far as is known.</summary>
    internal long Target => Math.Min(Sequencer.ClaimedThrough, Sequencer.Final);

    /// <summary>Whether its threads have been told to begin.</summary>
    internal bool IsStarted
    {
        get
        {
            Gate.Enter(_gate);
            bool started = _started;
            Gate.Exit(_gate);
            return started;
        }
    }

    /// <summary>Names of the stages that may still call their handler or its stop hook.</summary>
    internal IEnumerable<string> NotEnded => Stages.Where(static stage => !stage.Ended.IsCompleted).Select(static stage => stage.Name);

    /// <summary>Lets no new claim in; blocked producers are told that it is disposed of.</summary>
    internal void CompleteToDispose()
    {
        Gate.Enter(_gate);
        Volatile.Write(ref _disposed, true);
        Gate.Exit(_gate);
        Complete();
    }

    /// <summary>
    /// <see cref="Complete"/>, then waits until every last stage has passed everything that was claimed, and the ring has
    /// ended: every stage with its stop hook, and <see cref="RingOptions{T}.OnUnprocessed"/> after a halt or fault.
    /// </summary>
    /// <remarks>
    /// Never throws for time. If the ring is halted or faults meanwhile, the result says so once the ring has ended; if the
    /// time is up before that, the result is <see cref="DrainStatus.TimedOut"/>, with the fault where there is one. Stages
    /// that are not running yet are waited for; without any stage, what was published is never handled, and the time runs
    /// out. In a handler of this ring the time runs out as well: its stage ends when the handler has returned.
    /// </remarks>
    /// <param name="timeout">For the whole call; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="cancellation">Ends the waiting, not the drain.</param>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public async Task<DrainResult> DrainAsync(TimeSpan timeout, CancellationToken cancellation = default)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw Throw.Timeout(nameof(timeout), timeout);
        long deadline = Clock.In(timeout);
        Complete();
        using var waiter = new AsyncWaiter();
        long target;
        while (true)
        {
            long seen = Control.Word;
            // What was published too late is refused to its producer, and waited for by nobody.
            target = Target;
            if ((seen & Control.Halted) != 0) break;
            bool passed = Sequencer.ReleasedThrough() >= target;
            bool isSealed = passed && TrySeal(ref target);
            if (isSealed && Sequencer.ReleasedThrough() >= target)
            {
                if (Volatile.Read(ref _endsWith) is { } cause) Fail(cause, null);
                Close(disposed: false);
                break;
            }

            if (Clock.Now >= deadline) return Report(DrainStatus.TimedOut, target);

            if (passed && !isSealed)
            {
                // A producer is within a commit of several: there is no cell that says when that is over.
                await Task.Delay(TimeSpan.FromMilliseconds(1), cancellation).ConfigureAwait(false);
                continue;
            }

            // A claim given up moves the target back, so it is looked at again now and then; nothing spins.
            long again = Math.Min(deadline, Clock.In(TimeSpan.FromMilliseconds(20)));
            (Progress cell, long awaited) = Sequencer.RoomTarget(target + Capacity);
            await waiter.WaitForAsync(new WaitTarget(cell, awaited, again, Control, seen), cancellation).ConfigureAwait(false);
        }

        if (!await HasEndedAsync(_completion.Task, deadline, cancellation).ConfigureAwait(false))
            return Report(DrainStatus.TimedOut, target);
        target = Target;
        bool isDrained = Sequencer.ReleasedThrough() >= target && Unprocessed == 0;
        return Report(_fault is not null ? DrainStatus.Faulted : isDrained ? DrainStatus.Drained : DrainStatus.Halted, target);
    }

    /// <summary>
    /// Waits for the drain of a ring, or of rings linked with each other, that are disposed of. What nothing drives is never
    /// handled: the wait for it ends at once, not when the time is up.
    /// </summary>
    internal static async Task DrainWhileDrivenAsync(Task drain, IReadOnlyList<Ring> rings)
    {
        var outlook = new Outlook(rings);
        while (!drain.IsCompleted && outlook.MayGetOn)
            await HasEndedAsync(drain, Clock.In(TimeSpan.FromMilliseconds(20)), CancellationToken.None).ConfigureAwait(false);
    }

    /// <summary>Waits for <paramref name="end"/> until <paramref name="deadline"/>; whether it has come.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    internal static async Task<bool> HasEndedAsync(Task end, long deadline, CancellationToken cancellation)
    {
        if (end.IsCompleted) return true;
        try
        {
            TimeSpan left = TimeSpan.FromMilliseconds(Clock.MillisecondsUntil(deadline));
            // How it ended is for the caller to find out.
            await Task.WhenAny(end).WaitAsync(left, cancellation).ConfigureAwait(false);
            return true;
        }
        catch (TimeoutException)
        {
            return end.IsCompleted;
        }
    }

    private DrainResult Report(DrainStatus status, long target)
    {
        IReadOnlyList<Stage> stages = Stages;
        return new DrainResult(status, target, [.. stages.Select(static stage => new StagePosition(stage.Name, stage.Position))], _fault)
        {
            NotEnded = status == DrainStatus.TimedOut ? [.. NotEnded] : [],
        };
    }
}
