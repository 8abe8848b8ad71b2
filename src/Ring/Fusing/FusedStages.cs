using System.Runtime.ExceptionServices;

namespace Raceway.Rings;

/// <summary>Several stages as one: stepped one after another over each batch, on one thread.</summary>
/// <remarks>
/// While one of them awaits those behind it rest; while one waits for the time of a retry, those that do not follow it go
/// on. The order of events at each stage is the same as with a thread for each. When the ring ends, they all end together, once no
/// call of theirs is open.
/// </remarks>
internal sealed class FusedStages : Steppable
{
    // What goes through all stages together: enough items to amortise the calls, few enough to stay in the nearest cache.
    private const int QuantumBytes = 32 * 1024;
    private const int LeastQuantum = 256;
    private const int MostQuantum = 4096;

    private readonly Stage[] _stages;
    private readonly int _quantum;
    private Stage? _pending;

    /// <param name="stages">In an order in which every stage comes after its upstream.</param>
    public FusedStages(IReadOnlyList<Stage> stages)
    {
        _stages = [.. stages];
        _quantum = QuantumOf(_stages);
    }

    /// <summary>The most items that go through <paramref name="stages"/> at a time, but for a stage that asks for more.</summary>
    internal static int QuantumOf(Stage[] stages)
    {
        // One that takes all is brought what waits by those before it.
        if (Array.Exists(stages, static stage => stage.TakesAll)) return int.MaxValue;
        return Math.Clamp(QuantumBytes / stages.Max(static stage => stage.SlotBytes), LeastQuantum, MostQuantum);
    }

    /// <summary>The fewest items that a driver of <paramref name="stages"/> should allow a step.</summary>
    /// <remarks>Asked for before each step by the pool: it allocates nothing.</remarks>
    internal static int LeastStepOf(Stage[] stages)
    {
        int least = 1;
        foreach (Stage stage in stages) least = Math.Max(least, stage.LeastStep);
        return least;
    }

    /// <summary>What one thread waits for that steps <paramref name="stages"/>, and has found nothing to do.</summary>
    internal static WaitTarget NearestOf(Stage[] stages)
    {
        // What comes from outside is what producers publish: the nearest that any of those stages waits for.
        // And the earliest look at the ring's state counts: what changed after it, one of them has not seen.
        WaitTarget? nearest = null;
        long deadline = Clock.Never;
        long seen = long.MaxValue;
        foreach (Stage stage in stages)
        {
            if (stage.IsLeaving) continue;
            WaitTarget target = stage.NextTarget();
            deadline = Math.Min(deadline, target.Deadline);
            seen = Math.Min(seen, target.ControlSeen);
            if (stage.LeadsChain && (nearest is not { } other || target.Awaited < other.Awaited)) nearest = target;
        }

        return (nearest ?? stages[0].NextTarget()) with { Deadline = deadline, ControlSeen = seen };
    }

    internal override Ring Owner => _stages[0].Owner;

    internal override bool LeadsChain => _stages[0].LeadsChain;

    internal override bool MarksContext => Array.Exists(_stages, static stage => stage.MarksContext);

    internal override bool HasIdleHook => Array.Exists(_stages, static stage => stage.HasIdleHook);

    internal override StepResult StepOnce(int quantum = int.MaxValue)
    {
        _pending = null;
        bool more = false;
        bool progressed = false;
        bool rests = false;
        bool stopped = false;
        int count = 0;
        for (int i = 0; i < _stages.Length; i++)
        {
            StepResult result = StepStage(_stages[i], quantum);
            if (i == 0) count = result.Count;
            more |= result.More;
            progressed |= result.Kind == StepKind.Progressed;
            if (result.Kind == StepKind.Stopped)
            {
                stopped |= !_stages[i].IsLeaving || !TryEnd(_stages[i]);
            }

            if (result.Kind != StepKind.Pending) continue;
            // Time is waited for together with anything else; a completion is waited for alone.
            rests = true;
            if (_stages[i].State.Pause.EndsByTime) continue;
            _pending = _stages[i];
            break;
        }

        // The slots of an open call are its task's, also of a stage behind the one that has seen the end.
        if (stopped) return _pending is null ? StepResult.Stopped : StepResult.Pending;
        if (progressed) return new StepResult(StepKind.Progressed, count, more);
        if (rests) return StepResult.Pending;
        return Array.TrueForAll(_stages, stage => stage.IsLeaving) ? StepResult.Stopped : StepResult.Idle;
    }

    // A stop hook that throws ends the ring, and so the others: behind the calls that are open.
    private bool TryEnd(Stage stage)
    {
        try
        {
            stage.End();
            return true;
        }
        catch (Exception fault)
        {
            Owner.Fail(fault, stage);
            return false;
        }
    }

    internal override int LeastStep => LeastStepOf(_stages);

    // A stage that asks for more at a time is given it.
    private StepResult StepStage(Stage stage, int quantum) =>
        stage.StepOnce(Math.Min(quantum, Math.Max(_quantum, stage.LeastStep)));

    internal override WaitTarget NextTarget() => _pending?.NextTarget() ?? NearestOf(_stages);

    // One thread for all: the first stage speaks for it, as it does for the wait.
    internal override void PlaceThread()
    {
        _stages[0].PlaceThread();
        string reason = $"it shares the thread of stage '{_stages[0].Name}', and that stage's processors count";
        foreach (Stage stage in _stages.AsSpan(1)) stage.CannotPlace(reason);
    }

    internal override void CannotPlace(string reason)
    {
        foreach (Stage stage in _stages) stage.CannotPlace(reason);
    }

    internal override void Begin()
    {
        int begun = 0;
        try
        {
            for (; begun < _stages.Length; begun++)
                if (!_stages[begun].IsLeaving) _stages[begun].Begin();
        }
        catch
        {
            EndBackwards(begun - 1);
            throw;
        }
    }

    internal override void End()
    {
        if (EndBackwards(_stages.Length - 1) is { } fault) ExceptionDispatchInfo.Throw(fault);
    }

    internal override void LeaveAll()
    {
        foreach (Stage stage in _stages) stage.Leave();
    }

    // Every stop hook runs, whatever the others do; the first fault is the one told.
    private Exception? EndBackwards(int from)
    {
        Exception? first = null;
        for (int i = from; i >= 0; i--)
        {
            try
            {
                _stages[i].End();
            }
            catch (Exception fault)
            {
                first ??= fault;
            }
        }

        return first;
    }

    internal override void Attend(Waiting waiting, bool inGroup = false)
    {
        foreach (Stage stage in _stages) stage.Attend(waiting, inGroup);
    }
}
