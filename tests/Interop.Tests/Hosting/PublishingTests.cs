using Microsoft.Extensions.DependencyInjection;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>Who may publish from where: a publisher for all threads, producers for one each.</summary>
public sealed class PublishingTests
{
    private const int Callers = 8;
    private const int Each = 2_000;

    public static TheoryData<ProducerKind, bool> Ways => new()
    {
        { ProducerKind.Single, true }, { ProducerKind.Multi, true }, { ProducerKind.Sharded, true },
        { ProducerKind.Single, false }, { ProducerKind.Multi, false }, { ProducerKind.Sharded, false },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Publish_ManyCallersAndLittleRoom_NothingIsLostAndEachKeepsItsOrder(ProducerKind kind, bool awaits)
    {
        var order = new OrderOfEach();
        await using TestHost host = await TestHost
            .Create((pipeline, _) => Of(kind, pipeline).Stage("check", order), null, ("Capacity", "64")).StartAsync();

        Task[] callers = [.. Enumerable.Range(0, Callers).Select(caller => Task.Factory.StartNew(async () =>
        {
            for (long n = 0; n < Each; n++)
            {
                long item = caller * 1_000_000L + n;
                if (awaits) await host.Publisher.PublishAsync(item);
                else host.Publisher.Publish(item);
            }
        }, TaskCreationOptions.LongRunning).Unwrap())];
        await Task.WhenAll(callers).OrHang();
        await host.StopAsync();

        Assert.Equal(DrainStatus.Drained, host.Hosted.Shutdown!.Status);
        Assert.Equal(Enumerable.Repeat((long)Each, Callers), order.Next);
    }

    [Fact]
    public async Task TryPublish_NoRoom_IsFullAndAfterTheEndStopped()
    {
        await using TestHost host = await TestHost.Create(
            static (pipeline, handlers) => pipeline.Stage("add", handlers.Get<Adder>()), null,
            ("Capacity", "4"), ("Plan", "Manual"), ("DrainTimeout", "00:00:00")).StartAsync();

        ClaimStatus[] statuses = [.. Enumerable.Range(0, 5).Select(item => host.Publisher.TryPublish(item))];
        Assert.Equal([ClaimStatus.Done, ClaimStatus.Done, ClaimStatus.Done, ClaimStatus.Done, ClaimStatus.Full], statuses);
        using var soon = new CancellationTokenSource();
        Task waits = host.Publisher.PublishAsync(5, soon.Token).AsTask();
        Assert.Equal(ClaimStatus.Full, host.Publisher.TryPublish(6));
        await soon.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waits.OrHang());
        Assert.Equal(StepKind.Progressed, host.Pipeline["add"].Step().Kind);
        Assert.Equal(ClaimStatus.Done, host.Publisher.TryPublish(7));

        await host.StopAsync();
        Assert.Equal(1, host.Hosted.Shutdown!.Left);
        Assert.Equal(ClaimStatus.Stopped, host.Publisher.TryPublish(8));
        Assert.Throws<RingStoppedException>(() => host.Publisher.Publish(9));
    }

    [Fact]
    public async Task Publish_WriterThrows_PublishesNothingAndGivesItsProducerBack()
    {
        Adder? adder = null;
        await using TestHost host = await TestHost.Create((pipeline, handlers) => pipeline.Stage("add", adder = handlers.Get<Adder>())).StartAsync();

        Assert.Throws<FormatException>(() => host.Publisher.Publish(1, static (ref long _, int _) => throw new FormatException()));
        await Assert.ThrowsAsync<FormatException>(
            () => host.Publisher.PublishAsync(1, static (ref long _, int _) => throw new FormatException()).AsTask());
        host.Publisher.Publish(2, static (ref long slot, int state) => slot = state);

        await host.StopAsync();
        Assert.Equal((1L, 2L), (adder!.Count, adder.Sum));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Publish_ByAHandlerWhileAllProducersWaitForRoom_IsRefused(bool awaits)
    {
        Publisher<long>? publisher = null;
        using var mayPublish = new ManualResetEventSlim();
        await using TestHost host = TestHost.Create(
            (pipeline, handlers) =>
            {
                publisher = handlers.Services.GetRequiredKeyedService<Publisher<long>>(TestHost.Name);
                pipeline.Stage("again", (ref long item) =>
                {
                    mayPublish.Wait();
                    if (awaits) publisher.PublishAsync(9).AsTask().GetAwaiter().GetResult();
                    else publisher.Publish(9);
                });
            }, null, ("Capacity", "4"), ("OnFault", "KeepRunning"));
        await host.StartAsync();
        for (int i = 0; i < 4; i++) publisher!.Publish(i);
        // It has the only producer, and waits for the room that the handler does not make.
        Task outside = publisher!.PublishAsync(4).AsTask();

        mayPublish.Set();

        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => outside.OrHang());
        Assert.IsType<ReentrantPublishException>(fault.InnerException);
    }

    [Fact]
    public async Task Producers_OfAMultiProducerPipeline_AreOneForEachWhoAsks()
    {
        Adder? adder = null;
        await using TestHost host = await TestHost.Create(
            services => services.AddPipeline<long>((pipeline, handlers) => pipeline.MultiProducer(4).Stage("add", adder = handlers.Get<Adder>())))
            .StartAsync();

        var first = host.Services.GetRequiredService<MultiProducer<long>>();
        var second = host.Services.GetRequiredKeyedService<MultiProducer<long>>(nameof(Int64));
        host.Services.GetRequiredService<Publisher<long>>().Publish(1);
        first.Publish(2);
        second.Publish(3);
        await host.StopAsync();

        Assert.NotSame(first, second);
        Assert.Equal(6, adder!.Sum);
        var third = host.Services.GetRequiredService<MultiProducer<long>>();
        Assert.NotSame(second, third);
        // One is the publisher's.
        var refused = Assert.Throws<InvalidOperationException>(() => host.Services.GetRequiredService<MultiProducer<long>>());
        Assert.Contains("4", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Producer_OfASingleProducerPipeline_IsOnesOwn()
    {
        await using TestHost host = TestHost.Create(static (pipeline, handlers) => pipeline.Stage("add", handlers.Get<Adder>()));

        using var producer = host.Services.GetRequiredKeyedService<SingleProducer<long>>(TestHost.Name);

        producer.Publish(1);
        Assert.Throws<InvalidOperationException>(() => host.Publisher.Publish(2));
        Assert.Throws<InvalidOperationException>(() => host.Services.GetRequiredKeyedService<SingleProducer<long>>(TestHost.Name));
        Assert.Throws<InvalidOperationException>(() => host.Services.GetRequiredKeyedService<MultiProducer<long>>(TestHost.Name));
    }

    private static PipelineBuilder<long, long> Of(ProducerKind kind, PipelineBuilder<long, long> pipeline) => kind switch
    {
        ProducerKind.Multi => pipeline.MultiProducer(4),
        ProducerKind.Sharded => pipeline.Sharded(4),
        _ => pipeline,
    };

    /// <summary>The next item of each caller; −1 where one came out of its order.</summary>
    private sealed class OrderOfEach : IEventHandler<long>
    {
        public long[] Next { get; } = new long[Callers];

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            (long caller, long n) = Math.DivRem(item, 1_000_000);
            Next[caller] = Next[caller] == n ? n + 1 : -1;
        }
    }
}
