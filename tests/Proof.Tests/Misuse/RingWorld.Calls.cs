namespace Raceway.Proof.Tests.Misuse;

/// <content>The life of a ring, and its stages.</content>
internal sealed partial class RingWorld<T, TShape>
{
    private const int MostJoined = 3;

    private void AddLife()
    {
        Add("StartAsync", 2, May.Misuse, (ref h) => h.Player.Follow(_ring.StartAsync(), May.Misuse | May.Ended | May.Disposed));
        Add("Start", 1, May.Misuse | May.Ended | May.Disposed, (ref h) => _ring.Start());
        Add("Complete", 1, May.Return, (ref h) => { if (h.Player.Dice.OneIn(12)) _ring.Complete(); });
        Add("TryComplete", 1, May.Return, (ref h) =>
        {
            if (h.Player.Dice.OneIn(12)) _ring.TryComplete(h.Player.Dice.OneIn(2) ? new FromHandlerException() : null);
        });
        Add("DrainAsync", 1, May.Argument, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(6)) return;
            h.Player.Follow(DrainAsync(h.Player.Time(), h.Player.Token()), May.Argument | May.Cancel, h.Player.Dice.OneIn(2));
        });
        Add("HaltAsync", 1, May.Return, (ref h) => { if (h.Player.Dice.OneIn(16)) h.Player.Follow(_ring.HaltAsync(), May.Return); });
        Add("DisposeAsync", 1, May.Return, (ref h) =>
        {
            if (h.Player.Dice.OneIn(16)) h.Player.Follow(_ring.DisposeAsync().AsTask(), May.Return, h.Player.Dice.OneIn(4));
        });
        Add("snapshots of a ring", 6, May.Return, (ref h) =>
        {
            if (_ring.Backlog < 0 || _ring.Backlog > _ring.Capacity) Ledger.Fault($"Backlog is {_ring.Backlog}");
            if (_ring.Unprocessed < 0) Ledger.Fault($"Unprocessed is {_ring.Unprocessed}");
            if (_ring.GetStatistics().ToString().Length == 0) Ledger.Fault("no text");
            if (_ring.Options.MaxProducers < 1 || _ring.Refusal() is not (RingStoppedException or RingFaultedException or ObjectDisposedException))
                Ledger.Fault("what it says of itself");
            if (_ring.State is RingState.Stopped or RingState.Faulted && !_ring.IsClosed) Ledger.Fault("ended, and not closed");
            bool over = _ring.Completion.IsCompleted;
            RingState state = _ring.State;
            if (over && state is not (RingState.Stopped or RingState.Faulted)) Ledger.Fault($"completed, and {state}");
        });
        Add("AddColumn", 1, May.Misuse, (ref h) => _ = _ring.AddColumn<long>().Capacity);
        Add("Slots", 3, May.Argument, (ref h) =>
        {
            if (_ring.Slots.Ring != _ring || _ring.Slots.Capacity != _ring.Capacity) Ledger.Fault("the slots of another ring");
            _ = _ring.Slots[h.Player.Dice.Next(4 * _ring.Capacity)];
        });
    }

    private async Task DrainAsync(TimeSpan timeout, CancellationToken cancellation) =>
        Look(await _ring.DrainAsync(timeout, cancellation).ConfigureAwait(false));

    private void AddStages()
    {
        Add("Step", 12, May.Misuse, (ref h) => AnyStage(ref h.Player.Dice).Step(h.Player.Dice.Next(1, 5)));
        Add("Step, any quantum", 3, May.Misuse | May.Argument, (ref h) =>
            AnyStage(ref h.Player.Dice).Step(h.Player.Dice.Next(3) switch { 0 => 0, 1 => -1, _ => int.MaxValue }));
        Add("ManualDriver", 3, May.Misuse | May.Argument, (ref h) =>
        {
            var driver = new ManualDriver(h.Player.Dice.OneIn(4) ? _core : [AnyStage(ref h.Player.Dice)], h.Player.Dice.Next(9));
            if (h.Player.Dice.OneIn(2)) driver.StepAny(h.Player.Dice.Next(1, 4));
            else driver.RunUntilIdle();
            if (driver.UntilDue() < Timeout.InfiniteTimeSpan) Ledger.Fault($"{driver.UntilDue()}");
        });
        Add("AttachPoller", 1, May.Misuse | May.Argument, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(4)) return;
            Poller<T> more = _ring.AttachPoller(h.Player.Dice.OneIn(2) ? "core-0" : null);
            HadMorePollers = true;
            // Out again: it would hold the producers back.
            h.Player.Follow(_ring.DetachAsync(more.Stage), May.Misuse | May.Argument);
        });
        Add("Dispatch", 6, May.Misuse | May.Argument, (ref h) =>
        {
            Stage stage = AnyStage(ref h.Player.Dice);
            if (stage.Dispatch.Min < 1) Ledger.Fault($"{stage.Dispatch}");
            stage.Dispatch = Setting.AnyDispatch(ref h.Player.Dice);
        });
        Add("snapshots of a stage", 5, May.Return, (ref h) =>
        {
            Stage stage = AnyStage(ref h.Player.Dice);
            if (stage.Lag < 0 || stage.Lag > _ring.Capacity) Ledger.Fault($"Lag is {stage.Lag}");
            long before = stage.Position;
            if (stage.Position < before) Ledger.Fault($"the position of {stage.Name} went back from {before}");
            if (stage.GetStatistics().ToString().Length == 0 || stage.Placement.ToString().Length == 0) Ledger.Fault("no text");
            if (stage.Fault is not null && _ring.State != RingState.Faulted) Ledger.Fault($"{stage.Name}: {stage.Fault}");
            _ = stage.Upstream.Count;
            _ = stage.GetHandler<object>();
        });
        Add("Subscribe", 2, May.Misuse | May.Argument, (ref h) => Join(ref h.Player.Dice));
        Add("DetachAsync", 2, May.Misuse | May.Argument, (ref h) => Detach(h.Player));
        Add("a batch that was kept", 4, May.Disposed | May.Argument, (ref h) => _keepers[h.Player.Dice.Next(_core.Count)].UseKept(h.Player.Dice));
    }

    private Stage AnyStage(ref Dice dice)
    {
        IReadOnlyList<Stage> stages = _ring.Stages;
        return stages.Count == 0 ? _core[0] : stages[dice.Next(stages.Count)];
    }

    private void Join(ref Dice dice)
    {
        int number = Interlocked.Increment(ref _joined);
        if (number > MostJoined) return;
        var keeper = new Keeper<T, TShape>(Ledger, _core.Count + number - 1, (uint)dice.Next(int.MaxValue), null);
        Subscribe(keeper, dice.Next(4), new StageOptions
        {
            Name = dice.OneIn(8) ? "core-0" : $"joined-{number}",
            Dispatch = Setting.AnyDispatch(ref dice),
            After = dice.OneIn(3) ? [AnyStage(ref dice)] : [],
        });
    }

    private void Detach(Player player)
    {
        Stage stage = AnyStage(ref player.Dice);
        // Mostly those that have joined, so that what the others must handle stays known.
        if (_core.Contains(stage) && !player.Dice.OneIn(8)) return;
        if (_core.Contains(stage)) Interlocked.Increment(ref _left);
        player.Follow(_ring.DetachAsync(stage), May.Misuse | May.Argument);
    }
}
