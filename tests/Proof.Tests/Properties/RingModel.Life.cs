namespace Raceway.Proof.Tests.Properties;

/// <content>Stages and states.</content>
internal sealed partial class RingModel
{
    public string Attach() => IsClosed ? Refused : Done;

    /// <summary>Before the start a stage sees everything that is there; afterwards what is published after it has joined.</summary>
    public StageModel AddStage(int max, IReadOnlyList<StageModel> after)
    {
        long position = !_started ? Released
            : after.Count > 0 ? after.Min(stage => stage.Position)
            : PublishedThrough;
        var stage = new StageModel(max, position, after);
        Stages.Add(stage);
        return stage;
    }

    public string Detach(StageModel stage)
    {
        if (IsClosed || stage.Left || Stages.Exists(other => other.After.Contains(stage)))
            return stage.Left && !IsClosed ? nameof(ArgumentException) : Refused;
        _floor = Released;
        Stages.Remove(stage);
        stage.Left = true;
        return Done;
    }

    /// <summary>A step. What is handled are the items behind the stage's position after it, as many as it says.</summary>
    /// <param name="stage">Which.</param>
    /// <param name="quantum">The most items.</param>
    /// <param name="merged">Sharded: how far the order goes now.</param>
    /// <returns>What it did, how many items it may have handled at most, and whether it is exactly so many.</returns>
    public (StepKind Kind, long Most, bool IsExact, bool IsMore) Step(StageModel stage, int quantum, long merged)
    {
        if (stage.Left || IsHalted) return (StepKind.Stopped, 0, true, false);
        if (stage.Seen <= stage.Position)
        {
            Look(stage, merged);
            if (stage.Seen <= stage.Position) return (StepKind.Idle, 0, true, false);
        }

        if (stage.Throws)
        {
            stage.Faults++;
            return (StepKind.Stopped, 0, true, false);
        }

        long known = stage.Seen - stage.Position;
        long most = Math.Min(known, Math.Min(stage.Max, quantum));
        // A batch of a sharded ring ends with its lane's turn.
        return (StepKind.Progressed, most, Kind != ProducerKind.Sharded, known > most);
    }

    private void Look(StageModel stage, long merged)
    {
        long next = stage.Position + 1;
        bool leads = stage.After.Count == 0;
        long seen = leads ? long.MaxValue : stage.After.Min(other => other.Position);
        while (next <= seen && PlaceOf(next) == Place.Tombstone) next++;
        stage.Tombstones += next - 1 - stage.Position;
        stage.Position = next - 1;
        long end = next - 1;
        if (Kind == ProducerKind.Sharded && leads) seen = merged;
        while (end < seen && PlaceOf(end + 1) == Place.Published) end++;
        stage.Seen = Math.Max(end, next - 1);
    }

    public string TryStart()
    {
        if (_started || _finished) return Refused;
        _started = true;
        if (State == RingState.Created) State = RingState.Running;
        return Done;
    }

    public void Complete()
    {
        if (!IsClosed) State = RingState.Draining;
    }

    public void Halt(bool faulted)
    {
        if (_finished) return;
        (_finished, IsHalted) = (true, true);
        State = faulted ? RingState.Faulted : RingState.Stopped;
        if (Kind == ProducerKind.Sharded) return;
        for (long sequence = Released + 1; sequence - Start < Order.Count; sequence++)
            if (PlaceOf(sequence) == Place.Published) LeftOver.Add(ItemOf(sequence));
        Unprocessed = LeftOver.Count;
        SealedClaims = Math.Min(ClaimedThrough, PublishedThrough);
    }

    /// <summary>Sharded: what is left over is known once the rest is merged.</summary>
    public void LeaveOver()
    {
        for (long sequence = Released + 1; sequence - Start < Order.Count; sequence++) LeftOver.Add(ItemOf(sequence));
        Unprocessed = LeftOver.Count;
        SealedClaims = PublishedThrough;
    }

    private long SealedClaims { get; set; }

    public DrainStatus Drain()
    {
        Complete();
        if (State == RingState.Faulted) return DrainStatus.Faulted;
        if (_finished) return Released >= SealedClaims && Unprocessed == 0 ? DrainStatus.Drained : DrainStatus.Halted;
        return Released >= ClaimedThrough ? DrainStatus.Drained : DrainStatus.TimedOut;
    }

    public void Dispose() => _disposed = true;

    /// <summary>Sharded: one more item has been given a place in the order.</summary>
    public void Merge(long item)
    {
        LaneModel lane = Lanes[(int)(item / Lane)];
        Assert.Equal(lane.Items[lane.Merged], item);
        lane.Merged++;
        Order.Add((item, Place.Published));
    }
}
