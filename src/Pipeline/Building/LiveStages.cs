using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Attaches stages to a pipeline that has been built.</summary>
internal static class LiveStages
{
    /// <summary>Attaches what <paramref name="define"/> adds, and enters it into <paramref name="stages"/>.</summary>
    public static List<Stage> Attach<T>(
        Action<PipelineBuilder<T, T>> define, IReadOnlyList<LinkedRing> rings, Dictionary<string, Stage> stages, PlanChoice choice,
        PipelineNodes nodes)
    {
        var definition = new PipelineDefinition();
        var source = new Column<T>(new Segment(rings[0].Ring.Capacity), new RingOptions<T>());
        define(new PipelineBuilder<T, T>(definition, source, source));

        List<string> problems = [.. definition.Problems];
        Dictionary<string, string[]> upstream = new(StringComparer.Ordinal);
        Dictionary<string, IReadOnlyList<RouterOutput>> selections = new(StringComparer.Ordinal);
        foreach (StageDefinition stage in definition.Stages)
        {
            string[] named = [.. stage.After.Distinct()];
            string[] after = [.. named.SelectMany(name => nodes.Nodes.TryGetValue(name, out var node) ? node.Stages : [name]).Distinct()];
            selections[stage.Name] = StageGraph.UnionOf(
                [.. named.Select(name => nodes.Nodes.TryGetValue(name, out var node) ? node.Selection : selections.GetValueOrDefault(name, []))]);
            PipelineAssembly.Collect(problems, () => stage.Reads.Check(stage));
            if (string.IsNullOrWhiteSpace(stage.Name)) problems.Add("A stage needs a name: one that is attached has none.");
            if (stage.Routes is not null || stage.Group is not null)
            {
                problems.Add(
                    $"Filters, routes, workers and lanes are defined before the build: stage='{stage.Name}'. Attach "
                    + "stages with a handler, and pollers.");
            }

            if (stage.Reads != source || stage.Writes is not null || stage.Feeds is not null)
            {
                problems.Add(
                    "A stage that is attached reads what producers publish, and writes no other type: "
                    + $"stage='{stage.Name}'. Define maps and expansions before the build.");
            }

            foreach (string unknown in after.Where(name => !stages.ContainsKey(name) && !upstream.ContainsKey(name)))
            {
                problems.Add(
                    $"A stage can only follow a stage of the pipeline: stage='{stage.Name}', after='{unknown}'. "
                    + $"Known: {string.Join(", ", stages.Keys.Concat(upstream.Keys))}.");
            }

            if (stages.ContainsKey(stage.Name) || !upstream.TryAdd(stage.Name, after))
                problems.Add($"A stage's name must be unique: name='{stage.Name}'. Rename one.");
        }

        if (definition.Stages.Count == 0) problems.Add("There must be a stage to attach: stages=0. Add one with Stage(name, handler).");
        if (problems.Count > 0) throw new PipelineBuildException(problems);
        LinkedRing ring = RingOf<T>(upstream, rings, stages, problems);
        if (problems.Count > 0) throw new PipelineBuildException(problems);
        List<Stage> joined = [];
        foreach (StageDefinition stage in definition.Stages)
        {
            var options = stage.Final with
            {
                Name = stage.Name,
                After = [.. upstream[stage.Name].Select(name => stages[name])],
                Drive = choice.Plan == Plan.Manual ? Drive.Caller : Drive.OwnThread,
                Wait = choice.PoolWait ?? stage.Options.Wait,
            };
            StageInput input = ring.Context.InputOf(stage, selections[stage.Name]);
            Stage? attached = null;
            try
            {
                PipelineAssembly.Collect(
                    problems,
                    () => attached = stage.Attach(new RingContext(ring.Ring, source, new Dictionary<Segment, Ring>(), nodes), input, options));
            }
            finally
            {
                // Whatever a kind of the user's own has thrown; its stage may be there all the same.
                if (attached is null) Leave(ring.Ring, [.. joined, .. ring.Ring.Stages.Where(one => one.Name == stage.Name)], nodes);
            }

            if (attached is null) throw new PipelineBuildException(problems);
            stages.Add(stage.Name, attached);
            nodes.Nodes[stage.Name] = ([stage.Name], selections[stage.Name]);
            joined.Add(attached);
        }

        return joined;
    }

    // All of them join, or none: those that have joined before the one that is wrong leave again, the last one first.
    private static void Leave(Ring ring, List<Stage> joined, PipelineNodes nodes)
    {
        foreach (Stage stage in Enumerable.Reverse(joined))
        {
            _ = ring.DetachAsync(stage);
            nodes.Nodes.Remove(stage.Name, out _);
            nodes.Pollers.Remove(stage.Name, out _);
        }
    }

    // The one that the stages followed are of.
    private static LinkedRing RingOf<T>(
        Dictionary<string, string[]> upstream,
        IReadOnlyList<LinkedRing> rings,
        Dictionary<string, Stage> stages,
        List<string> problems)
    {
        IEnumerable<string> after = upstream.Values.SelectMany(names => names);
        Ring[] followed = [.. after.Where(stages.ContainsKey).Select(name => stages[name].Owner).Distinct()];
        bool reads = upstream.Values.Any(names => names.Length == 0);
        LinkedRing ring = followed.Length == 0 ? rings[0] : rings.First(linked => linked.Ring == followed[0]);
        string names = string.Join(", ", upstream.Keys);
        if (followed.Length > 1 || (reads && ring != rings[0]))
        {
            problems.Add(
                $"Stages that are attached together belong to one ring: stages={names}. Attach them one after another, each after "
                + "stages of one ring.");
        }
        else if (ring.Ring.Stages.Any(stage => stage is IMoves))
        {
            problems.Add(
                $"No stage can join a ring that passes its items on: stages={names}. Follow stages of the last ring, or use "
                + "Plan.SharedRing.");
        }
        else if (ring.Ring is not RingBuffer<T>)
        {
            problems.Add(
                $"A stage that is attached reads what producers publish: stages={names}, item={typeof(T).Name}. Follow stages of the "
                + "first segment.");
        }

        return ring;
    }
}
