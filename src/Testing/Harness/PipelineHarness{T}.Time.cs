using System.Globalization;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <content>Time, and the end.</content>
public sealed partial class PipelineHarness<T>
{
    // How often a handler may be called and stay where it is: retries without an end.
    private const int MostVainTries = 10_000;

    // The same where the test lets time pass: seconds of a day, or a handler that consumes nothing and is asked each millisecond.
    private const int MostVainWakes = 100_000;

    // A stage that never goes on, beside due times of other stages that may come often.
    private const int MostVainMoves = 1_000_000;

    /// <summary>Moves the time on. On the way it stops at each due time, and runs what is due until all is idle again.</summary>
    /// <param name="by">How far.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="by"/> is negative.</exception>
    /// <exception cref="ContractException">A handler is called again and again, and never goes on.</exception>
    public void Advance(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
        TimeSpan end = Time.Elapsed + by;
        RunUntilIdle();
        while (Time.Elapsed < end || NextDue() == TimeSpan.Zero)
        {
            TimeSpan left = end - Time.Elapsed;
            Move(NextDue() is { } due && due < left ? due : left);
        }
    }

    /// <summary>Runs until no item is left, and moves the time on where that takes time: ages, retries, timers.</summary>
    /// <remarks>Items that a <see cref="SinkProbe{TItem}"/> has not asked for stay.</remarks>
    /// <exception cref="ContractException">The pipeline has faulted, or items are left and nothing will bring them on.</exception>
    public void Settle()
    {
        RunUntilIdle();
        var left = new Patience(_options.Limit);
        (Stage? Stage, long Position, long Tries, long Moves) at = default;
        while (Held() is { } stage)
        {
            if (Pipeline.State == RingState.Faulted) throw Faulted();
            (long position, long faults, long retries) = StateOf(stage);
            if (at.Stage != stage || at.Position != position) at = (stage, position, faults + retries, 0);
            if (NextDue() is { } due)
            {
                if (faults + retries - at.Tries > MostVainTries || ++at.Moves > MostMoves(left)) throw Stuck(stage);
                if (!GoesOnElsewhere(left)) Move(due);
            }
            else
            {
                if (_last.GetValueOrDefault(stage) != StepKind.Pending || left.IsOver) throw Stuck(stage);
                // Its handler's task may end elsewhere.
                left.Ends(Pipeline.Completion);
                RunUntilIdle();
            }
        }

        if (Pipeline.State == RingState.Faulted) throw Faulted();
    }

    /// <summary>Takes no more items, and runs the pipeline to its end. Time moves on only where nothing else does.</summary>
    /// <exception cref="ContractException">It does not end.</exception>
    public DrainResult Drain()
    {
        Task<DrainResult> drain;
        using (NoContext.Enter()) drain = Pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        // A poller that has passed all still has to meet its end.
        Stage[] sinks = [.. _polled];
        _polled.Clear();
        var left = new Patience(_options.Limit);
        (long Passed, long Moves) at = default;
        while (!drain.IsCompleted)
        {
            RunUntilIdle();
            if (drain.IsCompleted) break;
            bool endsElsewhere = EndIsUnderWay() || _last.Any(one => one.Value == StepKind.Pending && !sinks.Contains(one.Key));
            if (!EndIsUnderWay() && NextDue() is { } due)
            {
                long passed = _stages.Sum(static stage => stage.Position);
                if (at.Passed != passed) at = (passed, 0);
                if (++at.Moves > MostMoves(left)) throw DoesNotEnd();
                if (!GoesOnElsewhere(left)) Move(due);
            }
            else if (!endsElsewhere || left.Ends(drain) && !drain.IsCompleted) throw DoesNotEnd();
        }

        return drain.Result;
    }

