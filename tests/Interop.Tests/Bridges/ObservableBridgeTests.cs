using System.Threading.Channels;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>What observables promise beside the contract.</summary>
public sealed class ObservableBridgeTests
{
    [Fact]
    public async Task Observer_Throws_FaultsThePipelineAsAHandlerWould()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8).Stage("none", static (ref long _) => { }).Run();
        pipeline.AsObservable().Subscribe(new Thrower());
        pipeline.CreateProducer().Publish(1);
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        Assert.IsType<InvalidDataException>(fault.InnerException);
    }

    [Fact]
    public async Task Subscription_Disposed_HoldsNobodyBackAnyMore()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8).Stage("none", static (ref long _) => { }).Run();
        using IDisposable first = pipeline.AsObservable().Subscribe(new Counter());
        var second = new Counter();
        using IDisposable other = pipeline.AsObservable().Subscribe(second);
        ChannelReader<long> third = pipeline.AsChannelReader();
        Assert.Equal(4, pipeline.Stages.Count);
        // Beside each other: that one leaves, the others stay.
        first.Dispose();
        await Watchdog.UntilAsync(() => pipeline.Stages.Count == 3, "the stage that leaves");
        SingleProducer<long> producer = pipeline.CreateProducer();
        Task<DrainResult> publishing = Task.Run(() =>
        {
            for (int i = 0; i < 1_000; i++) producer.Publish(i);
            return pipeline.DrainAsync(TimeSpan.FromSeconds(60));
        });
        int read = 0;
        await foreach (long item in third.ReadAllAsync()) Assert.Equal(read++, item);
        Assert.True((await publishing.OrHang()).IsDrained);
        await second.End.Task.OrHang();
        Assert.Equal((1_000, 1_000), (second.Count, read));
    }

    private sealed class Thrower : IObserver<long>
    {
        public void OnNext(long value) => throw new InvalidDataException();

        public void OnCompleted()
        {
        }

        public void OnError(Exception error)
        {
        }
    }

    private sealed class Counter : IObserver<long>
    {
        public int Count { get; private set; }

        public TaskCompletionSource End { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void OnNext(long value) => Count++;

        public void OnCompleted() => End.SetResult();

        public void OnError(Exception error) => End.SetException(error);
    }
}
