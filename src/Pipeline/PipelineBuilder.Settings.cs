using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>One definition under given settings.</content>
public sealed partial class PipelineBuilder<TSource, T>
{
    /// <summary>Builds the pipeline under <paramref name="settings"/>, not started.</summary>
    /// <remarks>They become the definition's own: building it again without any keeps them.</remarks>
    /// <param name="settings">What differs from the definition.</param>
    /// <exception cref="PipelineBuildException">The definition, or what the settings make of it, is wrong; the message has all
    /// problems.</exception>
    public Pipeline<TSource> Build(PipelineSettings settings)
    {
        ArgumentNullException.ThrowIfNull(settings);
        Apply(settings);
        return Build(settings.Plan);
    }

    /// <summary><see cref="Build(PipelineSettings)"/>, and start it: returns when every stage's start hook has returned.</summary>
    /// <inheritdoc cref="Build(PipelineSettings)"/>
    public Pipeline<TSource> Run(PipelineSettings settings)
    {
        ArgumentNullException.ThrowIfNull(settings);
        Apply(settings);
        return Run(settings.Plan);
    }

    private void Apply(PipelineSettings settings)
    {
        ArgumentNullException.ThrowIfNull(settings.DispatchOf, nameof(settings.DispatchOf));
        string[] unknown = [.. settings.DispatchOf.Keys.Except(_definition.Stages.Select(static stage => stage.Name))];
        if (unknown.Length > 0)
        {
            throw new PipelineBuildException(
            [
                $"Settings must name stages of the definition: DispatchOf={string.Join(", ", unknown)}. "
                + $"Use {string.Join(", ", _definition.Stages.Select(static stage => stage.Name))}.",
            ]);
        }

        _source.Segment.Capacity = settings.Capacity ?? _source.Segment.Capacity;
        RingOptions<TSource> ring = _source.Options;
        _source.Options = ring with
        {
            Wait = settings.Wait ?? ring.Wait,
            ProducerWait = settings.Wait ?? ring.ProducerWait,
            Padding = settings.Padding ?? ring.Padding,
        };
        for (int i = 0; i < _definition.Stages.Count; i++)
        {
            StageDefinition stage = _definition.Stages[i];
            stage.Options = stage.Options with
            {
                Dispatch = settings.DispatchOf.GetValueOrDefault(stage.Name) ?? settings.Dispatch ?? stage.Options.Dispatch,
                Wait = settings.Wait ?? stage.Options.Wait,
                Processors = settings.Processors is { Count: > 0 } all ? [all[i % all.Count]] : settings.Processors ?? stage.Options.Processors,
            };
        }
    }
}
