using System.Diagnostics;
using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Suites.BoundedSuite;

/// <summary>One executor in one case.</summary>
internal sealed class BoundedContestant : ScenarioContestant
{
    /// <summary>The highest number of bodies in flight, by its name in the rows.</summary>
    public const string MaxConcurrency = "max-concurrency";

    /// <summary>Time over that of an executor that costs nothing.</summary>
    public const string ToIdeal = "to-ideal";

    private const int CountedItems = 10_000;

    private readonly Executor _run;
    private readonly BoundedWork _work;
    private readonly int _bound;
    private readonly double? _idealSeconds;
    private readonly int[] _some;
    private int[] _rest = [];
    private double _seconds;
    private int _peak;

    public BoundedContestant(string name, Executor run, BoundedWork work, int bound)
        : base(name)
    {
        (_run, _work, _bound) = (run, work, bound);
        _some = [.. work.Items.Take(CountedItems)];
        if (work is DelayedWork delayed) _idealSeconds = delayed.MakespanAt(bound) / 1e3;
    }

    public override string? Note => _peak <= _bound
        ? null
        : string.Create(CultureInfo.InvariantCulture, $"no rival: {_peak} bodies in flight where {_bound} were allowed");

    protected override void Prepare(long operations) =>
        _rest = [.. _work.Items.Take((int)(operations % _work.Items.Length))];

    // All items as often as it takes; then the rest.
    protected override void Work(long operations, CancellationToken cancellation)
    {
        Func<int, CancellationToken, ValueTask> body = _work.AlwaysCounts ? _work.CountedBody : _work.Body;
        long begun = Stopwatch.GetTimestamp();
        for (long i = 0; i < operations / _work.Items.Length; i++) Wait(_run(_work.Items, _bound, body, cancellation));
        if (_rest.Length > 0) Wait(_run(_rest, _bound, body, cancellation));
        _seconds = Stopwatch.GetElapsedTime(begun).TotalSeconds;
    }

    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        bool right = _work.TakeHandled(operations / _work.Items.Length, _rest.Length);
        if (!_work.AlwaysCounts)
        {
            // Beside the timed part: counting costs more than a short body.
            Wait(_run(_some, _bound, _work.CountedBody, CancellationToken.None));
            right &= _work.TakeHandled(0, _some.Length);
        }

        int peak = _work.Peak;
        _peak = Math.Max(_peak, peak);
        further = _idealSeconds is { } ideal
            ? [new Count(MaxConcurrency, "count", peak), new Count(ToIdeal, "ratio", _seconds / ideal)]
            : [new Count(MaxConcurrency, "count", peak)];
        return right && peak <= _bound;
    }

    private static void Wait(Task task) => task.GetAwaiter().GetResult();
}
