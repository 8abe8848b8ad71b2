using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>A pipeline that has been built, and by what.</summary>
internal sealed class BuiltPipeline<T>(Pipeline<T> pipeline, HostedPipelineOptions options)
{
    private readonly (Stage Stage, Dispatch Defined)[] _stages = [.. pipeline.Stages.Select(stage => (stage, stage.Dispatch))];
    private volatile HostedPipelineOptions _options = options;

    public Pipeline<T> Pipeline => pipeline;

    public HostedPipelineOptions Options { get => _options; set => _options = value; }

    /// <summary>What each stage is called by, as the definition and <paramref name="options"/> say together; null where that is
    /// wrong.</summary>
    public IReadOnlyList<Dispatch?> DispatchesBy(HostedPipelineOptions options, string name, List<string> problems)
    {
        string path = $"{ConfigurationReader.PathOf(name)}:{nameof(options.Stages)}";
        foreach (string unknown in options.Stages.Keys.Where(key => !_stages.Any(known => IsOf(key, known.Stage))))
            problems.Add(HostingErrors.UnknownStage($"{path}:{unknown}", unknown, _stages.Select(known => known.Stage.Name)));
        return [.. _stages.Select(known =>
            options.Stages.TryGetValue(known.Stage.Name, out StageDispatchOptions? dispatch)
                ? dispatch.Over(known.Defined, $"{path}:{known.Stage.Name}", problems)
                : known.Defined)];
    }

    /// <summary>Whether a pipeline of another capacity could be built the next time.</summary>
    /// <param name="capacity">The capacity asked for.</param>
    /// <param name="dispatches">What <see cref="DispatchesBy"/> has found.</param>
    /// <param name="name">The pipeline's.</param>
    /// <param name="problems">What is wrong with it.</param>
    public void CheckCapacity(int capacity, IReadOnlyList<Dispatch?> dispatches, string name, List<string> problems)
    {
        try
        {
            pipeline.Ring.Options.Validate(capacity);
            for (int i = 0; i < _stages.Length; i++)
                if (_stages[i].Stage.Ring == pipeline.Ring) dispatches[i]?.CheckAgainst(capacity);
        }
        catch (ArgumentException problem)
        {
            problems.Add(HostingErrors.At($"{ConfigurationReader.PathOf(name)}:{nameof(_options.Capacity)}", problem));
        }
    }

    /// <summary>Sets what differs: all of it, or where a stage refuses its own nothing.</summary>
    /// <returns>The stages that have changed.</returns>
    public IReadOnlyList<Stage> Apply(IReadOnlyList<Dispatch?> dispatches, List<string> problems)
    {
        List<(Stage Stage, Dispatch Before)> changed = [];
        for (int i = 0; i < _stages.Length; i++)
        {
            Stage stage = _stages[i].Stage;
            Dispatch before = stage.Dispatch;
            if (dispatches[i] is not { } dispatch || before == dispatch) continue;
            try
            {
                stage.Dispatch = dispatch;
                changed.Add((stage, before));
            }
            catch (ArgumentException problem)
            {
                problems.Add(HostingErrors.At(stage.Name, problem));
            }
        }

        if (problems.Count == 0) return [.. changed.Select(change => change.Stage)];
        foreach ((Stage stage, Dispatch before) in changed) stage.Dispatch = before;
        return [];
    }

    private static bool IsOf(string key, Stage stage) => key.Equals(stage.Name, StringComparison.OrdinalIgnoreCase);
}