    /// <summary><see cref="Settle"/>, <see cref="Drain"/> and <see cref="CheckSlots"/>: everything that a whole run has to keep.</summary>
    /// <exception cref="ContractException">
    /// Items are left, the pipeline has faulted, a handler has kept the object of a slot, or something waits for time still.
    /// </exception>
    public void Finish() => Finish(checksSlots: true);

    internal void Finish(bool checksSlots)
    {
        Settle();
        DrainResult result = Drain();
        if (!result.IsDrained) throw result.Fault is null ? DoesNotEnd() : Faulted();
        if (checksSlots) CheckSlots();
        if (Time.SetTimers > 0)
        {
            throw Breach(
                "Once a pipeline has ended, nothing of it may wait for time.", $"{Time.SetTimers} timers are set still",
                "Await what a handler has begun, and dispose of timers and token sources in OnStop.");
        }
    }

    private void Move(TimeSpan by)
    {
        Stage[] pending = [.. Pending(by)];
        foreach (Stage stage in pending) Count(_vainWakes, stage);
        // Calls with a limit that is due: they are given what the pool has for them before the time moves.
        Stage[] due = [.. pending.Where(stage => !_retrying.Contains(stage) && MayAwait(stage))];
        (long, long, long)[] before = [.. due.Select(StateOf)];
        if (due.Length > 0 && GoesOnByThePool(due, before)) return;
        // The others try again now. What is pending then is a call, unless it fails once more.
        foreach (Stage stage in pending) _retrying.Remove(stage);
        using (NoContext.Enter()) Time.Advance(by);
        RunUntilIdle();
        for (int i = 0; i < due.Length; i++)
        {
            // The handler's time is up, and its token is signalled. What waits for a token goes on on the pool.
            var left = new Patience(_options.Limit / 10);
            while (_last[due[i]] == StepKind.Pending && StateOf(due[i]) == before[i] && !left.Ends(Pipeline.Completion)) RunUntilIdle();
        }
    }

    // A handler that only yields keeps its limit.
    private bool GoesOnByThePool(Stage[] open, (long, long, long)[] before)
    {
        for (int hop = 0; hop < 2; hop++)
        {
            var done = new ManualResetEventSlim();
            ThreadPool.UnsafeQueueUserWorkItem(static done => done.Set(), done, preferLocal: false);
            done.Wait(_options.Limit);
        }

        RunUntilIdle();
        return !open.Select(StateOf).SequenceEqual(before);
    }

    // Calls that wait neither for the time nor for a limit: their tasks end on another thread, which is given a moment of what is left.
    private bool GoesOnElsewhere(Patience left)
    {
        if (left.IsOver || Time.NextTimer is not null) return false;
        Stage[] open = [.. Pending(Timeout.InfiniteTimeSpan)];
        if (open.Length == 0) return false;
        (long, long, long)[] before = [.. open.Select(StateOf)];
        left.Ends(Pipeline.Completion);
        RunUntilIdle();
        return !open.Select(StateOf).SequenceEqual(before);
    }

    // How far the time moves while nothing goes on. A task that ends elsewhere has had its limit then, and no due time brings it on.
    private long MostMoves(Patience left) =>
        left.IsOver && Time.NextTimer is null && Pending(Timeout.InfiniteTimeSpan).Any() ? MostVainTries : MostVainMoves;

    // One that is pending without awaiting has consumed nothing, and is asked again.
    private static bool MayAwait(Stage stage) =>
        Interfaces.AnyOf(stage.GetHandler<object>(), typeof(IAsyncBatchHandler<>), typeof(IAsyncOutcomeHandler<>));

    private IEnumerable<Stage> Pending(TimeSpan due) =>
        Driven().Where(stage => _last.GetValueOrDefault(stage) == StepKind.Pending && UntilDue(stage) == due);

    private static TimeSpan UntilDue(Stage stage) => new ManualDriver([stage]).UntilDue();

    private static (long Position, long Faults, long Retries) StateOf(Stage stage)
    {
        StageStatistics statistics = stage.GetStatistics();
        return (stage.Position, statistics.Faults, statistics.Retries);
    }

