using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>What holds for the whole pipeline, and its building.</content>
public sealed partial class PipelineBuilder<TSource, T>
{
    /// <summary>How stages and producers wait that do not say otherwise. Default: <see cref="Wait.Park"/>.</summary>
    public PipelineBuilder<TSource, T> WaitWith(Wait wait)
    {
        ArgumentNullException.ThrowIfNull(wait);
        _source.Options = _source.Options with { Wait = wait, ProducerWait = wait };
        return this;
    }

    /// <summary>What happens when a stage throws that does not say otherwise. Default: <see cref="FaultPolicy.Stop"/>.</summary>
    public PipelineBuilder<TSource, T> OnFault(FaultPolicy policy)
    {
        ArgumentNullException.ThrowIfNull(policy);
        _definition.OnFault = policy;
        return this;
    }

    /// <summary>Lets several threads publish, each through a producer of its own.</summary>
    public PipelineBuilder<TSource, T> MultiProducer(int maxProducers = 16)
    {
        _source.Options = _source.Options with { Producers = ProducerKind.Multi, MaxProducers = maxProducers };
        return this;
    }

    /// <summary>
    /// Lets several threads publish, each through a lane of its own (<see cref="ProducerKind.Sharded"/>): at the speed of a
    /// single producer each, with no order between them.
    /// </summary>
    public PipelineBuilder<TSource, T> Sharded(int maxProducers = 16)
    {
        _source.Options = _source.Options with { Producers = ProducerKind.Sharded, MaxProducers = maxProducers };
        return this;
    }

    /// <summary>Everything else about the ring that producers publish into: payloads, padding, timeouts, …</summary>
    public PipelineBuilder<TSource, T> Configure(Func<RingOptions<TSource>, RingOptions<TSource>> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        _source.Options = Configured(configure, _source.Options);
        return this;
    }

    /// <summary>Builds the pipeline, not started. Producers may publish up to the capacity.</summary>
    /// <param name="plan">Who drives the stages.</param>
    /// <exception cref="PipelineBuildException">The definition is wrong; the message has all problems.</exception>
    public Pipeline<TSource> Build(Plan plan = Plan.SharedRing) =>
        PipelineAssembly.Build(_definition, _source, plan);

    /// <summary><see cref="Build(Plan)"/>, and start it: returns when every stage's start hook has returned.</summary>
    /// <exception cref="PipelineBuildException">The definition is wrong; the message has all problems.</exception>
    public Pipeline<TSource> Run(Plan plan = Plan.SharedRing)
    {
        Pipeline<TSource> pipeline = Build(plan);
        pipeline.StartAsync().GetAwaiter().GetResult();
        return pipeline;
    }
}
