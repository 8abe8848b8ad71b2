using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>The stages of a ring, and the drivers of those that have one. Stages join and leave while the ring runs.</summary>
/// <remarks>It shares the ring's gate: what is read of the ring's life here is read under it.</remarks>
internal sealed class StageRoster(Ring ring, object gate)
{
    private readonly List<Stage> _stages = [];
    private readonly List<Driver> _drivers = [];
    private readonly List<Stage> _leaving = [];
    private readonly List<Stage> _ending = []; // have let go of their slots; their stop hooks have not returned
    private int _unnamed;
    private Stage[]? _present; // a copy of the list, until it changes
    private ReadyQueue? _queue; // of units that the pool steps

    /// <summary>The stages of the ring, in the order they were attached. Not to be written to.</summary>
    /// <remarks>A producer that waits asks for them: so the array is made once per change, not once per call.</remarks>
    public Stage[] Stages
    {
        get
        {
            using Gate.Held held = Gate.Hold(gate);
            return _present ??= [.. _stages];
        }
    }

    /// <summary>The drivers, in the order of their stages.</summary>
    public Driver[] Drivers
    {
        get
        {
            using Gate.Held held = Gate.Hold(gate);
            return [.. _drivers];
        }
    }

    /// <summary>The queue in which units of the ring wait for a thread of the pool; null where there has been none.</summary>
    public ReadyQueue? Queue => Volatile.Read(ref _queue);

    /// <summary>The stages of the ring, and those that have not ended on their way out.</summary>
    public Stage[] All
    {
        get
        {
            using Gate.Held held = Gate.Hold(gate);
            return [.. _stages, .. _leaving, .. _ending];
        }
    }

    /// <inheritdoc cref="Ring.DetachAsync"/>
    public async Task DetachAsync(Stage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        if (!TryBeginLeave(stage, byPolicy: false, out Driver? driver)) throw RingErrors.NotInRing(stage.Name);
        Task left = LeaveAsync(stage, driver);
        if (!Reentrancy.IsHandlerOf(ring.Family)) await left.ConfigureAwait(false);
    }

