using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>A pipeline on the test's own thread: the same seed and the same calls give the same run, to the last step.</summary>
/// <remarks>
/// <para><b>Threads</b>: one, the test's. Handlers run on it. What a handler awaits should end by the virtual time or by the
/// test: then it goes on at once, on the same thread. What ends on another thread is waited for, but not repeatable.</para>
/// <para><b>Time</b> stands. <see cref="Advance"/>, <see cref="Settle"/> and <see cref="Drain"/> move it from one due time to the
/// next. Nothing sleeps for it.</para>
/// <para><b>Slots</b> are spoiled once every stage has passed them (<see cref="HarnessOptions{T}.Poison"/>). A handler that
/// writes to an item that it was not given is found at that step, in a ring with one producer and at most 1,024 slots.</para>
/// <para><b>Errors</b>: <see cref="ContractException"/> with the rule, what was found, and a remedy.</para>
/// </remarks>
/// <typeparam name="T">What producers publish.</typeparam>
/// <example>
/// <code>
/// using PipelineHarness&lt;Payment> harness = PipelineHarness.Run(Define(accounts), new() { Seed = 3 });
/// harness.Stall("book");
/// harness.Source.Send(payment);
/// harness.RunUntilIdle();
/// Assert.Empty(accounts.Booked);
/// harness.Resume("book");
/// harness.Finish();
/// Assert.Single(accounts.Booked);
/// </code>
/// </example>
public sealed partial class PipelineHarness<T> : IDisposable
{
    private readonly HarnessOptions<T> _options;
    private readonly SeededRounds _rounds;
    private readonly ReleasedSlots<T> _released;
    private readonly SlotGuard<T> _guard;
    private readonly List<TraceEntry> _trace = [];
    private readonly HashSet<Stage> _stalled = [];
    private readonly HashSet<Stage> _polled = [];
    private readonly Dictionary<Stage, StepKind> _last = [];
    private readonly Dictionary<Stage, long> _tries = [];
    private readonly HashSet<Stage> _retrying = [];
    // Calls at once, and calls with time in between, are counted apart.
    private readonly VainCalls _vainTries;
    private readonly VainCalls _vainWakes;
    private IReadOnlyList<Stage> _stages;

    internal PipelineHarness(Pipeline<T> pipeline, HarnessOptions<T> options, VirtualTime time)
    {
        Pipeline = pipeline;
        Time = time;
        _options = options;
        _stages = pipeline.Stages;
        _rounds = new SeededRounds(options.Seed, options.InOrder, options.MostPerStep, options.StallChance);
        _released = new ReleasedSlots<T>(pipeline.Ring, options.Poison);
        _guard = new SlotGuard<T>(pipeline.Ring);
        _vainTries = new VainCalls(MostVainTries, options.Limit / 10);
        _vainWakes = new VainCalls(MostVainWakes, options.Limit / 10);
        Source = new SourceProbe<T>(this);
        pipeline.StartAsync().GetAwaiter().GetResult();
    }

    /// <summary>The pipeline.</summary>
    public Pipeline<T> Pipeline { get; }

    /// <summary>Its time.</summary>
    public VirtualTime Time { get; }

    /// <summary>Publishes into it, and steps it where there is no room.</summary>
    public SourceProbe<T> Source { get; }

    /// <summary>What has happened so far.</summary>
    public IReadOnlyList<TraceEntry> Trace => _trace;

    /// <summary>Takes items out at a poller of the definition (<c>Poller("name")</c>), as many as the test asks for.</summary>
    /// <param name="name">Of the poller.</param>
    /// <typeparam name="TItem">What it polls.</typeparam>
    /// <exception cref="KeyNotFoundException">There is none of that name and type.</exception>
    public SinkProbe<TItem> Sink<TItem>(string name)
    {
        Poller<TItem> poller = Pipeline.GetPoller<TItem>(name);
        _polled.Add(poller.Stage);
        return new SinkProbe<TItem>(poller, GoOn, () => Pipeline.Ring.IsClosed && EndIsUnderWay(), _options.Limit, name);

        bool GoOn()
        {
            _released.Spoil();
            return Round();
        }
    }

    /// <summary>Steps one stage once.</summary>
    /// <param name="stage">Its name.</param>
    /// <param name="most">The most items that it is given.</param>
    /// <exception cref="KeyNotFoundException">There is no such stage.</exception>
    public StepResult Step(string stage, int most = int.MaxValue) => Step(Pipeline[stage], most);

    /// <summary>Steps all stages, in an order drawn by the seed, until none finds anything to do.</summary>
    /// <exception cref="ContractException">A handler is retried again and again, and never goes on.</exception>
    public void RunUntilIdle()
    {
        while (Round())
        {
        }
    }

    /// <summary>Leaves a stage out until <see cref="Resume"/>: as if its thread were held up.</summary>
    /// <param name="stage">Its name.</param>
    /// <exception cref="KeyNotFoundException">There is no such stage.</exception>
    public void Stall(string stage) => _stalled.Add(Pipeline[stage]);

