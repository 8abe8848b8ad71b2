using System.Collections.Concurrent;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Handlers that await, as far as a plan makes a difference.</summary>
public sealed class AsyncStageTests
{
    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Halt_HandlerPending_EndsAfterItsTask(Plan plan)
    {
        var stubborn = new Stubborn();
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(8)
            .HaltOnDispose()
            .Configure(options => options with { OnUnprocessed = (ref Item _) => stubborn.Log.Enqueue("unprocessed") })
            .Stage("await", stubborn)
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);
        pipeline.CreateProducer().Publish(default(Item));
        await stubborn.Entered.Task.OrHang();

        await pipeline.HaltAsync().OrHang();
        stubborn.Log.Enqueue("halted");
        await stubborn.Left.Task.OrHang();

        Assert.Equal("returned", stubborn.Log.First());
        Assert.Equal(["returned", "stop", "halted"], stubborn.Log.Where(entry => entry != "unprocessed"));
    }

    [Fact]
    public async Task Step_OfAManualAsyncStage_LeavesItsCallerNoHandler()
    {
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(2).HaltOnDispose()
            .Stage(HandlerKind.Async, "await", new Work(0))
            .Run(Plan.Manual);
        SingleProducer<Item> producer = pipeline.CreateProducer();
        producer.Publish(default(Item));
        Assert.Equal(1, pipeline["await"].Step().Count);
        for (int i = 0; i < 2; i++) producer.Publish(default(Item));

        // Outside of the handler waiting for room is allowed; inside it would throw.
        ClaimStatus status = producer.TryClaim(1, TimeSpan.FromMilliseconds(1), out _);

        Assert.Equal(ClaimStatus.TimedOut, status);
        // Disposal from a handler returns at once; from anywhere else it comes back when the ring has ended.
        await pipeline.DisposeAsync().OrHang();
        Assert.Equal(RingState.Stopped, pipeline.State);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task HandlerTimeout_NotHeeded_FaultsThePipeline(Plan plan)
    {
        var never = new TaskCompletionSource();
        await using Pipeline<Item> pipeline = Pipeline.Of<Item>(8).HaltOnDispose()
            .Stage("before", static (ref Item _) => { })
            .Stage(
                "await", new Deaf(never.Task), new() { HandlerTimeout = TimeSpan.FromMilliseconds(5) })
            .Run(plan);
        using Pump? pump = Pump.For(pipeline);
        pipeline.CreateProducer().Publish(default(Item));

        Watchdog.Until(() => pipeline.State == RingState.Faulted, "the fault");
        never.SetResult();

        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        Assert.Equal("await", fault.Stage);
        Assert.IsType<TimeoutException>(fault.InnerException);
    }

    /// <summary>Takes its time once cancelled: turns of the scheduler, not milliseconds.</summary>
    private sealed class Stubborn : IAsyncBatchHandler<Item>, IStageLifetime
    {
        public ConcurrentQueue<string> Log { get; } = new();

        public TaskCompletionSource Entered { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public TaskCompletionSource Left { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void OnStart()
        {
        }

        public void OnStop() => Log.Enqueue("stop");

        public async ValueTask OnBatchAsync(AsyncBatch<Item> batch, CancellationToken cancellation)
        {
            Entered.SetResult();
            var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            using (cancellation.Register(cancelled.SetResult)) await cancelled.Task;
            for (int i = 0; i < 2_000; i++) await Task.Yield();
            Log.Enqueue("returned");
            Left.SetResult();
        }
    }

    private sealed class Deaf(Task never) : IAsyncBatchHandler<Item>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<Item> batch, CancellationToken cancellation) => await never;
    }
}
