namespace Raceway.Rings;

/// <summary>How a ring is drained: to its end, or until the time is up.</summary>
internal sealed class RingDrain(Ring ring)
{
    /// <inheritdoc cref="Ring.DrainAsync"/>
    public async Task<DrainResult> RunAsync(TimeSpan timeout, CancellationToken cancellation)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw WaitErrors.Timeout(nameof(timeout), timeout);
        long deadline = ring.Clock.In(timeout);
        ring.Complete();
        using var waiter = new AsyncWaiter();
        long target;
        while (true)
        {
            long seen = ring.Control.Word;
            // What was published too late is refused to its producer, and the drain does not wait for it.
            target = ring.Target;
            if ((seen & Control.Halted) != 0) break;
            bool passed = ring.Sequencer.ReleasedThrough() >= target;
            bool isSealed = passed && ring.TrySeal(ref target);
            if (isSealed && ring.Sequencer.ReleasedThrough() >= target)
            {
                if (ring.EndsWith is { } cause) ring.Fail(cause, null);
                ring.Close(disposed: false);
                break;
            }

            if (ring.Clock.Now >= deadline) return Report(DrainStatus.TimedOut, target);

            if (passed && !isSealed)
            {
                // A producer is within a commit of several: there is no cell that says when that is over.
                await MachineClock.PauseAsync(cancellation).ConfigureAwait(false);
                continue;
            }

            // A claim given up moves the target back, so it is looked at again now and then; nothing spins.
            (Progress cell, long awaited) = ring.Sequencer.RoomTarget(target + ring.Capacity);
            var next = new WaitTarget(cell, awaited, deadline, ring.Control, seen)
            {
                Clock = ring.Clock, Recheck = MachineClock.In(TimeSpan.FromMilliseconds(20)),
            };
            await waiter.WaitForAsync(next, cancellation).ConfigureAwait(false);
        }

        if (!await ring.Clock.EndsBeforeAsync(ring.Completion, deadline, cancellation).ConfigureAwait(false))
            return Report(DrainStatus.TimedOut, target);
        target = ring.Target;
        bool isDrained = ring.Sequencer.ReleasedThrough() >= target && ring.Unprocessed == 0;
        return Report(ring.Fault is not null ? DrainStatus.Faulted : isDrained ? DrainStatus.Drained : DrainStatus.Halted, target);
    }

    /// <summary>
    /// Waits for the drain of a ring, or of rings linked with each other, that are disposed of. What nothing drives is never
    /// handled: the wait for it ends soon, not when the time is up.
    /// </summary>
    public static async Task WhileDrivenAsync(Task drain, IReadOnlyList<Ring> rings)
    {
        var outlook = new Outlook(rings);
        while (!drain.IsCompleted && outlook.MayGetOn)
        {
            // Whether anything drives them is looked at now and then.
            long look = MachineClock.In(TimeSpan.FromMilliseconds(20));
            await Clock.Machine.EndsBeforeAsync(drain, look, CancellationToken.None).ConfigureAwait(false);
        }
    }

    private DrainResult Report(DrainStatus status, long target)
    {
        IReadOnlyList<Stage> stages = ring.Stages;
        return new DrainResult(status, target, [.. stages.Select(static stage => new StagePosition(stage.Name, stage.Position))], ring.Fault)
        {
            NotEnded = status == DrainStatus.TimedOut ? [.. ring.NotEnded] : [],
        };
    }
}
