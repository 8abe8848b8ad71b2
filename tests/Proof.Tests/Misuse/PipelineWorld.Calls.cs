namespace Raceway.Proof.Tests.Misuse;

/// <content>The life of a pipeline, its stages and its poller.</content>
internal sealed partial class PipelineWorld<T, TShape>
{
    private const int MostJoined = 3;

    private static readonly string[] s_names = ["first", "lanes", "lanes-0", "poller", "joined-1", "nothing"];

    private void AddLife()
    {
        Add("StartAsync", 2, May.Misuse, (ref h) => h.Player.Follow(_pipeline.StartAsync(), May.Misuse | May.Ended | May.Disposed));
        Add("Complete", 1, May.Return, (ref h) => { if (h.Player.Dice.OneIn(12)) _pipeline.Complete(); });
        Add("TryComplete", 1, May.Return, (ref h) =>
        {
            if (h.Player.Dice.OneIn(12)) _pipeline.TryComplete(h.Player.Dice.OneIn(2) ? new FromHandlerException() : null);
        });
        Add("DrainAsync", 1, May.Argument, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(6)) return;
            h.Player.Follow(DrainAsync(h.Player.Time(), h.Player.Token()), May.Argument | May.Cancel, h.Player.Dice.OneIn(2));
        });
        Add("HaltAsync", 1, May.Return, (ref h) => { if (h.Player.Dice.OneIn(16)) h.Player.Follow(_pipeline.HaltAsync(), May.Return); });
        Add("DisposeAsync", 1, May.Return, (ref h) =>
        {
            if (h.Player.Dice.OneIn(16)) h.Player.Follow(_pipeline.DisposeAsync().AsTask(), May.Return);
        });
        Add("snapshots of a pipeline", 5, May.Return, (ref h) =>
        {
            if (_pipeline.Backlog < 0 || _pipeline.Unprocessed < 0) Ledger.Fault($"Backlog is {_pipeline.Backlog}");
            bool over = _pipeline.Completion.IsCompleted;
            RingState state = _pipeline.State;
            if (over && state is not (RingState.Stopped or RingState.Faulted)) Ledger.Fault($"completed, and {state}");
            if (_pipeline.GetStatistics().Count == 0 && _pipeline.Stages.Count > 0) Ledger.Fault("no statistics");
            if (!_pipeline.Sources.Contains(_pipeline.Ring) || !_pipeline.Rings.Contains(_pipeline.Ring)) Ledger.Fault("another ring");
        });
        Add("texts of a pipeline", 1, May.Return, (ref h) =>
        {
            if (_pipeline.ToString().Length == 0 || _pipeline.Dump().Length == 0) Ledger.Fault("no text");
            if (_pipeline.PlanReason is null || !Enum.IsDefined(_pipeline.Plan)) Ledger.Fault("no plan");
        });
        Add("TakeSnapshot, Diagnose, CreateMeter", 1, May.Misuse | May.Disposed, (ref h) =>
        {
            PipelineSnapshot before = _pipeline.TakeSnapshot();
            if (h.Player.Dice.OneIn(2)) _ = _pipeline.Diagnose(before).ToString();
            if (h.Player.Dice.OneIn(4)) _pipeline.CreateMeter("fuzz").Dispose();
        });
    }

    private void AddStages()
    {
        Add("Stages, by name", 3, May.Argument, (ref h) => _ = Named(ref h.Player.Dice).Lag + Named(ref h.Player.Dice).Ring.Backlog);
        Add("Step", 8, May.Misuse | May.Argument, (ref h) => Any(ref h.Player.Dice).Step(h.Player.Dice.Next(0, 5)));
        Add("Dispatch", 4, May.Misuse | May.Argument, (ref h) =>
            Any(ref h.Player.Dice).Dispatch = Setting.AnyDispatch(ref h.Player.Dice));
        Add("GetLanes", 2, May.Argument, (ref h) =>
        {
            KeyedLanes lanes = _pipeline.GetLanes(h.Player.Dice.Any(s_names));
            if (lanes.GetStatistics().Items.Count != lanes.Lanes.Count || lanes.Router.Name.Length == 0 || lanes.Name.Length == 0)
                Ledger.Fault("lanes");
        });
        Add("Attach", 1, May.Misuse | May.Argument, (ref h) => Join(ref h.Player.Dice));
        Add("AttachPoller", 1, May.Misuse | May.Argument, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(4)) return;
            Poller<T> more = _pipeline.AttachPoller(h.Player.Dice.OneIn(2) ? h.Player.Dice.Any(s_names) : null);
            HadMorePollers = true;
            // Out again: it would hold the producers back.
            h.Player.Follow(_pipeline.DetachAsync(more.Stage.Name), May.Misuse | May.Argument);
        });
        Add("DetachAsync", 2, May.Misuse | May.Argument, (ref h) =>
        {
            string name = h.Player.Dice.Any(s_names);
            if (!name.StartsWith("joined", StringComparison.Ordinal))
            {
                if (!h.Player.Dice.OneIn(8)) return;
                Interlocked.Increment(ref _left);
            }

            h.Player.Follow(_pipeline.DetachAsync(name), May.Misuse | May.Argument);
        });
    }

    private void AddPolls()
    {
        int often = _poller is null ? 0 : 8;
        Add("GetPoller", 1, May.Argument | May.Misuse, (ref h) => _ = _pipeline.GetPoller<T>(h.Player.Dice.Any(s_names)).Stage.Lag);
        Add("Poll", 2 * often, May.Misuse | May.Argument, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(8)) h.Polled.Dispose();
            int most = h.Player.Dice.Next(0, 5);
            PolledBatch<T> polled = _poller!.Poll(most);
            h.Polled = polled;
            if ((polled.Status == PollStatus.Items) != (polled.Count > 0)) Ledger.Fault($"{polled.Count} polled");
            foreach (ref T item in polled) Ledger.Came(PollerColumn, TShape.Read(ref item));
            if (polled.Count > 0 && h.Player.Dice.OneIn(4)) polled.Items.Complete(1);
        });
        Add("copy of a polled batch", often / 2, May.Return, (ref h) => h.PolledCopy = h.Polled);
        Add("PolledBatch.Dispose", often, May.Return, (ref h) => h.Polled.Dispose());
        Add("copy: PolledBatch.Dispose", often, May.Return, (ref h) => h.PolledCopy.Dispose());
        Add("PolledBatch.Fail", often > 0 ? 1 : 0, May.Return, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(20)) return;
            Interlocked.Increment(ref _failed);
            h.Polled.Fail(new FromHandlerException());
        });
        Add("Poller.Fail", often > 0 ? 1 : 0, May.Return, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(20)) return;
            Interlocked.Increment(ref _failed);
            _poller!.Fail(new FromHandlerException());
        });
        Add("Poller.Wake, HasMore, Completion", often / 2, May.Return, (ref h) =>
        {
            _poller!.Wake();
            bool over = _poller.Completion.IsCompleted;
            if (over && !HasEnded && _poller.Stage.Lag == 0 && _poller.HasMore) Ledger.Fault("its end has come, and there is more");
        });
        Add("Poller.WaitAsync", often / 2, May.Misuse | May.Cancel, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(4);
            h.Player.Follow(_poller!.WaitAsync(h.Player.Token()).AsTask(), May.Misuse | May.Cancel, waits);
        }, waits: true);
    }

    private Stage Named(ref Dice dice) => _pipeline[dice.Any(s_names)];

    private Stage Any(ref Dice dice)
    {
        IReadOnlyList<Stage> stages = _pipeline.Stages;
        return stages.Count == 0 ? Named(ref dice) : stages[dice.Next(stages.Count)];
    }

    private void Join(ref Dice dice)
    {
        int number = Interlocked.Increment(ref _joined);
        if (number > MostJoined) return;
        var keeper = new Keeper<T, TShape>(Ledger, FirstJoined + number - 1, (uint)dice.Next(int.MaxValue), null);
        string[] after = dice.OneIn(2) ? [dice.Any(s_names)] : [];
        _pipeline.Attach(definition => definition.After(after).Stage($"joined-{number}", (IBatchHandler<T>)keeper));
    }
}
