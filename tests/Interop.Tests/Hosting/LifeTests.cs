using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>A pipeline starts with its host, is drained when it shuts down, and says what was left.</summary>
public sealed class LifeTests
{
    [Fact]
    public async Task Host_ServicesPublishFromStartToStop_EverythingIsHandled()
    {
        Adder? adder = null;
        await using TestHost host = TestHost.Create(
            (pipeline, handlers) => pipeline.Stage("add", adder = handlers.Get<Adder>()),
            services => services.AddHostedService(provider =>
                new PublishesAtBothEnds(provider.GetRequiredKeyedService<Publisher<long>>(TestHost.Name))));

        await host.StartAsync();
        await host.StopAsync();

        Assert.Equal(3, adder!.Sum);
        ShutdownReport report = host.Hosted.Shutdown!;
        Assert.Equal((DrainStatus.Drained, true, 0L), (report.Status, report.HasEnded, report.Left));
        Assert.Empty(report.Lagging);
        Assert.Equal([1, 2, 3], host.Logs.Ids);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Time_OfTheContainer_IsTheRingsUnlessTheDefinitionSetsOne(bool sets)
    {
        var containers = new ManualTime();
        var own = new ManualTime();
        await using TestHost host = TestHost.Create(
            (pipeline, _) => pipeline
                .Configure(options => sets ? options with { Time = own } : options)
                .Stage("waits", new StopsAt(100), Dispatch.Batch(min: 4, maxAge: TimeSpan.FromHours(1))),
            services => services.AddSingleton<TimeProvider>(containers),
            ("Plan", "Manual"), ("DrainTimeout", "00:00:00"));
        await host.StartAsync();
        host.Publisher.Publish(1);
        Stage stage = host.Pipeline.Stages[0];
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        (sets ? containers : own).Advance(TimeSpan.FromHours(1));
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        (sets ? own : containers).Advance(TimeSpan.FromHours(1));
        Assert.Equal(StepKind.Progressed, stage.Step().Kind);
    }

    [Fact]
    public async Task Stop_StageWithoutTimeToDrain_ReportsExactlyWhatWasLeft()
    {
        var handler = new StopsAt(30);
        await using TestHost host = await TestHost
            .Create((pipeline, _) => pipeline.Stage("slow", handler), null, ("DrainTimeout", "00:00:00"), ("HaltTimeout", "00:01:00"))
            .StartAsync();
        for (int i = 0; i < 100; i++) host.Publisher.Publish(i);
        await Watchdog.UntilAsync(() => host.Pipeline["slow"].Position == 29, "30 items are behind it");

        await host.StopAsync();

        ShutdownReport report = host.Hosted.Shutdown!;
        Assert.Equal((DrainStatus.TimedOut, true, 70L), (report.Status, report.HasEnded, report.Left));
        Assert.Equal(new StageLag("slow", 70), Assert.Single(report.Lagging));
        Assert.Equal("TimedOut: 70 left, slow 70 behind", report.ToString());
        Assert.Equal([1, 2, 4], host.Logs.Ids);
        Assert.Contains("70 items not handled. Lagging: slow.", host.Logs.Entries[^1].Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Stop_HostsOwnTimeoutIsOver_EndsTheDrain()
    {
        var handler = new StopsAt(0);
        await using TestHost host = await TestHost.Create(
            (pipeline, _) => pipeline.Stage("slow", handler),
            services => services.Configure<HostOptions>(options => options.ShutdownTimeout = TimeSpan.FromMilliseconds(20)),
            ("HaltTimeout", "00:01:00")).StartAsync();
        host.Publisher.Publish(1);

        // The host itself throws where its time was over.
        await Record.ExceptionAsync(host.StopAsync);

        Assert.Equal((DrainStatus.TimedOut, true, 1L), (host.Hosted.Shutdown!.Status, host.Hosted.Shutdown.HasEnded, host.Hosted.Shutdown.Left));
    }

    [Fact]
    public async Task Stop_HandlerThatNeverReturns_IsLeftBehindAndTheHostStops()
    {
        Hangs? handler = null;
        TestHost host = await TestHost.Create(
            (pipeline, handlers) => pipeline.Stage("hangs", handler = handlers.Get<Hangs>(), Dispatch.Batch(max: 1)), null,
            ("DrainTimeout", "00:00:00"), ("HaltTimeout", "00:00:00")).StartAsync();
        try
        {
            for (int i = 0; i < 5; i++) host.Publisher.Publish(i);
            handler!.Entered.Wait();

            await host.StopAsync();
            await host.DisposeAsync().OrHang();

            ShutdownReport report = host.Hosted.Shutdown!;
            Assert.Equal((DrainStatus.TimedOut, false, 5L), (report.Status, report.HasEnded, report.Left));
            Assert.Equal([1, 2, 5], host.Logs.Ids);
            Assert.False(handler.IsDisposed);
        }
        finally
        {
            handler!.LetGo.Set();
        }
    }

    [Theory]
    [InlineData(FaultReaction.StopApplication, true)]
    [InlineData(FaultReaction.KeepRunning, false)]
    public async Task Fault_AtRunTime_IsLoggedOnceAndReactedTo(FaultReaction reaction, bool stops)
    {
        await using TestHost host = await TestHost.Create(
            static (pipeline, _) => pipeline.Stage("fails", static (ref long item) => throw new FormatException($"bad {item}")), null,
            ("OnFault", reaction.ToString())).StartAsync();
        IHostApplicationLifetime application = host.Services.GetRequiredService<IHostApplicationLifetime>();

        host.Publisher.Publish(7);

        await Watchdog.UntilAsync(() => host.Logs.Ids.Contains(6), "the fault is logged");
        if (stops) await Watchdog.UntilAsync(() => application.ApplicationStopping.IsCancellationRequested, "the application stops");
        Assert.Equal(stops, application.ApplicationStopping.IsCancellationRequested);
        Assert.Throws<RingFaultedException>(() => host.Publisher.Publish(8));
        await host.StopAsync();

        Exception fault = Assert.Single(host.Logs.Entries, entry => entry.Id == 6).Fault!;
        Assert.Equal("bad 7", fault.InnerException!.Message);
        Assert.Equal((DrainStatus.Faulted, 1L), (host.Hosted.Shutdown!.Status, host.Hosted.Shutdown.Left));
        Assert.Equal([1, 6, 2, 4], host.Logs.Ids);
    }

    [Fact]
    public async Task Dispose_WithoutStop_EndsThePipelineBeforeItsHandlersAreDisposed()
    {
        Adder? own = null, registered = null;
        TestHost host = await TestHost.Create(
            (pipeline, handlers) => pipeline
                .Stage("own", own = handlers.Get<Adder>())
                .Stage("registered", (IBatchHandler<long>)(registered = handlers.Services.GetRequiredKeyedService<Adder>("other"))),
            static services => services.AddKeyedSingleton<Adder>("other")).StartAsync();
        host.Publisher.Publish(1);

        await host.DisposeAsync().OrHang();

        Assert.All([own!, registered!], static adder => Assert.Equal((true, 1), (adder.DisposedAfterItsStage, adder.Disposals)));
        Assert.True(host.Hosted.Shutdown!.HasEnded);
    }

    [Fact]
    public async Task Dispose_WhileTheHostStops_EndsTheDrainAndLeavesAHandlerThatIsInUse()
    {
        Hangs? handler = null;
        TestHost host = await TestHost.Create(
            (pipeline, handlers) => pipeline.Stage("hangs", handler = handlers.Get<Hangs>()),
            // The host's own limit does not end the drain: the disposal has to.
            static services => services.Configure<HostOptions>(static options => options.ShutdownTimeout = Timeout.InfiniteTimeSpan),
            ("HaltTimeout", "00:00:00")).StartAsync();
        try
        {
            host.Publisher.Publish(1);
            handler!.Entered.Wait();
            Task stops = Record.ExceptionAsync(host.StopAsync).AsTask();
            await Watchdog.UntilAsync(() => host.Logs.Ids.Contains(2), "the drain has begun");

            await host.DisposeAsync().OrHang();

            Assert.Equal((DrainStatus.TimedOut, false, 1L), (host.Hosted.Shutdown!.Status, host.Hosted.Shutdown.HasEnded, host.Hosted.Shutdown.Left));
            Assert.False(handler.IsDisposed);
            await stops.OrHang();
        }
        finally
        {
            handler!.LetGo.Set();
        }
    }

    [Fact]
    public async Task Dispose_NeverStarted_DisposesOfTheHandlers()
    {
        Adder? adder = null;
        TestHost host = TestHost.Create((pipeline, handlers) => pipeline.Stage("add", adder = handlers.Get<Adder>()));
        Assert.Equal(RingState.Created, host.Pipeline.State);

        await host.DisposeAsync().OrHang();

        Assert.Equal(1, adder!.Disposals);
        Assert.Equal(RingState.Stopped, host.Pipeline.State);
        Assert.Empty(host.Logs.Ids);
    }

    [Fact]
    public async Task Pipelines_OnePublishesIntoTheOther_AreDrainedInTheOrderOfTheItems()
    {
        Adder? adder = null;
        await using TestHost host = await TestHost.Create(services =>
        {
            services.AddPipeline<long>("second", (pipeline, handlers) => pipeline.Stage("add", adder = handlers.Get<Adder>()));
            services.AddPipeline<long>(TestHost.Name, static (pipeline, handlers) =>
            {
                var next = handlers.Services.GetRequiredKeyedService<Publisher<long>>("second");
                pipeline.Stage("pass", (ref long item) => next.Publish(item));
            });
        }).StartAsync();
        for (int i = 1; i <= 10_000; i++) host.Publisher.Publish(i);

        await host.StopAsync();

        Assert.Equal((10_000L, 50_005_000L), (adder!.Count, adder.Sum));
        Assert.Equal((0L, 0L), (host.Hosted.Shutdown!.Left, host.Of("second").Shutdown!.Left));
    }

    [Fact]
    public async Task Meter_OfAHostedPipeline_IsMadeByTheHostsFactory()
    {
        await using TestHost host = await TestHost.Create(static (pipeline, handlers) => pipeline.Stage("add", handlers.Get<Adder>())).StartAsync();
        IMeterFactory factory = host.Services.GetRequiredService<IMeterFactory>();
        HashSet<string> seen = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (ReferenceEquals(instrument.Meter.Scope, factory)) seen.Add($"{instrument.Meter.Name} {instrument.Name}");
            },
        };

        listener.Start();

        Assert.Contains($"{PipelineMeter.MeterName} raceway.ring.backlog", seen);
    }

    private sealed class PublishesAtBothEnds(Publisher<long> publisher) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken) => publisher.PublishAsync(1, cancellationToken).AsTask();

        public Task StopAsync(CancellationToken cancellationToken) => publisher.PublishAsync(2, cancellationToken).AsTask();
    }
}
