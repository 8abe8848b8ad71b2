namespace Raceway.Rings;

/// <summary>Several stages as one: stepped one after another over each batch, on one thread.</summary>
/// <remarks>
/// While one of them is pending the others rest, as they would in one function; the order of events at each stage is the
/// same as with a thread for each.
/// </remarks>
internal sealed class FusedStages : Steppable
{
    /// <summary>How many items go through all stages together: few enough to stay in the first-level cache.</summary>
    private const int BatchQuantum = 256;

    private readonly Stage[] _stages;
    private Stage? _pending;

    /// <param name="stages">In an order in which every stage comes after its upstream.</param>
    public FusedStages(IReadOnlyList<Stage> stages) => _stages = [.. stages];

    internal override Ring Owner => _stages[0].Owner;

    internal override bool LeadsChain => _stages[0].LeadsChain;

    public override StepResult Step(int quantum = int.MaxValue)
    {
        _pending = null;
        bool more = false;
        bool progressed = false;
        int count = 0;
        for (int i = 0; i < _stages.Length; i++)
        {
            StepResult result = _stages[i].Step(Math.Min(quantum, BatchQuantum));
            if (i == 0) count = result.Count;
            more |= result.More;
            progressed |= result.Kind == StepKind.Progressed;
            if (result.Kind == StepKind.Stopped && !_stages[i].IsLeaving) return StepResult.Stopped;
            if (result.Kind != StepKind.Pending) continue;
            _pending = _stages[i];
            break;
        }

        if (progressed) return new StepResult(StepKind.Progressed, count, more);
        if (_pending is not null) return StepResult.Pending;
        return Array.TrueForAll(_stages, stage => stage.IsLeaving) ? StepResult.Stopped : StepResult.Idle;
    }

    internal override WaitTarget NextTarget()
    {
        if (_pending is not null) return _pending.NextTarget();
        WaitTarget target = _stages[0].NextTarget();
        long deadline = target.Deadline;
        for (int i = 1; i < _stages.Length; i++) deadline = Math.Min(deadline, _stages[i].NextTarget().Deadline);
        return target with { Deadline = deadline };
    }

    internal override void Begin()
    {
        int begun = 0;
        try
        {
            for (; begun < _stages.Length; begun++) _stages[begun].Begin();
        }
        catch
        {
            while (begun-- > 0) _stages[begun].End();
            throw;
        }
    }

    internal override void End()
    {
        for (int i = _stages.Length - 1; i >= 0; i--) _stages[i].End();
    }

    internal override void LeaveAll()
    {
        foreach (Stage stage in _stages) stage.Leave();
    }

    internal override void Attend(Waiting waiting)
    {
        foreach (Stage stage in _stages) stage.Attend(waiting);
    }
}
