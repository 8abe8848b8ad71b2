namespace Raceway.Proof.Tests.Properties;

/// <content>Stages, states, and what is compared.</content>
internal sealed partial class RingUnderTest
{
    private sealed class HandlerFault : Exception;

    private sealed record Attached(Stage Stage, StageModel Model, List<(long Sequence, long Item)> Seen);

    private const long Unknown = -1;

    private readonly List<Attached> _stages = [];

    private void Attach(int a, int b)
    {
        Attached[] live = [.. _stages.Where(stage => !stage.Model.Left)];
        if (live.Length >= 4) return;
        Attached[] after = [.. live.Where((_, i) => (a >> i & 1) != 0)];
        Dispatch dispatch = (b % 4) switch
        {
            0 => Dispatch.Batch(),
            1 => Dispatch.Single,
            2 => Dispatch.Each(1 + b / 4, progressInterval: a % 3),
            _ => Dispatch.Batch(1 + b / 4),
        };
        StageOptions options = Make.Stepped(dispatch, after: [.. after.Select(stage => stage.Stage)]);
        List<(long, long)> seen = [];
        StageModel? model = null;
        Stage? stage = null;
        string expected = _model.Attach();
        string outcome = Outcome(() => stage = (a % 3) switch
        {
            0 => _ring.Subscribe(new BatchLambda<long>(OnBatch), options),
            1 => _ring.Subscribe(new EventLambda<long>((ref long item, long sequence, bool _) => See(sequence, item)), options),
            _ => _ring.Subscribe((ref long item) => See(Unknown, item), options),
        });
        if (!Expect($"attach {dispatch} after {after.Length}", expected, outcome)) return;
        // Behind a running ring everything published by now has its place.
        SyncOrder();
        model = _model.AddStage(dispatch.Max ?? int.MaxValue, [.. after.Select(each => each.Model)]);
        _stages.Add(new Attached(stage!, model, seen));

        void OnBatch(Batch<long> batch)
        {
            for (int i = 0; i < batch.Count; i++) See(batch.Sequence + i, batch[i]);
        }

        void See(long sequence, long item)
        {
            if (model!.Throws) throw new HandlerFault();
            seen.Add((sequence, item));
        }
    }

    private void Detach(int a)
    {
        Attached stage = _stages[a % _stages.Count];
        string expected = _model.Detach(stage.Model);
        Expect($"detach {stage.Stage.Name}", expected, Outcome(() => _ring.DetachAsync(stage.Stage).GetAwaiter().GetResult()));
    }

    private void Step(int a, int b)
    {
        Attached stage = _stages[a % _stages.Count];
        int quantum = b % 3 == 0 ? int.MaxValue : 1 + b / 3;
        stage.Seen.Clear();
        StepResult result = stage.Stage.Step(quantum);
        _say?.Invoke($"{stage.Stage.Name}: step {quantum}: {result.Kind} {result.Count}");
        SyncOrder();
        bool wasHalted = _model.IsHalted;
        (StepKind kind, long most, bool isExact, bool isMore) =
            _model.Step(stage.Model, quantum, _setting.Start + _model.Order.Count - 1);
        Assert.Equal(kind, result.Kind);
        if (isExact) Assert.Equal((most, isMore), (result.Count, result.More));
        else Assert.InRange(result.Count, 1, most);
        Assert.Equal(result.Count, stage.Seen.Count);
        for (int i = 0; i < result.Count; i++)
        {
            long sequence = stage.Model.Position + 1 + i;
            if (stage.Seen[i].Sequence != Unknown) Assert.Equal(sequence, stage.Seen[i].Sequence);
            Assert.Equal(_model.ItemOf(sequence), stage.Seen[i].Item);
        }

        if (result.Count > 0) stage.Model.Handled(result.Count);
        if (kind == StepKind.Stopped && !wasHalted && !stage.Model.Left) Halted(faulted: true);
    }

    // In which order the lanes are merged is the ring's to choose: it is taken over, and must be each producer's own.
    // What is published after the end is nobody's.
    private void SyncOrder(bool atTheEnd = false)
    {
        if (_setting.Kind != ProducerKind.Sharded || (_model.IsHalted && !atTheEnd)) return;
        long end = _ring.Sequencer.Cursor.ReadAcquire();
        for (long sequence = _setting.Start + _model.Order.Count; sequence <= end; sequence++)
            _model.Merge(_ring.Slots[sequence]);
    }

