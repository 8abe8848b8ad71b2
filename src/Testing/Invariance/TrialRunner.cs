using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>Runs a definition over items, by any way.</summary>
internal sealed class TrialRunner<T, TState>(Func<Trial<T>, TState> define, Func<TState, object?> result, InvarianceOptions options)
{
    private const int MostCapacity = 1 << 16;

    private readonly TimeSpan _limit = options.Limit;

    /// <summary>Runs it, on a thread of its own: a run that hangs is a result as well.</summary>
    public Outcome Run(Way way, IReadOnlyList<T> items)
    {
        Outcome? outcome = null;
        var thread = new Thread(() =>
        {
            try
            {
                outcome = way.Plan == Plan.Manual ? Stepped(way, items) : OnThreads(way, items);
            }
            catch (Exception problem)
            {
                outcome = new Outcome(null, problem);
            }
        })
        { IsBackground = true, Name = "trial" };
        thread.Start();
        return thread.Join(_limit) ? outcome! : new Outcome(null, new TimeoutException($"no end within {_limit.TotalSeconds:0} s"));
    }

    private Outcome Stepped(Way way, IReadOnlyList<T> items)
    {
        (Trial<T> trial, TState state, PipelineHarness<T> harness) = Built(way, trial => PipelineHarness.Run(
            trial.Pipeline,
            new HarnessOptions<T>
            {
                Seed = way.Seed ?? 0, InOrder = way.Seed is null, MostPerStep = way.MostPerStep, StallChance = way.Seed is null ? 0 : 0.2,
                Time = trial.Time, MovesTimeForRoom = true, Limit = _limit / 2,
            }));
        using PipelineHarness<T> ends = harness;
        trial.Built(harness.Pipeline);
        if (!options.SharesHandlers) SharedHandlers.Check(harness.Pipeline.Stages);
        if (way.Dispatch is not null) SetDispatch(harness.Pipeline, way.Dispatch);
        if (way.FaultAt is { } visit) trial.Faults.FailAt(visit);
        if (way.Cut is not null) SendCut(harness, trial, items, way.Cut);
        else Send(harness, trial, items, way);
        harness.Finish(way.ChecksSlots);
        return new Outcome(result(state), null, trial.Faults.Visits, trial.Faults.Thrown);
    }

    private static void SendCut(PipelineHarness<T> harness, Trial<T> trial, IReadOnlyList<T> items, IReadOnlyList<int> cut)
    {
        int at = 0;
        foreach (int size in cut)
        {
            for (int i = 0; i < size; i++) Send(harness, trial, items[at++]);
            harness.Settle();
        }
    }

    private static void Send(PipelineHarness<T> harness, Trial<T> trial, IReadOnlyList<T> items, Way way)
    {
        Random? random = way.Seed is { } seed ? new Random(seed) : null;
        foreach (T item in items)
        {
            Send(harness, trial, item);
            if (random?.Next(2) == 0) harness.Round();
            else if (random is null && !way.Crowds) harness.Settle();
        }
    }

    private static void Send(PipelineHarness<T> harness, Trial<T> trial, T item)
    {
        if (trial.Write is null) harness.Source.Send(item);
        else harness.Source.Send(item, trial.Write);
    }

    private Outcome OnThreads(Way way, IReadOnlyList<T> items)
    {
        (Trial<T> trial, TState state, Pipeline<T> pipeline) =
            Built(way, trial => trial.Pipeline.Configure(static ring => ring with { DrainTimeout = TimeSpan.Zero }).Build(way.Plan));
        trial.Built(pipeline);
        if (way.Dispatch is not null) SetDispatch(pipeline, way.Dispatch);
        using var mover = new TimeMover(trial.Time);
        try
        {
            pipeline.StartAsync().GetAwaiter().GetResult();
            foreach (T item in items)
            {
                if (trial.Write is null) pipeline.Publisher.Publish(item);
                else pipeline.Publisher.Publish(item, trial.Write);
            }

            DrainResult drained = pipeline.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
            if (!drained.IsDrained) throw new InvalidOperationException($"The pipeline has not come to its end: {drained}", drained.Fault);
        }
        finally
        {
            pipeline.DisposeAsync().AsTask().Wait(_limit);
        }

        return new Outcome(result(state), null, trial.Faults.Visits);
    }

    // A definition may need more slots than the way: for its minimum, or for the room of several producers.
    private (Trial<T> Trial, TState State, TBuilt Built) Built<TBuilt>(Way way, Func<Trial<T>, TBuilt> build)
    {
        for (int capacity = way.Capacity; ; capacity *= 2)
        {
            var trial = new Trial<T>(capacity);
            TState state = define(trial);
            try
            {
                return (trial, state, build(trial));
            }
            catch (PipelineBuildException) when (capacity < MostCapacity)
            {
            }
        }
    }

    private static void SetDispatch(Pipeline<T> pipeline, Dispatch dispatch)
    {
        foreach (Stage stage in pipeline.Stages) stage.Dispatch = dispatch;
    }
}
