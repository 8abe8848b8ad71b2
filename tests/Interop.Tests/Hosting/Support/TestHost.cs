using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>A host with nothing in it but pipelines over numbers, and what they log.</summary>
internal sealed class TestHost : IAsyncDisposable
{
    public const string Name = "orders";

    private TestHost(IHost host, IConfigurationRoot configuration, Logs logs)
    {
        Host = host;
        Configuration = configuration;
        Logs = logs;
    }

    public IHost Host { get; }

    public IConfigurationRoot Configuration { get; }

    public Logs Logs { get; }

    public IServiceProvider Services => Host.Services;

    /// <summary>Kept, to be looked at when the host is gone.</summary>
    public HostedPipeline<long> Hosted => field ??= Of(Name);

    public Pipeline<long> Pipeline => Hosted.Pipeline;

    public Publisher<long> Publisher => Services.GetRequiredKeyedService<Publisher<long>>(Name);

    public static TestHost Create(
        Action<PipelineBuilder<long, long>, PipelineHandlers> define, Action<IServiceCollection>? more = null,
        params (string Key, string Value)[] settings) =>
        Create(services =>
        {
            services.AddPipeline(Name, define);
            more?.Invoke(services);
        }, settings);

    public static TestHost Create(Action<IServiceCollection> configure, params (string Key, string Value)[] settings)
    {
        HostApplicationBuilder builder = Microsoft.Extensions.Hosting.Host.CreateEmptyApplicationBuilder(null);
        builder.Configuration.AddInMemoryCollection(
            settings.Select(setting => KeyValuePair.Create<string, string?>($"Raceway:Pipelines:{Name}:{setting.Key}", setting.Value)));
        var logs = new Logs();
        builder.Logging.AddProvider(logs);
        configure(builder.Services);
        return new TestHost(builder.Build(), builder.Configuration, logs);
    }

    public HostedPipeline<long> Of(string name) => Services.GetRequiredKeyedService<HostedPipeline<long>>(name);

    public async Task<TestHost> StartAsync()
    {
        await Host.StartAsync().OrHang();
        if (Services.GetKeyedService<HostedPipeline<long>>(Name) is not null) _ = Hosted;
        return this;
    }

    public Task StopAsync() => Host.StopAsync().OrHang();

    /// <summary>Changes the configuration as its file would.</summary>
    public void Change(params (string Key, string? Value)[] settings)
    {
        foreach ((string key, string? value) in settings) Configuration[$"Raceway:Pipelines:{Name}:{key}"] = value;
        Configuration.Reload();
    }

    public ValueTask DisposeAsync() => ((IAsyncDisposable)Host).DisposeAsync();
}

/// <summary>A clock that goes where it is told.</summary>
internal sealed class ManualTime : TimeProvider
{
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _now);

    public void Advance(TimeSpan time) => Interlocked.Add(ref _now, time.Ticks);
}
