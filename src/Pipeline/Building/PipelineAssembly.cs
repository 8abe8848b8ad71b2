using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Makes a pipeline of a definition: checks it, builds the rings, attaches the stages, and groups those that are driven
/// together.</summary>
internal sealed class PipelineAssembly
{
    private readonly PlanChoice _choice;
    private readonly StageGraph _graph;
    private readonly List<string> _problems;
    private readonly Dictionary<string, Stage> _stages = new(StringComparer.Ordinal);
    private readonly List<LinkedRing> _rings = [];
    private readonly PipelineNodes _nodes = new();

    private PipelineAssembly(PlanChoice choice, StageGraph graph, List<string> problems)
    {
        _choice = choice;
        _graph = graph;
        _problems = problems;
    }

    /// <exception cref="PipelineBuildException">The definition is wrong; the message has all problems.</exception>
    public static Pipeline<TSource> Build<TSource>(PipelineDefinition definition, Column<TSource> source, Plan plan)
    {
        List<string> problems = [.. definition.Problems];
        if (!Enum.IsDefined(plan))
            problems.Add($"A plan must be one of {string.Join(", ", Enum.GetNames<Plan>())}: plan={plan}. Use one of them.");
        StageGraph graph = StageGraph.Of(definition.Stages, problems);
        foreach (StageDefinition stage in definition.Stages) Collect(problems, () => stage.Reads.Check(stage));
        CheckStateless(definition.Stages, problems);
        PlanChoice choice = PlanChoice.Of(plan, definition.Stages, source.Options.Wait);
        object? gate = choice.Plan == Plan.RingPerStage ? new object() : null;
        Dictionary<Segment, Ring> first = [];
        IEnumerable<Segment> segments = definition.Stages.Select(stage => stage.Segment)
            .Concat(definition.Stages.Select(stage => stage.Feeds).OfType<Segment>());
        foreach (Segment segment in segments.Prepend(source.Segment).Distinct())
        {
            RingOptions? options = segment.Feeders.Count == 0 ? null : source.Options;
            Collect(problems, () => first.Add(segment, segment.Main.CreateRing(options, segment.Feeders.Count, gate)));
        }

        if (problems.Count > 0) throw new PipelineBuildException(problems);
        var assembly = new PipelineAssembly(choice, graph, problems);
        assembly.Assemble(first, source.Options, gate);
        foreach ((string name, string[] stages, IReadOnlyList<RouterOutput> selection) in graph.Nodes)
            assembly._nodes.Nodes.Add(name, (stages, selection));
        if (problems.Count > 0) throw new PipelineBuildException(problems);
        return new Pipeline<TSource>(new LinkedRings(assembly._rings), choice, assembly._stages, assembly._nodes);
    }

    private static void CheckStateless(IReadOnlyList<StageDefinition> stages, List<string> problems)
    {
        var wrong = stages.Where(static stage => stage.Options.IsStateless && stage.OneThreadBecause is not null)
            .Select(static stage => (Name: stage.Group?.Name ?? stage.Name, Why: stage.OneThreadBecause)).Distinct();
        foreach ((string name, string? why) in wrong)
            problems.Add($"A stage cannot be stateless where {why}: stage='{name}', IsStateless=true. Leave it out.");
    }

    private void Assemble(Dictionary<Segment, Ring> first, RingOptions source, object? gate)
    {
        List<Section> sections = Section.Of(_graph, _choice.Plan == Plan.RingPerStage);
        Dictionary<Section, LinkedRing> rings = [];
        foreach (Section section in sections)
        {
            Section? before = sections.Find(other => other.Next == section);
            IEnumerable<Section> feeding = before is not null
                ? [before]
                : sections.Where(other => other.Stages.Exists(stage => stage.Feeds == section.Segment));
            Ring ring = before is null ? first[section.Segment] : section.Main.CreateRing(source, 1, gate);
            var linked = new LinkedRing(ring, section.Segment, [.. feeding.Select(other => rings[other])])
            {
                Context = new RingContext(ring, section.Main, first, _nodes),
            };
            rings.Add(section, linked);
            _rings.Add(linked);
        }

        foreach (Section section in sections)
        {
            RingContext context = rings[section].Context;
            List<Stage> stages = Attach(section, context);
            if (_problems.Count > 0) continue;
            if (section.Next is { } next)
            {
                rings[section].Link = Link(section, stages[^1], context, rings[next].Ring);
                stages = [stages[^1], rings[section].Link!];
            }

            if (section.Next is not null || _choice.Plan == Plan.Fused) DriveTogether(section, context.Ring, stages);
            if (_choice.StepsTogether)
                context.Ring.StepTogether([.. section.Stages.Where(stage => !WaitsForItsUser(stage)).Select(stage => _stages[stage.Name])]);
        }
    }

    private List<Stage> Attach(Section section, RingContext context)
    {
        List<Stage> attached = [];
        foreach (StageDefinition definition in section.Stages)
        {
            // A stage that failed to attach has its problem; those that follow it must not add a second one.
            StageOptions options = OptionsOf(definition, definition == section.Cut) with
            {
                After = [.. attached.Where(stage => _graph.Upstream[definition.Name].Contains(stage.Name))],
            };
            Collect(_problems, () =>
            {
                Stage stage = definition.Attach(context, context.InputOf(definition, _graph.Selections[definition.Name]), options);
                attached.Add(stage);
                _nodes.Add(definition, stage, context);
                _stages.Add(definition.Name, stage);
            });
        }

        return attached;
    }

    private static Stage Link(Section section, Stage cut, RingContext context, Ring next) =>
        section.Next!.Main.Link(context, next, new StageOptions { Name = $"{cut.Name} →", After = [cut], InGroup = true });

    private static void DriveTogether(Section section, Ring ring, List<Stage> stages)
    {
        // A thread is the cut stage's, or that of all.
        StageDefinition waits = section.Cut ?? section.Stages[0];
        string name = section.Cut?.Name ?? string.Join('+', stages.Select(stage => stage.Name));
        stages = stages.FindAll(stage => stage.Options.InGroup);
        if (stages.Count == 0) return;
        ring.DriveTogether(new FusedStages(stages), waits.Options.Wait, name);
    }

    private StageOptions OptionsOf(StageDefinition stage, bool isCut) => stage.Final with
    {
        Name = stage.Name,
        Drive = _choice.Plan == Plan.Manual || stage.IsPolled ? Drive.Caller : Drive.OwnThread,
        InGroup = (isCut || _choice.Plan == Plan.Fused) && !WaitsForItsUser(stage),
        Wait = _choice.PoolWait ?? stage.Options.Wait,
    };

    // A group waits for one thing: what comes from the user's own thread must not be a second one.
    private bool WaitsForItsUser(StageDefinition stage) =>
        stage.IsPolled || _graph.Ordered.Any(other => other.IsPolled && _graph.Follows(stage.Name, other.Name));

    /// <summary>Runs <paramref name="attempt"/>; what is wrong with its arguments is a problem more.</summary>
    public static void Collect(List<string> problems, Action attempt)
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
}
