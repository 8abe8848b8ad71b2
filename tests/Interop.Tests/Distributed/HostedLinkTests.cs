using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Raceway.Interop.Distributed;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>Links in generic hosts: one sends, the other receives.</summary>
public sealed class HostedLinkTests
{
    private const int Items = 5000;
    private const int Keys = 50;
    private static readonly LinkAddress s_link = new("test.hosted", 3);

    [Fact]
    public async Task Host_StartsAndStops_HandlesAndAcknowledgesEverything()
    {
        var broker = new InMemoryBroker();
        var sink = new Sink(Keys);
        using IHost receiving = Receiver(broker, sink);
        using IHost sending = await SenderAsync(broker);
        await receiving.StartAsync().OrHang();
        await sending.StartAsync().OrHang();
        Assert.Equal(HealthStatus.Healthy, await HealthAsync(sending));
        Assert.Equal(HealthStatus.Healthy, await HealthAsync(receiving));
        Publisher<Keyed> publisher = sending.Services.GetRequiredService<Publisher<Keyed>>();
        for (int i = 0; i < Items; i++) await publisher.PublishAsync(Keyed.At(i, Keys));
        // Drained: what was published is confirmed.
        await sending.StopAsync().OrHang();
        Assert.Equal(0, sending.Services.GetRequiredService<HostedPipeline<Keyed>>().Shutdown!.Left);
        await Watchdog.UntilAsync(() => sink.Writes == Items, "all items");
        await receiving.StopAsync().OrHang();
        // What was handled is acknowledged: no other worker has it again.
        Assert.Equal(0, broker.Stored);
        Assert.Null(sink.Problem(Items));
    }

    [Fact]
    public async Task Host_StopsInTheMiddle_AnotherHandlesTheRestAndNothingTwice()
    {
        var broker = new InMemoryBroker();
        var sink = new Sink(Keys);
        using IHost sending = await SenderAsync(broker);
        await sending.StartAsync().OrHang();
        Publisher<Keyed> publisher = sending.Services.GetRequiredService<Publisher<Keyed>>();
        Task feeding = Task.Run(async () =>
        {
            for (int i = 0; i < Items; i++) await publisher.PublishAsync(Keyed.At(i, Keys));
        });
        for (int round = 1; round <= 3; round++)
        {
            using IHost receiving = Receiver(broker, sink);
            await receiving.StartAsync().OrHang();
            int reached = round * Items / 5;
            await Watchdog.UntilAsync(() => sink.Writes >= reached, $"{reached} items");
            await receiving.StopAsync().OrHang();
        }

        using IHost last = Receiver(broker, sink);
        await last.StartAsync().OrHang();
        await feeding.OrHang();
        await Watchdog.UntilAsync(() => sink.Problem(Items) is null, "all items");
        Assert.Equal(Items, sink.Writes);
        await sending.StopAsync().OrHang();
        await last.StopAsync().OrHang();
    }

    [Fact]
    public async Task Host_BrokerTakesNothing_StopsAtItsTimeoutAndSaysWhatIsLeft()
    {
        var broker = new InMemoryBroker(new InMemoryBrokerOptions { MaxQueueBytes = 1 });
        using IHost sending = await SenderAsync(broker, options => options.DrainTimeout = TimeSpan.FromMilliseconds(200));
        await sending.StartAsync().OrHang();
        Publisher<Keyed> publisher = sending.Services.GetRequiredService<Publisher<Keyed>>();
        // Fewer than the ring has room for.
        for (int i = 0; i < 200; i++) await publisher.PublishAsync(Keyed.At(i, Keys));
        await sending.StopAsync().OrHang();
        ShutdownReport report = sending.Services.GetRequiredService<HostedPipeline<Keyed>>().Shutdown!;
        Assert.True(report.Left > 0, $"{report.Left}");
    }

    [Fact]
    public async Task Health_AnotherSenderHasTheLease_IsUnhealthy()
    {
        var broker = new InMemoryBroker();
        using IHost sending = await SenderAsync(broker);
        await sending.StartAsync().OrHang();
        using IHost newer = await SenderAsync(broker);
        await sending.Services.GetRequiredService<Publisher<Keyed>>().PublishAsync(Keyed.At(0, Keys));
        await Watchdog.UntilAsync(
            () => HealthAsync(sending).GetAwaiter().GetResult() == HealthStatus.Unhealthy, "an unhealthy sender");
    }

    private static async Task<HealthStatus> HealthAsync(IHost host) =>
        (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync()).Status;

    private static async Task<IHost> SenderAsync(InMemoryBroker broker, Action<HostedPipelineOptions>? configure = null)
    {
        LinkSender<Keyed> sender = await LinkSender<Keyed>.OpenAsync<int>(
            broker.Connect(), s_link, Keyed.Codec, Keyed.KeyOf, new LinkOptions { Producer = "hosted", FrameLength = 512 });
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddPipeline<Keyed>((pipeline, _) => pipeline.Stage("send", sender, Dispatch.Batch(max: 256)))
            .Configure(options =>
            {
                options.Capacity = 256;
                configure?.Invoke(options);
            });
        builder.Services.AddHealthChecks().AddPipeline(nameof(Keyed));
        builder.Services.AddSingleton(sender);
        return builder.Build();
    }

    private static IHost Receiver(InMemoryBroker broker, Sink sink)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddSingleton(new LinkSource<Keyed>(s_link, Keyed.Codec, new LinkOptions { Prefetch = 2 }));
        builder.Services.AddSingleton<ILinkTransport>(broker.Connect());
        // Before the pipeline: so it hears of the stop after that is drained.
        builder.Services.AddHostedService<Link>();
        builder.Services.AddPipeline<Keyed>((pipeline, handlers) => pipeline
            .Stage("write", new WriteToSink(sink, static () => null))
            .Stage("ack", handlers.Services.GetRequiredService<LinkSource<Keyed>>().Acknowledger))
            .Configure(static options => options.Capacity = 256);
        builder.Services.AddHealthChecks().AddPipeline(nameof(Keyed));
        return builder.Build();
    }

    /// <summary>As docs/distributed.md shows it.</summary>
    private sealed class Link(LinkSource<Keyed> source, ILinkTransport transport, HostedPipeline<Keyed> pipeline)
        : IHostedLifecycleService
    {
        public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async Task StartAsync(CancellationToken cancellationToken)
        {
            await source.StartAsync(transport, pipeline.Pipeline, cancellationToken);
            await source.SubscribeAsync(Enumerable.Range(0, s_link.Partitions), cancellationToken);
        }

        public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StoppingAsync(CancellationToken cancellationToken)
        {
            source.Stop();
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async Task StoppedAsync(CancellationToken cancellationToken)
        {
            await source.FlushAsync();
            await source.DisposeAsync();
        }
    }
}