    /// <summary>Steps it again.</summary>
    /// <param name="stage">Its name.</param>
    /// <exception cref="KeyNotFoundException">There is no such stage.</exception>
    public void Resume(string stage) => _stalled.Remove(Pipeline[stage]);

    /// <summary>Looks whether anything holds the object of a slot that every stage has passed.</summary>
    /// <remarks>For slots that own their objects (<see cref="RingOptions{T}.CreateSlot"/>). <b>Cost</b>: a garbage collection.</remarks>
    /// <exception cref="ContractException">A handler has kept one.</exception>
    public void CheckSlots()
    {
        _released.Spoil();
        if (_released.FindKept() is not { } kept) return;
        throw Breach(
            "No handler may keep the object of a slot: the next lap fills it anew.",
            $"{kept.Count} of them {(kept.Count == 1 ? "is" : "are")} still held, first that of sequence {kept.Sequence}",
            "Copy what you need out of the object before the handler returns.");
    }

    /// <summary>Disposes of the pipeline without a drain.</summary>
    public void Dispose()
    {
        using NoContext none = NoContext.Enter();
        // A call that never ends is not waited for any longer.
        Pipeline.DisposeAsync().AsTask().Wait(_options.Limit);
    }

    /// <summary>Before a producer writes: what a poller has released is spoiled first.</summary>
    internal void BeforePublishing() => _released.Spoil();

    internal void Note(string what, long sequence, int count) => _trace.Add(new TraceEntry(Time.Elapsed, what, sequence, count));

    internal ContractException Breach(string rule, string found, string remedy) =>
        new(rule, found, $"a pipeline by seed {_options.Seed}, at {Time.Elapsed:c}", remedy);

    /// <summary>For a producer without room: whether anything has gone on.</summary>
    internal bool MakeRoom() => Round() || (_options.MovesTimeForRoom && TryMoveToNextDue());

    /// <summary>Steps each stage once; whether any found something to do.</summary>
    internal bool Round()
    {
        Refresh();
        if (StepAll()) return true;
        // Those that the seed has left out may have something.
        return _rounds.EndStalls() && StepAll();
    }

    private bool StepAll()
    {
        bool progressed = false;
        foreach ((int index, int most) in _rounds.Current(_stages.Count))
        {
            Stage stage = _stages[index];
            if (_stalled.Contains(stage) || _polled.Contains(stage)) continue;
            // A smaller step would cut a batch below its minimum, as no driver of a running pipeline does.
            progressed |= Step(stage, Math.Max(most, stage.Dispatch.Min)).Kind == StepKind.Progressed;
        }

        if (progressed) _rounds.Next();
        return progressed;
    }

    private StepResult Step(Stage stage, int most)
    {
        long before = stage.Position;
        bool isGuarded = stage.Ring == Pipeline.Ring;
        if (isGuarded) _guard.Remember(_released.Through);
        StepResult result;
        using (NoContext.Enter()) result = stage.Step(most);
        StepKind last = _last.GetValueOrDefault(stage, StepKind.Idle);
        _last[stage] = result.Kind;
        NoteRetry(stage, result.Kind);
        if (result.Kind == StepKind.Progressed && stage.Position == before) CountTry(stage);
        if (result.Kind == StepKind.Progressed) Note(stage.Name, stage.Position, result.Count);
        // Without an item before it, it is being ended by the ring at this moment: that is not repeatable.
        else if (result.Kind == StepKind.Pending && last != StepKind.Pending && stage.Lag > 0) Note($"{stage.Name} waits", stage.Position, 0);
        long lastGiven = most > long.MaxValue - before ? long.MaxValue : before + most;
        if (isGuarded && _guard.FindChanged(before + 1, lastGiven) is { } changed)
        {
            throw Breach(
                "A handler writes only to the items that it is given.",
                $"'{stage.Name}' was given {before + 1}..{lastGiven} and has changed the item of sequence {changed}",
                "Carry what belongs to other items in a field of the handler.");
        }

        _released.Spoil();
        return result;
    }

    // A stage waits for a retry from the step with its fault on, until it is not pending any more. Else a call is open.
    private void NoteRetry(Stage stage, StepKind kind)
    {
        if (kind != StepKind.Pending)
        {
            _retrying.Remove(stage);
            return;
        }

        StageStatistics statistics = stage.GetStatistics();
        long tries = statistics.Faults + statistics.Retries;
        if (tries > _tries.GetValueOrDefault(stage)) _retrying.Add(stage);
        _tries[stage] = tries;
    }

    // Stages may have joined or left.
    private void Refresh()
    {
        IReadOnlyList<Stage> stages = Pipeline.Stages;
        if (!stages.SequenceEqual(_stages)) _stages = stages;
    }
}