    private void Complete()
    {
        _say?.Invoke("Complete");
        _ring.Complete();
        _model.Complete();
    }

    private void Halt()
    {
        _say?.Invoke("HaltAsync");
        Wait(_ring.HaltAsync());
        Halted(faulted: false);
    }

    private void Drain()
    {
        DrainStatus expected = _model.Drain();
        // A ring that has only to end takes a moment for it.
        TimeSpan time = expected == DrainStatus.TimedOut ? TimeSpan.Zero : Timeout.InfiniteTimeSpan;
        DrainStatus status = Wait(_ring.DrainAsync(time)).Status;
        _say?.Invoke($"DrainAsync({time}): {status}");
        Assert.Equal(expected, status);
        if (status == DrainStatus.Drained) Halted(faulted: false);
    }

    private void Dispose()
    {
        _say?.Invoke("DisposeAsync");
        Wait(_ring.DisposeAsync().AsTask());
        _model.Dispose();
        Halted(faulted: false);
    }

    private void Halted(bool faulted)
    {
        if (_model.IsHalted) return;
        Wait(Task.WhenAny(_ring.Completion));
        _model.Halt(faulted);
        if (_setting.Kind == ProducerKind.Sharded)
        {
            SyncOrder(atTheEnd: true);
            _model.LeaveOver();
        }

        Assert.Equal(faulted, _ring.Completion.IsFaulted);
        Assert.Equal(_model.LeftOver, _unprocessed);
    }

    private T Wait<T>(Task<T> task)
    {
        Wait((Task)task);
        return task.Result;
    }

    private void Wait(Task task) => Assert.True(task.Wait(TimeSpan.FromMinutes(1)), $"Hangs.\n{Watchdog.Dump(_ring)}");

    // Snapshots that merge the lanes, where the ring is sharded: only now and then, so that stages do it too.
    private void Look()
    {
        if (_model.IsHalted)
        {
            Assert.InRange(_ring.Backlog, 0, _setting.Capacity);
            Assert.All(_stages, stage => Assert.InRange(stage.Stage.Lag, 0, _setting.Capacity));
            return;
        }

        long published = _model.PublishedThrough;
        Assert.Equal(Math.Clamp(published - _model.Released, 0, _setting.Capacity), _ring.Backlog);
        foreach (Attached stage in _stages)
            Assert.Equal(Math.Clamp(published - stage.Model.Position, 0, _setting.Capacity), stage.Stage.Lag);
        SyncOrder();
    }

    /// <summary>Compares everything that can be seen from outside.</summary>
    public void Compare()
    {
        Assert.Equal(_model.State, _ring.State);
        Assert.Equal(_model.Unprocessed, _ring.Unprocessed);
        Assert.Equal(_model.Stages.Count, _ring.Stages.Count);
        foreach (Attached stage in _stages) Assert.Equal(stage.Model.Position, stage.Stage.Position);
        if (_setting.Kind != ProducerKind.Sharded || _model.IsHalted) Look();
        if (!_model.IsHalted) Assert.Equal(_model.ClaimedThrough, _ring.Claims.ClaimedThrough);
        foreach (Handle handle in _handles)
        {
            int remaining = handle.Producer.Remaining;
            if (_model.IsHalted) Assert.InRange(remaining, 0, _setting.Capacity);
            else if (!handle.Model.Disposed) Assert.Equal(_model.Remaining(handle.Model), remaining);
        }
    }

    /// <summary>Ends what is open, handles what is left, and compares the counts.</summary>
    public void Finish()
    {
        while (_claims.Count > 0) End(0, int.MaxValue);
        for (bool progressed = true; progressed && !_model.IsHalted;)
        {
            progressed = false;
            for (int i = 0; i < _stages.Count; i++)
            {
                long before = _stages[i].Model.Position;
                Step(i, 0);
                progressed |= _stages[i].Model.Position != before;
            }
        }

        Drain();
        Compare();
        foreach (Attached stage in _stages)
        {
            StageStatistics seen = stage.Stage.GetStatistics();
            Assert.Equal(
                (stage.Model.Items, stage.Model.Tombstones, stage.Model.Batches, stage.Model.Faults, 0L),
                (seen.Items, seen.Tombstones, seen.Batches, seen.Faults, seen.Skipped));
        }

        if (!_model.IsHalted) Halt();
    }
}
