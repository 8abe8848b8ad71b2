using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>What a pipeline is built from, without a type: its stages know their columns, and how to attach themselves.</summary>
/// <remarks>The builders are typed views on one of these, one for each column.</remarks>
internal sealed class PipelineDefinition
{
    // An output is written down in a byte, and each costs a store every 64 items.
    private const int MostBeside = 128;

    private readonly List<StageDefinition> _stages = [];

    public IReadOnlyList<StageDefinition> Stages => _stages;

    /// <summary>What was wrong where something was added, to be reported with everything else when it is built.</summary>
    public List<string> Problems { get; } = [];

    /// <summary>What happens when a stage throws that does not say otherwise.</summary>
    public FaultPolicy OnFault { get; set; } = FaultPolicy.Stop;

    /// <summary>Takes over what another definition has, as it is now.</summary>
    public void Take(PipelineDefinition source)
    {
        foreach (StageDefinition stage in source.Stages) Add(stage);
        Problems.AddRange(source.Problems);
    }

    /// <summary>Makes <paramref name="settings"/> the definition's own.</summary>
    /// <exception cref="PipelineBuildException">They name a stage that is not there.</exception>
    public void Apply<TSource>(PipelineSettings settings, Column<TSource> source)
    {
        ArgumentNullException.ThrowIfNull(settings.DispatchOf, nameof(settings.DispatchOf));
        string[] unknown = [.. settings.DispatchOf.Keys.Except(_stages.Select(static stage => stage.Name))];
        if (unknown.Length > 0)
        {
            throw new PipelineBuildException(
            [
                $"Settings must name stages of the definition: DispatchOf={string.Join(", ", unknown)}. "
                + $"Use {string.Join(", ", _stages.Select(static stage => stage.Name))}.",
            ]);
        }

        source.Segment.Capacity = settings.Capacity ?? source.Segment.Capacity;
        RingOptions<TSource> ring = source.Options;
        source.Options = ring with
        {
            Wait = settings.Wait ?? ring.Wait,
            ProducerWait = settings.Wait ?? ring.ProducerWait,
            Padding = settings.Padding ?? ring.Padding,
        };
        for (int i = 0; i < _stages.Count; i++)
        {
            StageOptions options = _stages[i].Options;
            _stages[i].Options = options with
            {
                Dispatch = settings.DispatchOf.GetValueOrDefault(_stages[i].Name) ?? settings.Dispatch ?? options.Dispatch,
                Wait = settings.Wait ?? options.Wait,
                Processors = settings.Processors is { Count: > 0 } all ? [all[i % all.Count]] : settings.Processors ?? options.Processors,
            };
        }
    }

    public void Add(StageDefinition stage)
    {
        _stages.Add(stage);
        stage.Owner ??= this;
        if (stage.Writes is { } column && !column.Writers.Contains(stage)) column.Writers.Add(stage);
        if (stage.Feeds is { } segment && !segment.Feeders.Contains(stage)) segment.Feeders.Add(stage);
    }

    /// <summary>A stage's options. What the builder itself decides must not be said twice.</summary>
    public StageOptions OptionsOf(string name, StageOptions? options)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (options is null) return new StageOptions();
        if (options.Name is not null || options.After is not [] || options.Drive != Drive.OwnThread)
        {
            Problems.Add(
                $"The builder gives a stage its name, what it follows and its driver: stage='{name}', Name='{options.Name}', "
                + $"After={options.After?.Count}, Drive={options.Drive}. Leave them out of its options; use After, or Plan.Manual.");
        }

        return options with { Name = null, After = [], Drive = Drive.OwnThread };
    }

    public StageGroup GroupOf(string name, StageGroupKind kind, int count, string parameter)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return new StageGroup(name, kind, CountOf(count, name, parameter, kind == StageGroupKind.Lanes ? "Lanes" : "Workers"));
    }

    /// <summary>A number in range: what follows is defined all the same, so that all that is wrong is reported at once.</summary>
    public int CountOf(int count, string name, string parameter, string what)
    {
        if (count is >= 1 and <= MostBeside) return count;
        Problems.Add($"{what} must be between 1 and {MostBeside}: name='{name}', {parameter}={count}. Use a number in between.");
        return Math.Clamp(count, 1, MostBeside);
    }
}