    private Stage[] Driven() => [.. _stages.Where(stage => !_stalled.Contains(stage) && !_polled.Contains(stage))];

    private bool TryMoveToNextDue()
    {
        if (NextDue() is not { } due) return false;
        Move(due);
        return true;
    }

    internal TimeSpan? NextDue()
    {
        Refresh();
        TimeSpan? timer = Time.NextTimer;
        Stage[] driven = Driven();
        TimeSpan stages = driven.Length == 0 ? Timeout.InfiniteTimeSpan : new ManualDriver(driven).UntilDue();
        // What is due now and was just looked at in vain is not moved by time.
        if (stages <= TimeSpan.Zero) return timer;
        return timer < stages ? timer : stages;
    }

    // The first stage that has items before it, unless they are for a sink to ask for.
    private Stage? Held() => _stages.FirstOrDefault(stage => stage.Lag > 0 && !IsPolled(stage));

    private bool IsPolled(Stage stage) => _polled.Contains(stage) || stage.Upstream.Any(IsPolled);

    // Stages have ended, and the pool has yet to tell the ring, or the ring that it feeds.
    private bool EndIsUnderWay()
    {
        foreach (Ring ring in Pipeline.Rings)
        {
            if (!ring.IsClosed) return true;
            // Behind the last item the ring is sealed, and only then its stages end.
            if (ring.Stages.Any(stage => _last.GetValueOrDefault(stage) != StepKind.Stopped)) return ring.Stages.All(static stage => stage.Lag == 0);
            if (!ring.Completion.IsCompleted) return true;
        }

        return true;
    }

    private ContractException Faulted()
    {
        Exception refusal = Pipeline.Ring.Refusal();
        Exception cause = refusal.InnerException ?? refusal;
        return Breach(
            "A pipeline must not fault.", $"{cause.GetType().Name} in stage '{(refusal as RingFaultedException)?.Stage}': {cause.Message}",
            "Mend the handler, or give its stage a fault policy.");
    }

    private ContractException DoesNotEnd() => Breach(
        "A pipeline that is drained must end.",
        string.Join(", ", _stages.Where(stage => _last.GetValueOrDefault(stage) != StepKind.Stopped)
            .Select(stage => $"'{stage.Name}' has {stage.Lag} items before it and is {Doing(stage)}")),
        "Resume stalled stages, take what a sink holds, and end what handlers await.");

    /// <summary>The stage is tried once more, and may have stayed where it is.</summary>
    /// <exception cref="ContractException">It never goes on.</exception>
    internal void CountTry(Stage stage) => Count(_vainTries, stage);

    private void Count(VainCalls calls, Stage stage)
    {
        if (calls.Allows(stage, Pipeline.Completion)) return;
        throw Breach(
            "A handler that is called again and again must go on in the end.",
            string.Create(CultureInfo.InvariantCulture, $"'{stage.Name}' was called {calls.Most:N0} times for the item of sequence {stage.Position + 1}, and has not passed it"),
            "Let the handler consume an item, or let its retries end.");
    }

    internal ContractException Stuck(Stage stage)
    {
        bool isHeldBack = stage.Dispatch is { Min: > 1 } dispatch && dispatch.MaxAge == Timeout.InfiniteTimeSpan;
        return Breach(
            "Every item must be handled, also if no further one comes.",
            $"'{stage.Name}' has {stage.Lag} items before it and is {Doing(stage)}{(isHeldBack ? $": its minimum is {stage.Dispatch.Min}" : "")}",
            isHeldBack ? "Give the minimum an age: Dispatch.Batch(min: …, maxAge: …)." : "Look what the stage waits for.");
    }

    private string Doing(Stage stage) =>
        _stalled.Contains(stage) ? "stalled" : _last.GetValueOrDefault(stage) == StepKind.Pending ? "waiting for its handler or a retry" : "idle";
}
