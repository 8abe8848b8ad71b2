using Microsoft.Extensions.DependencyInjection;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>Handlers come out of the container: one a pipeline, with what their constructors ask for.</summary>
public sealed class HandlersTests
{
    [Fact]
    public async Task Get_SameTypeTwice_IsOneForThePipelineAndAnotherForTheNext()
    {
        List<Adder> got = [];
        await using TestHost host = TestHost.Create(services =>
        {
            foreach (string name in (string[])[TestHost.Name, "others"])
            {
                services.AddPipeline<long>(name, (pipeline, handlers) =>
                {
                    got.AddRange(handlers.Get<Adder>(), handlers.Get<Adder>());
                    pipeline.Stage("add", handlers.Get<Adder>());
                });
            }
        });

        await host.StartAsync();

        Assert.Equal(4, got.Count);
        Assert.Same(got[0], got[1]);
        Assert.Same(got[2], got[3]);
        Assert.NotSame(got[0], got[2]);
    }

    [Fact]
    public async Task Get_RegisteredUnderThePipelinesName_IsTheContainersToDisposeOf()
    {
        Adder? adder = null;
        TestHost host = await TestHost.Create(
            (pipeline, handlers) => pipeline.Stage("add", adder = handlers.Get<Adder>()),
            static services => services.AddKeyedSingleton<Adder>(TestHost.Name)).StartAsync();
        Assert.Same(adder, host.Services.GetRequiredKeyedService<Adder>(TestHost.Name));

        await host.DisposeAsync().OrHang();

        Assert.Equal((true, 1), (adder!.DisposedAfterItsStage, adder.Disposals));
    }

    [Fact]
    public async Task Get_HandlerThatPublishesIntoItsOwnPipeline_IsMade()
    {
        Again? again = null;
        await using TestHost host = await TestHost.Create(
            services => services.AddPipeline<int>((pipeline, handlers) => pipeline.MultiProducer().Stage("again", again = handlers.Get<Again>())))
            .StartAsync();

        host.Services.GetRequiredService<Publisher<int>>().Publish(3);
        await Watchdog.UntilAsync(() => again!.Seen == 4, "3, 2, 1 and 0 are handled");

        await host.StopAsync();
        Assert.Equal(4, again!.Seen);
    }

    [Fact]
    public async Task Get_ConstructorAsksForWhatIsNotThere_HostDoesNotStart()
    {
        await using TestHost host = TestHost.Create(
            services => services.AddPipeline<int>(static (pipeline, handlers) => pipeline.Stage("needs", handlers.Get<Needs>())));

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(host.StartAsync);

        Assert.Contains(nameof(TestHost), refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Dispose_OneHandlerFailsInIt_TheOthersAreDisposedOf()
    {
        Adder? adder = null;
        TestHost host = await TestHost.Create((pipeline, handlers) =>
        {
            pipeline.Stage("add", adder = handlers.Get<Adder>());
            handlers.Get<FailsInDisposal>();
        }).StartAsync();

        var failed = await Assert.ThrowsAsync<AggregateException>(() => host.DisposeAsync().OrHang());

        Assert.Equal("no end", Assert.Single(failed.InnerExceptions).Message);
        Assert.Equal(1, adder!.Disposals);
    }

    [Fact]
    public async Task Dispose_OfAContainerWithoutAHost_WorksBothWays()
    {
        foreach (bool later in (bool[])[false, true])
        {
            Adder? adder = null;
            var services = new ServiceCollection();
            services.AddPipeline<long>((pipeline, handlers) => pipeline.Stage("add", adder = handlers.Get<Adder>()));
            ServiceProvider provider = services.BuildServiceProvider();
            Assert.Equal(RingState.Created, provider.GetRequiredService<HostedPipeline<long>>().State);

            if (later) await provider.DisposeAsync().OrHang();
            else provider.Dispose();

            Assert.Equal(1, adder!.Disposals);
        }
    }

    private sealed class Again([FromKeyedServices(nameof(Int32))] Publisher<int> publisher) : IEventHandler<int>
    {
        private int _seen;

        public int Seen => Volatile.Read(ref _seen);

        public void OnEvent(ref int item, long sequence, bool endOfBatch)
        {
            if (item > 0) Assert.Equal(ClaimStatus.Done, publisher.TryPublish(item - 1));
            Interlocked.Increment(ref _seen);
        }
    }

    private sealed class Needs(TestHost host) : IEventHandler<int>
    {
        public void OnEvent(ref int item, long sequence, bool endOfBatch) => _ = host;
    }

    private sealed class FailsInDisposal : IDisposable
    {
        public void Dispose() => throw new FormatException("no end");
    }
}
