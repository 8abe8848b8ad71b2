using Raceway.Rings;

namespace Raceway.Pipelines.Tests.OverflowOf;

/// <summary>A producer that drops what it has no room for.</summary>
public sealed class DroppingProducerTests
{
    private readonly Keeper _keeper = new();
    private readonly List<long> _dropped = [];

    private async Task<(Pipeline<long> Pipeline, DroppingProducer<long> Producer)> Build(bool multi = false)
    {
        PipelineBuilder<long, long> builder = Pipeline.Of<long>(4).HaltOnDispose().Stage("only", _keeper);
        if (multi) builder.MultiProducer(2);
        Pipeline<long> pipeline = builder.Build(Plan.Manual);
        await pipeline.StartAsync();
        Producer<long> producer = multi ? pipeline.CreateMultiProducer() : pipeline.CreateProducer();
        return (pipeline, new DroppingProducer<long>(producer, (ref readonly long item) => _dropped.Add(item)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Publish_RingFull_DropsTheNewest(bool multi)
    {
        (Pipeline<long> pipeline, DroppingProducer<long> producer) = await Build(multi);
        await using Pipeline<long> owned = pipeline;
        ClaimStatus[] statuses = [.. One.Range(0, 6).Select(item => producer.Publish(item))];
        pipeline.StepAll();
        Assert.Equal(ClaimStatus.Done, producer.Publish(6));
        pipeline.StepAll();

        Assert.Equal([.. Enumerable.Repeat(ClaimStatus.Done, 4), ClaimStatus.Full, ClaimStatus.Full], statuses);
        Assert.Equal([4, 5], _dropped);
        Assert.Equal(2, producer.Dropped);
        Assert.Equal([0, 1, 2, 3, 6], _keeper.Items);
        Assert.Equal(0, pipeline.Only().Dropped);
    }

    [Fact]
    public async Task Publish_ByAWriter_GivesBackWhatItWouldHaveBeenMadeFrom()
    {
        (Pipeline<long> pipeline, DroppingProducer<long> producer) = await Build();
        await using Pipeline<long> owned = pipeline;
        for (int i = 0; i < 6; i++)
            producer.Publish(i, static (ref long slot, int state) => slot = state * 10, (ref readonly int state) => _dropped.Add(state));
        pipeline.StepAll();
        Assert.Equal([0, 10, 20, 30], _keeper.Items);
        Assert.Equal([4, 5], _dropped);
        Assert.Equal(2, producer.Dropped);
    }

    [Fact]
    public async Task Publish_AfterTheEnd_IsNotADrop()
    {
        (Pipeline<long> pipeline, DroppingProducer<long> producer) = await Build();
        await pipeline.DisposeAsync();
        Assert.Equal(ClaimStatus.Stopped, producer.Publish(1));
        Assert.Equal(0, producer.Dropped);
        Assert.Empty(_dropped);
    }

    [Fact]
    public async Task Publish_CallbackThrows_IsThePublishersAndTheRingGoesOn()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(2).HaltOnDispose().Stage("only", _keeper).Build(Plan.Manual);
        await pipeline.StartAsync();
        var producer = new DroppingProducer<long>(
            pipeline.CreateProducer(), static (ref readonly long _) => throw new InvalidOperationException());
        producer.Publish(0);
        producer.Publish(1);
        Assert.Throws<InvalidOperationException>(() => producer.Publish(2));
        pipeline.StepAll();
        Assert.Equal(ClaimStatus.Done, producer.Publish(3));
        Assert.Equal(1, producer.Dropped);
    }

    private struct Carrier
    {
        public Payload Bytes;
        public int Number;
    }

    [Fact]
    public async Task PublishPayload_RingFull_RentsNothing()
    {
        var pool = new CountingPool();
        await using (Pipeline<Carrier> pipeline = Pipeline.Of<Carrier>(2)
            .Configure(options => options with
            {
                Payload = static (ref Carrier slot) => ref slot.Bytes,
                PayloadOptions = new PayloadOptions { Pool = pool, MaxLength = 100, KeepLength = 0 },
                DrainTimeout = TimeSpan.Zero,
            })
            .Stage("only", static (ref Carrier _) => { })
            .Build(Plan.Manual))
        {
            await pipeline.StartAsync();
            var producer = new DroppingProducer<Carrier>(pipeline.CreateProducer());
            for (int i = 0; i < 5; i++)
            {
                ClaimStatus status = producer.PublishPayload(
                    new byte[10], i, static (ref Carrier slot, int state) => slot.Number = state,
                    (ref readonly int state) => _dropped.Add(state));
                Assert.Equal(i < 2 ? ClaimStatus.Done : ClaimStatus.Full, status);
            }

            Assert.Equal(ClaimStatus.TooLarge, producer.PublishPayload(new byte[101], 9, static (ref Carrier _, int _) => { }));
            Assert.Equal((3, 2), (producer.Dropped, pool.Rented));
        }

        Assert.Equal([2, 3, 4], _dropped);
        Assert.Equal(2, pool.Returned);
    }

    private sealed class CountingPool : System.Buffers.ArrayPool<byte>
    {
        public int Rented { get; private set; }

        public int Returned { get; private set; }

        public override byte[] Rent(int minimumLength)
        {
            Rented++;
            return new byte[minimumLength];
        }

        public override void Return(byte[] array, bool clearArray = false) => Returned++;
    }

    [Fact]
    public void Producer_Null_IsRefused() => Assert.Throws<ArgumentNullException>(() => new DroppingProducer<long>(null!));
}
