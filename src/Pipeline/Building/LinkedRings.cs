using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A ring of a pipeline.</summary>
/// <param name="Ring">The ring.</param>
/// <param name="Segment">The segment that it belongs to; rings of one segment have the same sequences.</param>
/// <param name="FedBy">The rings with stages that publish into it; none if producers do.</param>
internal sealed record LinkedRing(Ring Ring, Segment Segment, IReadOnlyList<LinkedRing> FedBy)
{
    /// <summary>Where stages are attached to it.</summary>
    public required RingContext Context { get; init; }

    /// <summary>The stage that passes its items on within the segment, which is none of the user's.</summary>
    public Stage? Link { get; set; }

    /// <summary>Where the user's stages here are.</summary>
    public IEnumerable<StagePosition> Positions =>
        Ring.Stages.Where(stage => stage != Link).Select(stage => new StagePosition(stage.Name, stage.Position));

    /// <summary>Names of the user's stages here that have not ended.</summary>
    public IEnumerable<string> NotEnded => Ring.NotEnded.Where(name => name != Link?.Name);
}

/// <summary>The rings of a pipeline, as one: one life, one fault, one drain.</summary>
/// <remarks>
/// <para>A fault ends all rings, with the same cause, as soon as it is known. A ring that has ended with nothing left over
/// completes those that it feeds; one that was halted halts them.</para>
/// <para>A pipeline of one ring is that ring: nothing is added.</para>
/// </remarks>
internal sealed class LinkedRings : ILinkedLife
{
    private readonly LinkedRing[] _all;
    private readonly Lock _closing = new();
    private readonly TaskCompletionSource? _completion;
    private Task? _disposal;

    /// <param name="all">Each behind those that feed it.</param>
    public LinkedRings(IReadOnlyList<LinkedRing> all)
    {
        _all = [.. all];
        if (_all.Length == 1) return;
        _completion = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        foreach (LinkedRing linked in _all)
        {
            linked.Ring.Family = this;
            // At once, not when the ring has ended: its other stages may be in their calls, and producers blocked upstream.
            linked.Ring.HaltToken.UnsafeRegister(static (state, _) => ((LinkedRings)state!).PassOnFault(), this);
        }

        _ = WatchAllAsync();
    }

    public IReadOnlyList<LinkedRing> Linked => _all;

    public IReadOnlyList<Ring> All => [.. _all.Select(linked => linked.Ring)];

    public IReadOnlyList<RingBuffer<T>> Sources<T>() =>
        [.. _all.Where(linked => linked.FedBy.Count == 0).Select(linked => (RingBuffer<T>)linked.Ring)];

    public Task Completion => _completion?.Task ?? First.Completion;

    public long Unprocessed => _all.Sum(static linked => linked.Ring.Unprocessed);

    /// <summary>The first fault of any.</summary>
    public RingFaultedException? Fault => _all.Select(linked => linked.Ring.Fault).FirstOrDefault(fault => fault is not null);

    public RingState State
    {
        get
        {
            RingState[] states = [.. _all.Select(linked => linked.Ring.State)];
            if (states.Contains(RingState.Faulted)) return RingState.Faulted;
            return Array.TrueForAll(states, state => state == states[0]) ? states[0]
                : states.Contains(RingState.Draining) || states.Contains(RingState.Stopped) ? RingState.Draining
                : RingState.Running;
        }
    }

    private Ring First => _all[0].Ring;

    /// <summary>Starts the rings, those that feed others first.</summary>
    public async Task StartAsync()
    {
        for (int i = 0; i < _all.Length; i++)
        {
            int started = i;
            await _all[i].Ring.StartAsync(StopStartedAsync).ConfigureAwait(false);

            async Task StopStartedAsync()
            {
                for (int j = started - 1; j >= 0; j--) await _all[j].Ring.StopInReverseAsync().ConfigureAwait(false);
            }
        }
    }

    /// <summary>Lets no new claim in; what is inside goes on, ring by ring.</summary>
    public void Complete()
    {
        lock (_closing)
        {
            foreach (LinkedRing linked in _all)
                if (linked.FedBy.Count == 0) Complete(linked);
        }
    }

    /// <inheritdoc/>
    public bool Complete(Exception? cause)
    {
        // One call alone closes the sources, and what they have failed with is there before the last ring can end.
        lock (_closing)
        {
            if (Array.TrueForAll(_all, static linked => linked.FedBy.Count > 0 || linked.Ring.IsClosed)) return false;
            if (cause is not null)
            {
                // Those that feed no other: what is inside has gone all its way by then.
                foreach (LinkedRing linked in _all)
                    if (!Array.Exists(_all, other => other.FedBy.Contains(linked))) linked.Ring.EndWith(cause);
            }

            Complete();
            return true;
        }
    }

