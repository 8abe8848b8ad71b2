using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests;

/// <summary>The time of a pipeline's options is that of all its rings and stages, whatever drives them.</summary>
public sealed class VirtualTimeTests
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);
    private static readonly TimeSpan s_tick = TimeSpan.FromTicks(1);

    private readonly VirtualTime _time = new();

    public static TheoryData<Plan> Driven => [.. Enum.GetValues<Plan>().Where(static plan => plan != Plan.Manual)];

    [Fact]
    public async Task Manual_AgesAndRetries_ComeWhenTheTestSaysSo()
    {
        int calls = 0;
        List<TimeSpan> ages = [];
        await using Pipeline<long> pipeline = Builder()
            .Stage("gather", new Ages(ages), Dispatch.Batch(min: 4, maxAge: s_hour))
            .Stage("retry", (ref long _) => _ = ++calls == 1 ? throw new InvalidOperationException() : calls, new() { OnFault = FaultPolicy.Retry(1, s_hour) })
            .Run(Plan.Manual);
        var driver = new ManualDriver(pipeline.Stages);
        pipeline.CreateProducer().Publish(1);

        Assert.Equal(0, driver.RunUntilIdle());
        _time.Advance(s_hour - s_tick);
        Assert.Equal(0, driver.RunUntilIdle());
        _time.Advance(s_tick);
        Assert.Equal(1, driver.RunUntilIdle());
        Assert.Equal([s_hour], ages);
        Assert.Equal(1, calls);
        _time.Advance(s_hour - s_tick);
        Assert.Equal(0, driver.RunUntilIdle());
        _time.Advance(s_tick);
        Assert.Equal(1, driver.RunUntilIdle());
        Assert.Equal(2, calls);
    }

    [Theory]
    [MemberData(nameof(Driven))]
    public async Task Age_AnyPlan_StagesAreWoken(Plan plan)
    {
        Dispatch aged = Dispatch.Batch(min: 4, maxAge: s_hour);
        await using Pipeline<long> pipeline = Builder()
            .Stage("first", static (ref long _) => { }, aged)
            .Stage("second", static (ref long _) => { }, aged)
            .Run(plan);
        pipeline.CreateProducer().Publish(1);
        foreach (string name in (string[])["first", "second"])
        {
            await Watchdog.UntilAsync(() => _time.SetTimers > 0, "a stage to sleep until its batch is old enough");
            Assert.Equal(-1, pipeline[name].Position);
            _time.Advance(s_hour);
            await Watchdog.UntilAsync(() => pipeline[name].Position == 0, "the batch");
        }
    }

    [Fact]
    public async Task Drain_SeveralRings_TimesOutAsTheProviderSays()
    {
        using var mayGoOn = new SemaphoreSlim(0);
        await using Pipeline<long> pipeline = Builder()
            .Stage("first", static (ref long _) => { })
            .Stage("second", (ref long _) => mayGoOn.Wait())
            .Run(Plan.RingPerStage);
        pipeline.CreateProducer().Publish(1);
        Task<DrainResult> drain = pipeline.DrainAsync(s_hour);
        await Watchdog.UntilAsync(() => pipeline["first"].Position == 0 && _time.SetTimers > 0, "the drain");
        _time.Advance(s_hour - s_tick);
        Assert.False(drain.IsCompleted);
        _time.Advance(s_tick);
        Assert.Equal(DrainStatus.TimedOut, (await drain.OrHang()).Status);
        mayGoOn.Release();
    }

    [Fact]
    public async Task Publisher_NoRoom_TimesOutAsTheProviderSays()
    {
        await using Pipeline<long> pipeline = Builder().Stage("take", static (ref long _) => { }).Run(Plan.Manual);
        Publisher<long> publisher = pipeline.Publisher;
        while (publisher.TryPublish(1) == ClaimStatus.Done)
        {
        }

        Task<ClaimStatus> publishing = Run(() => publisher.TryPublish(1, s_hour));
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, "the caller to sleep");
        _time.Advance(s_hour - s_tick);
        Assert.False(publishing.IsCompleted);
        _time.Advance(s_tick);
        Assert.Equal(ClaimStatus.TimedOut, await publishing.OrHang());
        Assert.Equal(0, _time.SetTimers);
    }

    // Another call has the producer and fills its slot: nothing rings a bell for the one behind it.
    [Fact]
    public async Task Publisher_ProducerIsLent_TimesOutAsTheProviderSays()
    {
        using var mayGoOn = new SemaphoreSlim(0);
        using var inside = new SemaphoreSlim(0);
        await using Pipeline<long> pipeline = Builder().Stage("take", static (ref long _) => { }).Run();
        Publisher<long> publisher = pipeline.Publisher;
        Task writing = Run(() =>
        {
            publisher.Publish(
                (inside, mayGoOn),
                static (ref long _, (SemaphoreSlim Inside, SemaphoreSlim MayGoOn) state) =>
                {
                    state.Inside.Release();
                    state.MayGoOn.Wait();
                });
            return ClaimStatus.Done;
        });
        await inside.WaitAsync().OrHang();
        Task<ClaimStatus> publishing = Run(() => publisher.TryPublish(1, s_hour));
        // Before or after the caller has looked at the clock: once an hour has passed since, its time is up.
        bool over = false;
        Task passing = Task.Run(async () =>
        {
            while (!Volatile.Read(ref over))
            {
                _time.Advance(s_hour);
                await Task.Yield();
            }
        });
        try
        {
            Assert.Equal(ClaimStatus.TimedOut, await publishing.OrHang());
        }
        finally
        {
            Volatile.Write(ref over, true);
            mayGoOn.Release();
        }

        await passing.OrHang();
        await writing.OrHang();
    }

    private PipelineBuilder<long, long> Builder() =>
        Pipeline.Of<long>(8).HaltOnDispose().Configure(options => options with { Time = _time });

    private static Task<ClaimStatus> Run(Func<ClaimStatus> call) =>
        Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private sealed class Ages(List<TimeSpan> ages) : IBatchHandler<long>
    {
        public void OnBatch(Batch<long> batch) => ages.Add(batch.Age);
    }
}
