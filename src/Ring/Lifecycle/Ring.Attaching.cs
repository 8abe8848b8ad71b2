namespace Raceway.Rings;

/// <content>Stages join and leave.</content>
public abstract partial class Ring
{
    private readonly List<Stage> _leaving = [];
    private int _unnamed;

    /// <summary>
    /// Takes a stage out of the ring, which goes on without it: it ends after its current call, holds no slot back any
    /// more, and completes when it has ended.
    /// </summary>
    /// <exception cref="ArgumentException">It is no stage of this ring, or has left it.</exception>
    /// <exception cref="InvalidOperationException">Other stages follow it, or the ring is draining or has ended.</exception>
    public async Task DetachAsync(Stage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        Task left = LeaveAsync(stage, BeginLeave(stage));
        if (!Reentrancy.IsHandlerOf(Family)) await left.ConfigureAwait(false);
    }

    /// <summary>A further column on the same sequences, for a stage that changes the type.</summary>
    /// <param name="create">Makes the object of each slot, where the type is a class whose objects are reused.</param>
    /// <remarks>Its slots keep what they hold until they are overwritten a lap later.</remarks>
    public Slots<TColumn> AddColumn<TColumn>(Func<TColumn>? create = null) =>
        new(this, new SlotMemory<TColumn>(Capacity), Capacity, create);

    /// <summary>Attaches what <paramref name="create"/> makes; starts it where the ring runs.</summary>
    internal TStage Attach<TStage>(Func<string, TStage> create, StageOptions options)
        where TStage : Stage
    {
        ArgumentNullException.ThrowIfNull(options);
        TStage stage;
        Driver? driver = null;
        Gate.Enter(_gate);
        try
        {
            if (_state is not (RingState.Created or RingState.Running) || _finishing)
                throw Throw.NotNow("Attaching a stage", _state, "Attach before Complete.");
            Check(options);
            stage = create(options.Name ?? NextName());
            Place(stage);
            _stages.Add(stage);
            if (options.Drive == Drive.Caller) stage.DriveByCaller();
            else if (!options.InGroup) driver = AddDriver(stage, options.Wait, stage.Name);
            if (!_started) driver = null;
            // A producer that found no stage at all is about to sleep, or asleep.
            Control.Change(0);
        }
        finally
        {
            Gate.Exit(_gate);
        }

        WakeEverybody();
        if (driver is not null)
        {
            driver.Launch();
            driver.Started.ContinueWith(
                started => Fail(started.Exception!.InnerException!, stage),
                CancellationToken.None,
                TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        }

        return stage;
    }

    /// <summary>Lets <paramref name="unit"/> be driven on a thread (or the pool) once the ring starts.</summary>
    internal void DriveTogether(Steppable unit, Wait? wait, string name)
    {
        Gate.Enter(_gate);
        AddDriver(unit, wait, name);
        Gate.Exit(_gate);
    }

    /// <summary>A side branch failed, and its policy lets the ring go on without it.</summary>
    internal void DetachFaulted(Stage stage, Exception cause)
    {
        if (stage.IsLeaving)
        {
            // It was leaving anyway.
            stage.Fault = cause;
            return;
        }

        try
        {
            Driver? driver = BeginLeave(stage, alsoDraining: true);
            stage.Fault = cause;
            // On the stage's own thread, and its handler has returned: nothing of it holds a slot any more.
            EndLeave(stage);
            if (driver is null && !stage.Options.InGroup) _ = LeaveAsync(stage, null);
        }
        catch (InvalidOperationException)
        {
            // Not a side branch: without it the ring cannot go on.
            Fail(cause, stage);
        }
    }

    private Driver? BeginLeave(Stage stage, bool alsoDraining = false)
    {
        Driver? driver;
        Gate.Enter(_gate);
        try
        {
            if (_state is not (RingState.Created or RingState.Running) && !(alsoDraining && _state == RingState.Draining))
                throw Throw.NotNow("Detaching a stage", _state, "Drain or halt the ring instead.");
            if (!_stages.Contains(stage)) throw Throw.NotInRing(stage.Name);
            Stage? follower = _stages.Find(other => other.Upstream.Contains(stage));
            if (follower is not null) throw Throw.HasDependents(stage.Name, follower.Name);
            // By its user's wish another may be attached; by its policy producers would wait for nobody.
            if (alsoDraining && _stages.Count == 1) throw Throw.LastStage(stage.Name);

            stage.Leave();
            _stages.Remove(stage);
            _leaving.Add(stage);
            driver = _drivers.Find(candidate => ReferenceEquals(candidate.Unit, stage));
            if (driver is not null && !_started)
            {
                _drivers.Remove(driver);
                driver.EndIfNeverLaunched();
            }

            Control.Change(0);
        }
        finally
        {
            Gate.Exit(_gate);
        }

        stage.WakeWaiters();
        WakeEverybody();
        return driver;
    }

    // Its slots are its own until its handler has returned.
    private async Task LeaveAsync(Stage stage, Driver? driver)
    {
        if (driver is not null) await driver.Ended.ConfigureAwait(false);
        if (stage.Options.InGroup && _started) await stage.Ended.ConfigureAwait(false);
        await EndAtCallerAsync(stage).ConfigureAwait(false);
        EndLeave(stage);
    }

    // Its caller may be inside a step, or its handler's task may run: there is nothing to be woken by but time.
    private static async Task EndAtCallerAsync(Stage stage)
    {
        while (stage.Caller is { } caller && !caller.TryEnd()) await Task.Delay(1).ConfigureAwait(false);
    }

    private void EndLeave(Stage stage)
    {
        Gate.Enter(_gate);
        // What it held back for its upstream, the upstream holds back itself again.
        foreach (Stage upstream in stage.Upstream)
            if (_stages.Contains(upstream) && !_stages.Exists(other => other.Upstream.Contains(upstream)))
                Sequencer.AddGate(upstream.Done);
        Sequencer.RemoveGate(stage.Done);
        _leaving.Remove(stage);
        _drivers.RemoveAll(driver => ReferenceEquals(driver.Unit, stage) && driver.Ended.IsCompleted);
        Gate.Exit(_gate);
        Nudge();
        // It is among the ring's stages no more, so nobody else wakes who waits for it.
        stage.WakeWaiters();
    }

    private void Check(StageOptions options)
    {
        foreach (Stage upstream in options.After)
            if (!_stages.Contains(upstream ?? throw Throw.NoUpstream())) throw Throw.ForeignStage(upstream.Name);
        if (options.Name is { } name && _stages.Exists(stage => stage.Name == name)) throw Throw.DuplicateName(name);
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
        stage.Done.Reposition(Sequencer.ReleasedThrough());
        Sequencer.AddGate(stage.Done);
        if (_started)
        {
            stage.StartAfter(
                stage.Upstream.Count == 0
                    ? Sequencer.PublishedThrough(except: stage.Done)
                    : stage.Upstream.Min(other => other.Position));
            return;
        }

        // Before the start every stage sees everything still there; a stage that another follows gates through it.
        stage.StartAfter(stage.Position);
        foreach (Stage upstream in stage.Upstream) Sequencer.RemoveGate(upstream.Done);
    }

    private Driver AddDriver(Steppable unit, Wait? wait, string name)
    {
        Wait chosen = wait ?? _options.Wait;
        Driver driver = chosen.CreateDriver(unit, name);
        _drivers.Add(driver);
        return driver;
    }
}
