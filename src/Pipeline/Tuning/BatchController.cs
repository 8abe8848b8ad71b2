using System.Text;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Adjusts the limit of a stage's batches (<see cref="Dispatch.Max"/>) to a goal, while the stage runs.</summary>
/// <remarks>
/// <para>At a low rate, by a timer, it looks at what the stage has counted since the last time, and sets
/// <see cref="Stage.Dispatch"/> where another limit serves the goal better. The stage itself does nothing for it. The limit
/// never leaves the bounds; the minimum of a batch is kept; everything else about the dispatch stays what it is.</para>
/// <para>It looks by the clock of the stage's ring (<see cref="RingOptions.Time"/>). The times that it judges by are those of
/// the stage's driver: of fused stages, those of the group. Stages that <see cref="Plan.Auto"/> steps together are apart from its
/// start on.</para>
/// <para><b>Threads</b>: every member by any thread. It runs on the thread pool. A caller that sets the stage's dispatch at the same time
/// may find it overwritten.</para>
/// <para><b>Life</b>: it ends with the stage, or when it is disposed; the limit then stays as it is.</para>
/// </remarks>
/// <example>
/// <code>
/// using BatchController controller = BatchController.Start(
///     pipeline["book"], BatchGoal.Latency(TimeSpan.FromMilliseconds(5)), new BatchControllerOptions { Max = 512 });
/// await Task.Delay(TimeSpan.FromMinutes(1), cancellation);
/// Console.WriteLine(controller.Dump());  // what it has changed, and why
/// </code>
/// </example>
public sealed class BatchController : IDisposable
{
    private readonly Lock _gate = new();
    private readonly ITunable _stage;
    private readonly BatchGoal _goal;
    private readonly BatchLaw _law;
    private readonly TimeProvider _time;
    private readonly Queue<BatchDecision> _log;
    private readonly int _logLength;
    private readonly ITimer _timer;
    private StageStatistics _seen;
    private BatchDecision? _last;
    private bool _ended;

    internal BatchController(ITunable stage, BatchGoal goal, BatchControllerOptions options)
    {
        options.Validate();
        if (stage.HasEnded)
            throw new InvalidOperationException($"A controller needs a stage that can still run: stage='{stage.Name}' has ended. Start it before.");
        if (options.Max < stage.LeastLimit)
        {
            throw new ArgumentException(
                $"The upper bound must not be below the minimum of the stage's batches: max={options.Max}, min={stage.LeastLimit}. "
                + "Raise the bound, or lower Dispatch.Min.",
                nameof(options));
        }

        _stage = stage;
        _goal = goal;
        _law = goal.CreateLaw(options.Min, options.Max);
        _time = stage.Time;
        _logLength = options.LogLength;
        _log = new Queue<BatchDecision>(Math.Min(_logLength, 64));
        _seen = stage.GetStatistics();
        _timer = _time.CreateTimer(
            static controller => ((BatchController)controller!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        // Only now: a look may dispose of the timer.
        _timer.Change(options.Period, options.Period);
    }

    /// <summary>Whether it has ended, with its stage or by being disposed.</summary>
    public bool HasEnded
    {
        get
        {
            lock (_gate) return _ended;
        }
    }

    /// <summary>The last decisions, oldest first. The same one made again and again is one.</summary>
    public IReadOnlyList<BatchDecision> Decisions
    {
        get
        {
            lock (_gate) return _last is null ? [] : [.. _log, _last];
        }
    }

    /// <summary>Begins to adjust the batches of <paramref name="stage"/>.</summary>
    /// <param name="stage">A stage that is driven by a thread or the pool, with batches (dispatch <c>Each</c> or <c>Batch</c>).</param>
    /// <param name="goal">What for.</param>
    /// <param name="options">Bounds and period; null for the defaults.</param>
    /// <exception cref="ArgumentException">
    /// The bounds contradict each other or the stage's minimum, or the stage is stepped by its caller or dispatched one by one.
    /// </exception>
    /// <exception cref="InvalidOperationException">The stage has ended.</exception>
    public static BatchController Start(Stage stage, BatchGoal goal, BatchControllerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(stage);
        ArgumentNullException.ThrowIfNull(goal);
        var controller = new BatchController(new TunableStage(stage), goal, options ?? new BatchControllerOptions());
        stage.Ring.KeepApart(stage);
        return controller;
    }

    /// <summary>Looks no more. A decision under way is made first. Idempotent.</summary>
    public void Dispose()
    {
        lock (_gate) _ended = true;
        _timer.Dispose();
    }

    /// <summary>The goal, the limit and the decisions, a line each.</summary>
    public string Dump()
    {
        var text = new StringBuilder($"stage {_stage.Name}: limit {_stage.Limit}, for {_goal}\n");
        foreach (BatchDecision decision in Decisions) text.Append("  ").Append(decision).Append('\n');
        return text.ToString();
    }

    /// <inheritdoc cref="Dump"/>
    public override string ToString() => $"stage {_stage.Name}: limit {_stage.Limit}, for {_goal}";

    /// <summary>One look. The timer's calls may overlap where the machine is held up: then one is left out.</summary>
    internal void Look()
    {
        if (!_gate.TryEnter()) return;
        try
        {
            if (_ended) return;
            StageStatistics now = _stage.GetStatistics();
            var sample = new BatchSample(
                now.Items - _seen.Items,
                now.Batches - _seen.Batches,
                now.CloseReasons[(int)CloseReason.Full] - _seen.CloseReasons[(int)CloseReason.Full],
                now.Working - _seen.Working);
            _seen = now;
            int from = _stage.Limit;
            if (_stage.HasEnded)
            {
                Log(sample, from, from, "the stage has ended");
                _ended = true;
                _timer.Dispose();
                return;
            }

            if (!_stage.HasBatches)
            {
                Log(sample, from, from, "dispatched one by one: there are no batches");
                return;
            }

            (int to, string reason) = _law.Decide(from, sample);
            if (to < _stage.LeastLimit) (to, reason) = (_stage.LeastLimit, reason + ", down to the minimum of a batch");
            if (to != from) _stage.Limit = to;
            Log(sample, from, to, reason);
        }
        finally
        {
            _gate.Exit();
        }
    }

    private void Log(in BatchSample sample, int from, int to, string reason)
    {
        var decision = new BatchDecision(_time.GetUtcNow(), sample.BatchTime, sample.Rate, sample.MeanBatch, from, to, reason);
        if (_last is { } last)
        {
            if (from == to && last.From == from && last.To == to && last.Reason == reason)
                decision = decision with { Times = last.Times + 1 };
            else
                _log.Enqueue(last);
        }

        while (_log.Count >= _logLength) _log.Dequeue();
        _last = decision;
    }
}
