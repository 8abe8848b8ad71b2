using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>A pipeline that lives as long as its host.</summary>
/// <inheritdoc cref="HostedPipeline"/>
/// <typeparam name="T">What producers publish.</typeparam>
/// <example>
/// <code>
/// internal sealed class Intake([FromKeyedServices("payments")] HostedPipeline&lt;Payment> payments)
/// {
///     public ValueTask AddAsync(Payment payment, CancellationToken cancellation) =>
///         payments.Pipeline.Publisher.PublishAsync(payment, cancellation);
/// }
/// </code>
/// </example>
public sealed partial class HostedPipeline<T> : HostedPipeline
{
    private readonly IServiceProvider _services;
    private readonly Action<PipelineBuilder<T, T>, PipelineHandlers> _define;
    private readonly PipelineHandlers _handlers;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private readonly IChangeToken? _isOutdated; // says whether the configuration has changed since the options were read
    private volatile BuiltPipeline<T>? _built;

    internal HostedPipeline(IServiceProvider services, string name, Action<PipelineBuilder<T, T>, PipelineHandlers> define)
        : base(name)
    {
        _services = services;
        _define = define;
        _handlers = new PipelineHandlers(services, name);
        _time = services.GetService<TimeProvider>() ?? TimeProvider.System;
        _isOutdated = services.GetService<IConfiguration>()?.GetReloadToken();
        Logger = services.GetService<ILoggerFactory>()?.CreateLogger<HostedPipeline>() ?? NullLogger<HostedPipeline>.Instance;
    }

    /// <summary>The pipeline: built, and started with the host.</summary>
    /// <exception cref="OptionsValidationException">Its options or its definition are wrong; the message has all problems.</exception>
    public Pipeline<T> Pipeline => Ready.Pipeline;

    /// <inheritdoc/>
    public override RingState State => Pipeline.State;

    /// <inheritdoc/>
    public override long Backlog => Pipeline.Backlog;

    internal override HostedPipelineOptions Options => Ready.Options;

    internal override IReadOnlyList<Stage> Stages => Pipeline.Stages;

    internal override IReadOnlyList<Ring> Rings => Pipeline.Rings;

    internal override Plan Plan => Pipeline.Plan;

    internal override Exception? Fault => Pipeline.Completion.Exception?.InnerException;

    // Options that are asked for are checked, and the check builds.
    private BuiltPipeline<T> Ready
    {
        get
        {
            if (_built is null) _services.GetRequiredService<IOptionsMonitor<HostedPipelineOptions>>().Get(Name);
            return _built!;
        }
    }

    internal override IReadOnlyList<string> Check(HostedPipelineOptions options)
    {
        lock (_gate)
        {
            List<string> problems = [.. OptionsCheck.ProblemsOf(options, ConfigurationReader.PathOf(Name))];
            BuiltPipeline<T>? built = _built ?? Build(options, problems);
            // Its stages are those of the definition, also where it cannot be built as asked for.
            BuiltPipeline<T>? stages = built ?? Build(new HostedPipelineOptions(), []);
            IReadOnlyList<Dispatch?> dispatches = stages?.DispatchesBy(options, Name, problems) ?? [];
            if (_built is { } running && options.Capacity != running.Options.Capacity)
                running.CheckCapacity(options.Capacity, dispatches, Name, problems);
            if (_built is not null || built is null || problems.Count > 0) return problems;
            built.Apply(dispatches, problems);
            if (problems.Count == 0) _built = built;
            return problems;
        }
    }

    private BuiltPipeline<T>? Build(HostedPipelineOptions options, List<string> problems)
    {
        try
        {
            PipelineBuilder<T, T> builder = Pipelines.Pipeline.Of<T>(options.Capacity);
            // Before the definition, so that a clock that it sets counts.
            builder.Configure(configured => configured with { Time = _time });
            _define(builder, _handlers);
            if (options.Wait is { } wait) builder.WaitWith(wait);
            // A service that is given a producer goes on on another thread after each await.
            builder.Configure(static configured => configured with { CheckProducer = false });
            return new BuiltPipeline<T>(builder.Build(options.Plan), options);
        }
        catch (PipelineBuildException wrong)
        {
            problems.AddRange(wrong.Problems);
            return null;
        }
        finally
        {
            // Made after the handlers, so that the container disposes of it before them.
            _services.GetRequiredKeyedService<HostedPipelineEnd<T>>(Name);
        }
    }
}