    public async Task<DrainResult> DrainAsync(TimeSpan timeout, CancellationToken cancellation)
    {
        if (_all.Length == 1) return await First.DrainAsync(timeout, cancellation).ConfigureAwait(false);
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan) throw WaitErrors.Timeout(nameof(timeout), timeout);
        Clock clock = First.Clock;
        long deadline = clock.In(timeout);
        Complete();
        DrainResult? first = null;
        List<StagePosition> positions = [];
        foreach (LinkedRing linked in _all)
        {
            DrainResult result = await linked.Ring.DrainAsync(clock.Until(deadline), cancellation).ConfigureAwait(false);
            if (!result.IsDrained)
            {
                // All may have been handled here, and the time may be up before its stages have ended: then a later ring lags.
                LinkedRing lagging = Lags(linked) ? linked : Array.Find(_all, Lags) ?? linked;
                if (lagging != linked) result = result with { Target = lagging.Ring.Target };
                // Positions of another segment are not to be compared with this target.
                IEnumerable<LinkedRing> comparable = _all.Where(other => other.Segment == lagging.Segment);
                first = result with { Positions = [.. comparable.SelectMany(other => other.Positions)] };
                break;
            }

            positions.AddRange(linked.Positions);
            first ??= result with { Positions = positions };
        }

        // Whatever it has come to, it has when all of them have ended.
        if (first!.Status != DrainStatus.TimedOut && await clock.EndsBeforeAsync(Completion, deadline, cancellation).ConfigureAwait(false))
            return first;
        return first with { Status = DrainStatus.TimedOut, Fault = Fault, NotEnded = [.. _all.SelectMany(linked => linked.NotEnded)] };
    }

    private static bool Lags(LinkedRing linked) =>
        linked.Ring.Target is var target && linked.Positions.Any(stage => stage.Sequence < target);

    public async Task HaltAsync()
    {
        // All of them at once, and then waited for.
        Task[] halts = [.. _all.Select(linked => linked.Ring.HaltAsync())];
        await Task.WhenAll(halts).ConfigureAwait(false);
        await Task.WhenAny(Completion).ConfigureAwait(false);
    }

    public ValueTask DisposeAsync()
    {
        if (_all.Length == 1) return First.DisposeAsync();
        Task disposal;
        lock (_all) disposal = _disposal ??= Task.Run(DisposeCoreAsync);
        return Reentrancy.IsHandlerOf(First.Family) ? ValueTask.CompletedTask : new ValueTask(disposal);
    }

    private async Task DisposeCoreAsync()
    {
        // First those that producers publish into: a producer that is blocked there is told.
        foreach (LinkedRing linked in _all)
            if (linked.FedBy.Count == 0) linked.Ring.CompleteToDispose();
        Task drain = DrainAsync(First.Options.DrainTimeout, CancellationToken.None);
        await RingDrain.WhileDrivenAsync(drain, All).ConfigureAwait(false);
        await HaltAsync().ConfigureAwait(false);
        foreach (LinkedRing linked in _all) await linked.Ring.DisposeAsync().ConfigureAwait(false);
    }

    // A drain of the pipeline drains the rings that others feed to their end; the others would not be drained otherwise.
    private void Complete(LinkedRing linked)
    {
        linked.Ring.Complete();
        if (Array.Exists(_all, other => other.FedBy.Contains(linked))) _ = linked.Ring.DrainAsync(Timeout.InfiniteTimeSpan);
    }

    private void PassOnFault()
    {
        if (Fault is not { } fault) return;
        foreach (LinkedRing linked in _all) linked.Ring.Fail(fault);
    }

    private async Task WatchAllAsync()
    {
        await Task.WhenAll(_all.Select(WatchAsync)).ConfigureAwait(false);
        if (Fault is { } fault) _completion!.TrySetException(fault);
        else _completion!.TrySetResult();
        // A fault is also told by producers and by the state: a program need not look at the task.
        _ = _completion.Task.Exception;
    }

    private async Task WatchAsync(LinkedRing linked)
    {
        await Task.WhenAny(linked.Ring.Completion).ConfigureAwait(false);
        PassOnFault();
        // A ring that is fed ends after those that feed it, unless it was halted by itself.
        foreach (LinkedRing feeding in linked.FedBy) _ = feeding.Ring.HaltAsync();
        foreach (LinkedRing fed in _all)
        {
            if (!fed.FedBy.Contains(linked) || !fed.FedBy.All(other => other.Ring.Completion.IsCompleted)) continue;
            if (fed.FedBy.All(other => other.Ring.Unprocessed == 0)) Complete(fed);
            else _ = fed.Ring.HaltAsync();
        }
    }
}
