using System.Globalization;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Stages that are driven together until it is known what they cost, and apart from then on where that pays.</summary>
/// <remarks>
/// <para>Small stages are best off on one thread: the items stay in its cache, and nobody is woken. Stages that cost more
/// than a hand-over are best off with a thread each. Which of the two they are only a run can tell.</para>
/// <para>Some steps are timed, the fastest counts: a processor taken away in the middle makes a step slow, never fast. An item
/// that takes <see cref="Heavy"/> or more is heavy whatever else is true, and that is decided at once. Anything less is
/// decided after a quarter of a second, when the code has been compiled for good: threads are worth it where an
/// n-th of the time, n the processors or the stages, and a hand-over is clearly below the whole.</para>
/// </remarks>
internal sealed class WatchedStages(IReadOnlyList<Stage> stages, PlanChoice choice) : Steppable
{
    // Nanoseconds.
    private const double Heavy = 2_000;
    private const double HandOver = 50;

    // Enough items for a clock's grain, few enough for an early decision.
    private const int Quantum = 256;
    private const int LeastItems = 16;
    private const int LeastSamples = 4;
    private const int TimedAtFirst = 64;
    private const int Interval = 32;

    private static readonly TimeSpan s_settled = TimeSpan.FromMilliseconds(250);

    private Steppable _driven = new FusedStages(stages);
    private bool _watching = true;
    private double _fastest = double.MaxValue;
    private int _samples;
    private long _steps;
    private long _settledAt;
    private bool _isSettled;

    internal override Ring Owner => _driven.Owner;

    internal override bool LeadsChain => _driven.LeadsChain;

    internal override bool MarksContext => _driven.MarksContext;

    public override StepResult Step(int quantum = int.MaxValue)
    {
        if (!_watching || (++_steps > TimedAtFirst && _steps % Interval != 0)) return _driven.Step(quantum);
        long start = Clock.Now;
        StepResult result = _driven.Step(Math.Min(quantum, Quantum));
        if (result.Kind == StepKind.Progressed && result.Count >= LeastItems) Note(result.Count, start, Clock.Now);
        return result;
    }

    internal override WaitTarget NextTarget() => _driven.NextTarget();

    internal override void PlaceThread() => _driven.PlaceThread();

    internal override void CannotPlace(string reason) => _driven.CannotPlace(reason);

    internal override void Begin() => _driven.Begin();

    internal override void End() => _driven.End();

    internal override void LeaveAll()
    {
        foreach (Stage stage in stages) stage.Leave();
    }

    internal override void Attend(Waiting waiting) => _driven.Attend(waiting);

    private void Note(int count, long start, long end)
    {
        if (_settledAt == 0) _settledAt = Clock.After(start, s_settled);
        if (!_isSettled && end >= _settledAt)
        {
            // What was measured so far may have been code that has been replaced since.
            _isSettled = true;
            _fastest = double.MaxValue;
            _samples = 0;
        }

        _fastest = Math.Min(_fastest, (end - start) * 1e9 / System.Diagnostics.Stopwatch.Frequency / count);
        if (++_samples < LeastSamples) return;
        int ways = Math.Min(Environment.ProcessorCount, stages.Count);
        bool pays = (_fastest / ways) + HandOver < 0.8 * _fastest;
        if (_fastest >= Heavy || (_isSettled && pays)) Part();
        else if (_isSettled) Stay();
    }

    private void Part()
    {
        _watching = false;
        if (!Owner.TryDriveApart([.. stages.Skip(1)])) return;
        _driven = new FusedStages([stages[0]], begun: true);
        choice.Change(
            Plan.SharedRing,
            $"an item takes {Cost} in {stages.Count} stages: a thread each, on {Environment.ProcessorCount} processors");
    }

    private void Stay()
    {
        _watching = false;
        if (choice.Plan == Plan.Fused)
            choice.Change(Plan.Fused, $"an item takes {Cost} in {stages.Count} stages, no more than handing it over would");
    }

    private string Cost => string.Create(CultureInfo.InvariantCulture, $"{_fastest:0} ns");
}
