using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>The definition of a pipeline: named stages, what each follows, and how each is called.</summary>
/// <remarks>
/// A stage follows the one defined before it, unless <c>after</c> says otherwise: several names join, an empty list reads
/// what producers publish. Nothing runs before <see cref="Run"/>; mistakes are reported there, all at once. A definition may
/// be run more than once; class handlers are then shared by the runs.
/// <para><b>Threads</b>: one at a time.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
public sealed class PipelineBuilder<T>
{
    private readonly int _capacity;
    private readonly List<StageDefinition<T>> _stages = [];
    private RingOptions<T> _options = new();
    private FaultPolicy _onFault = FaultPolicy.Stop;

    internal PipelineBuilder(int capacity) => _capacity = capacity;

    /// <summary>Adds a stage that is called an item at a time.</summary>
    /// <param name="name">Unique; also the name of its thread.</param>
    /// <param name="handler">What it does.</param>
    /// <param name="dispatch">How it is called. Default: <see cref="Dispatch.Batch"/>.</param>
    /// <param name="after">The stages it follows. Default: the one defined before.</param>
    /// <param name="wait">How it waits. Default: as the pipeline does.</param>
    /// <param name="onFault">What happens when it throws. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else.</param>
    public PipelineBuilder<T> Stage(
        string name,
        SlotAction<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(name, after, dispatch, wait, onFault, configure, (slots, options) => slots.Subscribe(handler, options));
    }

    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<T> Stage(
        string name,
        IEventHandler<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(name, after, dispatch, wait, onFault, configure, (slots, options) => slots.Subscribe(handler, options));
    }

