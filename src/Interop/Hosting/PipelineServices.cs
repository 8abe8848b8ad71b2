using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Hosting;

/// <summary>Adds pipelines to a host.</summary>
/// <example>
/// <code>
/// builder.Services.AddPipeline&lt;Payment>(
///         "payments",
///         static (pipeline, handlers) => pipeline.Stage("book", handlers.Get&lt;Booking>()))
///     .Configure(static options => options.DrainTimeout = TimeSpan.FromSeconds(20));
/// </code>
/// </example>
public static class PipelineServices
{
    /// <summary>Adds a pipeline that starts with the host, and is drained when it shuts down.</summary>
    /// <remarks>
    /// <para>Its services have its name as their key: <see cref="HostedPipeline{T}"/> (and <see cref="HostedPipeline"/>), and to
    /// publish <see cref="Publisher{T}"/> for any thread, <see cref="MultiProducer{T}"/> or
    /// <see cref="SingleProducer{T}"/> for a service that publishes from one thread.</para>
    /// <para>Pipelines are started in the order in which they are added, and drained in the reverse order: add one before
    /// those that publish into it.</para>
    /// </remarks>
    /// <param name="services">The host's services.</param>
    /// <param name="name">Unique in the host; its section of the configuration is <c>Raceway:Pipelines:&lt;name&gt;</c>.</param>
    /// <param name="define">Adds the stages to the definition it is given; called when the host starts, and once more where its options are
    /// wrong, to find all that is.</param>
    /// <returns>For options set in code; configuration has the last word.</returns>
    /// <exception cref="ArgumentException">The name is empty, holds a colon, or is taken.</exception>
    /// <typeparam name="T">What producers publish.</typeparam>
    public static OptionsBuilder<HostedPipelineOptions> AddPipeline<T>(
        this IServiceCollection services, string name, Action<PipelineBuilder<T, T>, PipelineHandlers> define)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(define);
        if (name.Contains(':', StringComparison.Ordinal)) throw HostingErrors.NameWithColon(name);
        if (services.Any(IsSame)) throw HostingErrors.DuplicateName(name);

        services.AddKeyedSingleton(name, (provider, _) => new HostedPipeline<T>(provider, name, define));
        services.AddKeyedSingleton<HostedPipeline>(name, (provider, _) => Of<T>(provider, name));
        services.AddKeyedSingleton(name, (provider, _) => new HostedPipelineEnd<T>(Of<T>(provider, name)));
        // Late: a handler may ask for it while the pipeline is being defined.
        services.AddKeyedSingleton(name, (provider, _) => new Publisher<T>(() => Of<T>(provider, name).Pipeline.Ring));
        services.AddKeyedTransient(name, (provider, _) => Of<T>(provider, name).Pipeline.CreateMultiProducer());
        services.AddKeyedTransient(name, (provider, _) => Of<T>(provider, name).Pipeline.CreateProducer());
        services.AddSingleton<IHostedService>(provider => new HostedPipelineService<T>(Of<T>(provider, name)));
        services.AddSingleton<IValidateOptions<HostedPipelineOptions>>(provider => new OptionsCheck(provider, name));
        services.AddSingleton<IPostConfigureOptions<HostedPipelineOptions>>(provider =>
            new PostConfigureOptions<HostedPipelineOptions>(name, options =>
            {
                if (provider.GetService<IConfiguration>() is { } configuration)
                    new ConfigurationReader(options).Read(configuration.GetSection(ConfigurationReader.PathOf(name)));
            }));
        return services.AddOptions<HostedPipelineOptions>(name).ValidateOnStart();

        bool IsSame(ServiceDescriptor added) =>
            added.ServiceType == typeof(HostedPipeline) && name.Equals(added.ServiceKey as string, StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>Adds a pipeline that is called as its items are: its services are there without a key as well.</summary>
    /// <inheritdoc cref="AddPipeline{T}(IServiceCollection, string, Action{PipelineBuilder{T, T}, PipelineHandlers})"/>
    public static OptionsBuilder<HostedPipelineOptions> AddPipeline<T>(
        this IServiceCollection services, Action<PipelineBuilder<T, T>, PipelineHandlers> define)
    {
        string name = typeof(T).Name;
        OptionsBuilder<HostedPipelineOptions> options = services.AddPipeline(name, define);
        services.AddSingleton(provider => Of<T>(provider, name));
        services.AddSingleton(provider => provider.GetRequiredKeyedService<Publisher<T>>(name));
        services.AddTransient(provider => Of<T>(provider, name).Pipeline.CreateMultiProducer());
        services.AddTransient(provider => Of<T>(provider, name).Pipeline.CreateProducer());
        return options;
    }

    private static HostedPipeline<T> Of<T>(IServiceProvider services, string name) =>
        services.GetRequiredKeyedService<HostedPipeline<T>>(name);
}
