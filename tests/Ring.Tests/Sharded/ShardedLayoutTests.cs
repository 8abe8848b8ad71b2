namespace Raceway.Rings.Tests;

/// <summary>The slots of lanes, however far apart, and columns beside them.</summary>
public sealed class ShardedLayoutTests
{
    private static RingBuffer<long> Ring(int capacity, int stride = 0) => new(capacity, new RingOptions<long>
    {
        Producers = ProducerKind.Sharded, MaxProducers = 2, SlotStride = stride, DrainTimeout = TimeSpan.Zero,
    });

    [Theory]
    [InlineData("event")]
    [InlineData("single")]
    [InlineData("delegate")]
    [InlineData("batch")]
    public void Stage_SlotsApart_SeesEveryItem(string form)
    {
        RingBuffer<long> ring = Ring(16, stride: 64);
        List<long> seen = [];
        StageOptions options = Make.Stepped(form == "single" ? Dispatch.Single : Dispatch.Batch());
        Stage stage = form switch
        {
            "delegate" => ring.Subscribe((ref long item) => seen.Add(item), options),
            "batch" => ring.Subscribe(
                new BatchLambda<long>(batch =>
                {
                    foreach (ref long item in batch) seen.Add(item);
                }),
                options),
            _ => ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) => seen.Add(item)), options),
        };
        SingleProducer<long>[] producers = [ring.CreateProducer(), ring.CreateProducer()];
        for (int lap = 0; lap < 5; lap++)
        {
            seen.Clear();
            for (int i = 1; i <= 8; i++)
                foreach (SingleProducer<long> producer in producers) producer.Publish(100 * lap + i);
            Assert.Equal(16, Make.StepAll(stage));
            Assert.Equal(Make.Range(100 * lap + 1, 100 * lap + 8).SelectMany(i => new[] { i, i }), seen.Order());
        }
    }

    [Fact]
    public void Map_FromAColumnBackIntoTheLanes_WritesEachItemItsOwnResult()
    {
        RingBuffer<long> ring = Ring(16);
        Slots<long> doubled = ring.AddColumn<long>();
        Stage there = ring.Slots.Subscribe(new Times(2), doubled, Make.Stepped());
        Stage back = doubled.Subscribe(new Times(5), ring.Slots, Make.Stepped(after: [there]));
        var handler = new Recorder();
        Stage last = ring.Subscribe(handler, Make.Stepped(after: [back]));
        SingleProducer<long>[] producers = [ring.CreateProducer(), ring.CreateProducer()];
        for (int i = 0; i < 6; i++) producers[i / 3 % 2].Publish(i + 1);
        Make.StepAll(there);
        Make.StepAll(back);
        Make.StepAll(last);
        Assert.Equal([10, 20, 30, 40, 50, 60], handler.Items.Order());
    }

    private sealed class Times(long factor) : IMapHandler<long, long>
    {
        public void OnBatch(Batch<long> source, Batch<long> results)
        {
            for (int i = 0; i < source.Count; i++) results[i] = source[i] * factor;
        }
    }
}