    /// <summary>Adds a stage that is called a batch at a time.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<T> Stage(
        string name,
        IBatchHandler<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(name, after, dispatch, wait, onFault, configure, (slots, options) => slots.Subscribe(handler, options));
    }

    /// <summary>Adds a stage whose handler awaits.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<T> Stage(
        string name,
        IAsyncBatchHandler<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(name, after, dispatch, wait, onFault, configure, (slots, options) => slots.Subscribe(handler, options));
    }

    /// <summary>Adds a stage with a struct handler of batches: its calls are direct.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<T> StageOfBatches<THandler>(
        string name,
        THandler handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where THandler : struct, IBatchHandler<T> =>
        Add(name, after, dispatch, wait, onFault, configure, (slots, options) => slots.SubscribeBatches(handler, options));

    /// <summary>Adds a stage with a struct handler of single items: its calls are direct.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<T> StageOfEvents<THandler>(
        string name,
        THandler handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where THandler : struct, IEventHandler<T> =>
        Add(name, after, dispatch, wait, onFault, configure, (slots, options) => slots.SubscribeEvents(handler, options));

    /// <summary>How stages and producers wait that do not say otherwise. Default: <see cref="Wait.Park"/>.</summary>
    public PipelineBuilder<T> WaitWith(Wait wait)
    {
        ArgumentNullException.ThrowIfNull(wait);
        _options = _options with { Wait = wait, ProducerWait = wait };
        return this;
    }

    /// <summary>What happens when a stage throws that does not say otherwise. Default: <see cref="FaultPolicy.Stop"/>.</summary>
    public PipelineBuilder<T> OnFault(FaultPolicy policy)
    {
        ArgumentNullException.ThrowIfNull(policy);
        _onFault = policy;
        return this;
    }

    /// <summary>Lets several threads publish, each through a producer of its own.</summary>
    public PipelineBuilder<T> MultiProducer(int maxProducers = 16)
    {
        _options = _options with { Producers = ProducerKind.Multi, MaxProducers = maxProducers };
        return this;
    }

    /// <summary>
    /// Lets several threads publish, each through a lane of its own (<see cref="ProducerKind.Sharded"/>): at the speed of a
    /// single producer each, with no order between them.
    /// </summary>
    public PipelineBuilder<T> Sharded(int maxProducers = 16)
    {
        _options = _options with { Producers = ProducerKind.Sharded, MaxProducers = maxProducers };
        return this;
    }

    /// <summary>Everything else about the ring: payloads, padding, timeouts, …</summary>
    public PipelineBuilder<T> Configure(Func<RingOptions<T>, RingOptions<T>> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        _options = Configured(configure, _options);
        return this;
    }

    /// <summary>Builds the pipeline, not started. Producers may publish up to the capacity.</summary>
    /// <param name="plan">Who drives the stages.</param>
    /// <exception cref="PipelineBuildException">The definition is wrong; the message has all problems.</exception>
    public Pipeline<T> Build(Plan plan = Plan.SharedRing)
    {
        List<string> problems = [];
        if (!Enum.IsDefined(plan))
            problems.Add($"A plan must be one of {string.Join(", ", Enum.GetNames<Plan>())}: plan={plan}. Use one of them.");
        StageGraph<T> graph = StageGraph<T>.Of(_stages, problems);
        foreach (StageDefinition<T> stage in _stages) Collect(problems, () => stage.Check(_capacity));
        RingBuffer<T>? ring = null;
        Collect(problems, () => ring = new RingBuffer<T>(_capacity, _options));
        if (ring is null || problems.Count > 0) throw new PipelineBuildException(problems);

        var stages = new Dictionary<string, Stage>(StringComparer.Ordinal);
        foreach (StageDefinition<T> stage in graph.Ordered)
        {
            // A stage that failed to attach has its problem; those that follow it must not add a second one.
            StageOptions options = OptionsOf(stage, plan) with
            {
                After = [.. graph.Upstream[stage.Name].Where(stages.ContainsKey).Select(name => stages[name])],
            };
            Collect(problems, () => stages.Add(stage.Name, stage.Attach(ring.Slots, options)));
        }

        if (problems.Count > 0) throw new PipelineBuildException(problems);
        if (plan == Plan.Fused)
        {
            Wait? wait = graph.Ordered[0].Options.Wait;
            ring.DriveTogether(new FusedStages([.. stages.Values]), wait, string.Join('+', stages.Keys));
        }

        return new Pipeline<T>(ring, plan, stages);
    }

    /// <summary><see cref="Build"/>, and start it: returns when every stage's start hook has returned.</summary>
    /// <exception cref="PipelineBuildException">The definition is wrong; the message has all problems.</exception>
    public Pipeline<T> Run(Plan plan = Plan.SharedRing)
    {
        Pipeline<T> pipeline = Build(plan);
        pipeline.Ring.Start();
        return pipeline;
    }

    private static void Collect(List<string> problems, Action attempt)
    {
        try
        {
            attempt();
        }
        catch (ArgumentException problem)
        {
            problems.Add(TextOf(problem));
        }
    }

    // Without the parameter's name and the value once more, which the framework adds and a reader of a list has no use for.
    private static string TextOf(ArgumentException problem)
    {
        int end = problem.Message.IndexOf(" (Parameter '", StringComparison.Ordinal);
        return end < 0 ? problem.Message : problem.Message[..end];
    }

    private static TOptions Configured<TOptions>(Func<TOptions, TOptions> configure, TOptions options) =>
        configure(options) ?? throw new ArgumentException(
            "Options must not be null: configure returned null. Return what it was given, changed by `with`.", nameof(configure));

    private static StageOptions OptionsOf(StageDefinition<T> stage, Plan plan) => stage.Options with
    {
        Name = stage.Name,
        Drive = plan == Plan.Manual ? Drive.Caller : Drive.OwnThread,
        InGroup = plan == Plan.Fused,
    };

    private PipelineBuilder<T> Add(
        string name,
        IReadOnlyList<string>? after,
        Dispatch? dispatch,
        Wait? wait,
        FaultPolicy? onFault,
        Func<StageOptions, StageOptions>? configure,
        Func<Slots<T>, StageOptions, Stage> attach)
    {
        ArgumentNullException.ThrowIfNull(name);
        var options = new StageOptions
        {
            Dispatch = dispatch ?? Dispatch.Batch(),
            Wait = wait,
            OnFault = onFault ?? _onFault,
        };
        _stages.Add(new StageDefinition<T>(name, after, configure is null ? options : Configured(configure, options), attach));
        return this;
    }
}