    /// <summary>Attaches what <paramref name="create"/> makes; starts it where the ring runs.</summary>
    public TStage Attach<TStage>(Func<string, TStage> create, StageOptions options)
        where TStage : Stage
    {
        ArgumentNullException.ThrowIfNull(options);
        TStage stage;
        Driver? driver = null;
        using (Gate.Hold(gate))
        {
            if (!ring.TakesStages) throw RingErrors.NotNow("Attaching a stage", ring.LifeSoFar, "Attach before Complete.");
            Check(options);
            stage = create(options.Name ?? NextName());
            stage.Width = WidthOf(stage);
            stage.TakesAll = stage.GetHandler<object>() is IWholeBatchHandler { TakesAll: true };
            if (options.IsStateless) stage.Split = SplitOf(stage, create, options);
            Place(stage);
            _stages.Add(stage);
            _present = null;
            if (options.Drive == Drive.Caller) stage.DriveByCaller();
            else if (!options.InGroup) driver = AddDriver(stage, options.Wait, stage.Name);
            if (!ring.HasStarted) driver = null;
            // A producer that found no stage at all is about to sleep, or asleep.
            ring.Control.Change(0);
        }

        ring.WakeAll();
        if (driver is not null)
        {
            driver.Launch();
            driver.Started.ContinueWith(
                started => ring.Fail(started.Exception!.InnerException!, stage),
                CancellationToken.None,
                TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        }

        return stage;
    }

    /// <summary>Lets <paramref name="unit"/> be driven on a thread (or the pool) once the ring starts.</summary>
    public void DriveTogether(Steppable unit, Wait? wait, string name)
    {
        using Gate.Held held = Gate.Hold(gate);
        AddDriver(unit, wait, name);
    }

    /// <summary>Lets the thread pool step <paramref name="stages"/> together while that is the fastest. Before the ring starts.</summary>
    /// <param name="stages">Stages that the pool drives, each behind its upstream.</param>
    /// <returns>What steps them; null for fewer than two.</returns>
    public PoolGroup? StepTogether(IReadOnlyList<Stage> stages)
    {
        using Gate.Held held = Gate.Hold(gate);
        Debug.Assert(!ring.HasStarted, "A driver has its group before it is launched.");
        PoolDriver[] drivers = [.. stages.Select(stage => _drivers.Find(driver => driver.Unit == stage)).OfType<PoolDriver>()];
        return drivers.Length > 1 ? new PoolGroup(ring, drivers) : null;
    }

    /// <summary>Lets no stage be stepped together with <paramref name="stage"/>, so that its times are its own.</summary>
    public void KeepApart(Stage stage)
    {
        PoolDriver? driver;
        using (Gate.Hold(gate)) driver = _drivers.Find(candidate => candidate.Unit == stage) as PoolDriver;
        driver?.Group?.KeepApart();
    }

    /// <summary>A side branch failed, and its policy lets the ring go on without it.</summary>
    public void DetachFaulted(Stage stage, Exception cause)
    {
        try
        {
            bool begins = TryBeginLeave(stage, byPolicy: true, out Driver? driver);
            stage.Fault = cause;
            // It was leaving anyway.
            if (!begins) return;
            // On the stage's own thread, and its handler has returned: nothing of it holds a slot any more.
            EndLeave(stage, hasEnded: false);
            _ = LeaveAsync(stage, driver);
        }
        catch (InvalidOperationException)
        {
            // Not a side branch: without it the ring cannot go on.
            ring.Fail(cause, stage);
        }
    }

    /// <summary>Stops the units of <paramref name="started"/>, the last started first.</summary>
    public async Task StopInReverseAsync(ReadOnlyMemory<Driver> started)
    {
        for (int i = started.Length - 1; i >= 0; i--)
        {
            Driver driver = started.Span[i];
            driver.Unit.LeaveAll();
            ring.Nudge();
            await driver.Ended.ConfigureAwait(false);
        }
    }

    private static int WidthOf(Stage stage)
    {
        int width = stage.GetHandler<object>() is IWideHandler wide ? wide.Width : 1;
        return width >= 1 ? width : throw StageErrors.Width(stage.Name, width);
    }

    // Under a thread of its own, or its caller's, a stage is that one thread's.
    private SplitCalls? SplitOf(Stage stage, Func<string, Stage> create, StageOptions options)
    {
        if (!stage.CanSplit) throw StageErrors.NotStateless(stage.Name);
        Wait wait = options.Wait ?? ring.Options.Wait;
        bool isPooled = wait.PoolSlice is not null && options is { Drive: Drive.OwnThread, InGroup: false };
        if (!isPooled || options.MostThreads == 1) return null;
        return new SplitCalls(stage, wait, [.. Enumerable.Range(0, options.MostThreads).Select(number => create($"{stage.Name}/{number}"))]);
    }

    /// <summary>Removes a stage from the ring, if it may leave; false where it is not in the ring any more.</summary>
    private bool TryBeginLeave(Stage stage, bool byPolicy, out Driver? driver)
    {
        driver = null;
        using (Gate.Hold(gate))
        {
            if (byPolicy && stage.IsLeaving) return false;
            if (ring.LifeSoFar is not (RingState.Created or RingState.Running) && !(byPolicy && ring.LifeSoFar == RingState.Draining))
                throw RingErrors.NotNow("Detaching a stage", ring.LifeSoFar, "Drain or halt the ring instead.");
            if (!_stages.Contains(stage)) return false;
            Stage? follower = _stages.Find(other => other.Upstream.Contains(stage));
            if (follower is not null) throw RingErrors.HasDependents(stage.Name, follower.Name);
            if (stage.FeedsOthers) throw RingErrors.FeedsOthers(stage.Name);
            // By its user's wish another may be attached; by its policy producers would wait for no stage.
            if (byPolicy && _stages.Count == 1) throw RingErrors.LastStage(stage.Name);

            stage.Leave();
            _stages.Remove(stage);
            _present = null;
            _leaving.Add(stage);
            driver = _drivers.Find(candidate => ReferenceEquals(candidate.Unit, stage));
            if (driver is not null && !ring.HasStarted)
            {
                _drivers.Remove(driver);
                driver.EndIfNeverLaunched();
            }

            ring.Control.Change(0);
        }

        stage.WakeWaiters();
        ring.WakeAll();
        return true;
    }

    // Its slots are its own until its handler has returned.
    private async Task LeaveAsync(Stage stage, Driver? driver)
    {
        if (driver is not null) await driver.Ended.ConfigureAwait(false);
        if (stage.Options.InGroup && ring.HasStarted) await stage.Ended.ConfigureAwait(false);
        if (stage.Caller is { } caller) await caller.EndAsync().ConfigureAwait(false);
        EndLeave(stage, hasEnded: true);
    }

    /// <summary>
    /// Lets every stage on its way out leave. All have ended. The ring calls it before it counts what is left over, so that no more
    /// is released while it hands that over.
    /// </summary>
    public void EndLeaves()
    {
        Stage[] leaving;
        using (Gate.Hold(gate)) leaving = [.. _leaving];
        foreach (Stage stage in leaving) EndLeave(stage, hasEnded: true);
    }

    // It lets go once: by its policy, the call that detaches it, or the end of the ring. It is known until it has ended.
    private void EndLeave(Stage stage, bool hasEnded)
    {
        // Its handler's task may still use its slots: it holds them back for good.
        if (stage.IsAbandoned) return;
        Gate.Enter(gate);
        _drivers.RemoveAll(driver => ReferenceEquals(driver.Unit, stage) && driver.Ended.IsCompleted);
        if (_leaving.Remove(stage)) LetGo(stage);
        if (hasEnded) _ending.Remove(stage);
        else _ending.Add(stage);
        Gate.Exit(gate);
        ring.Nudge();
        // It is among the ring's stages no more, so no other call wakes what waits for it.
        stage.WakeWaiters();
    }

    private void LetGo(Stage stage)
    {
        Debug.Assert(Gate.IsHeld(gate), "The gates change under the gate.");
        // What it held back for its upstream, the upstream holds back itself again, also one that is leaving: until its handler has
        // returned, and for the stages before it.
        foreach (Stage upstream in stage.Upstream)
            if ((_stages.Contains(upstream) || _leaving.Contains(upstream)) && !_stages.Exists(other => other.Upstream.Contains(upstream)))
                ring.Sequencer.AddGate(upstream.Done);
        ring.Sequencer.RemoveGate(stage.Done);
    }

    private void Check(StageOptions options)
    {
        Debug.Assert(Gate.IsHeld(gate), "Stages join under the gate.");
        foreach (Stage upstream in options.After)
            if (!_stages.Contains(upstream ?? throw RingErrors.NoUpstream())) throw RingErrors.ForeignStage(upstream.Name);
        if (options.Name is { } name && _stages.Exists(stage => stage.Name == name)) throw RingErrors.DuplicateName(name);
    }

    private string NextName()
    {
        do _unnamed++;
        while (_stages.Exists(stage => stage.Name == $"stage-{_unnamed}"));
        return $"stage-{_unnamed}";
    }

    // Gating first, then the first sequence: exactly what is published (or passed upstream) by then is not for it.
    private void Place(Stage stage)
    {
        stage.Done.Reposition(ring.Sequencer.ReleasedThrough());
        ring.Sequencer.AddGate(stage.Done);
        if (ring.HasStarted)
        {
            stage.StartAfter(
                stage.Upstream.Count == 0
                    ? ring.Sequencer.PublishedThrough(except: stage.Done)
                    : stage.Upstream.Min(other => other.Position));
            return;
        }

        // Before the start every stage sees everything still there; a stage that another follows gates through it.
        stage.StartAfter(stage.Position);
        foreach (Stage upstream in stage.Upstream) ring.Sequencer.RemoveGate(upstream.Done);
    }

    private Driver AddDriver(Steppable unit, Wait? wait, string name)
    {
        Driver driver = Driver.Of(unit, wait ?? ring.Options.Wait, name);
        _drivers.Add(driver);
        if (driver is PoolDriver pooled) Volatile.Write(ref _queue, pooled.Ready);
        return driver;
    }
}
