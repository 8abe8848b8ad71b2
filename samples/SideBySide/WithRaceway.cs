using Raceway.Pipelines;
using Raceway.Rings;
using static SideBySide.Work;

namespace SideBySide;

internal static class WithRaceway
{
    public static async Task<long> OneToOneAsync()
    {
        long sum = 0;
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024)
            .Stage("sum", (ref long item) => sum += item)
            .Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < Items; item++) producer.Publish(item);
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        return sum;
    }

    public static async Task<long> DiamondAsync()
    {
        long sum = 0;
        await using Pipeline<Order> pipeline = Pipeline.Of<Order>(1024)
            .Fork(
                one => one.Stage("price", static (ref Order order) => order.Priced = Price(order.Id)),
                two => two.Stage("check", static (ref Order order) => order.Checked = Check(order.Id)))
            .Stage("sum", (ref Order order) => sum += order.Priced + order.Checked)
            .Run();
        SingleProducer<Order> producer = pipeline.CreateProducer();
        for (long item = 0; item < Items; item++) producer.Publish(new Order { Id = item });
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        return sum;
    }

    public static async Task<long> ManyProducersAsync()
    {
        long sum = 0;
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024)
            .MultiProducer(Producers)
            .Stage("sum", (ref long item) => sum += item)
            .Run();
        await Task.WhenAll(Enumerable.Range(0, Producers).Select(_ => Task.Run(() =>
        {
            using MultiProducer<long> producer = pipeline.CreateMultiProducer();
            for (long item = 0; item < Items; item++) producer.Publish(item);
        })));
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        return sum;
    }

    public static async Task<long> BatchesAsync()
    {
        var sum = new BatchSum();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024)
            .Stage("sum", sum, Dispatch.Batch(max: 64))
            .Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < Items; item++) producer.Publish(item);
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        return sum.Total;
    }

    public static async Task<long> PayloadsAsync()
    {
        long sum = 0;
        await using Pipeline<Message> pipeline = Pipeline.Of<Message>(1024)
            .Configure(static options => options with { Payload = static (ref Message message) => ref message.Body })
            .Stage("sum", (ref Message message) => sum += message.Id + message.Body.Length)
            .Run();
        SingleProducer<Message> producer = pipeline.CreateProducer();
        for (long item = 0; item < Items; item++)
            producer.PublishPayload(Bytes(item), item, static (ref message, id) => message.Id = id);
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        return sum;
    }

    public static async Task<long> AwaitsAsync()
    {
        var sum = new AsyncSum();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024)
            .Stage("sum", sum, Dispatch.Batch(max: 256))
            .Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < Items; item++) await producer.PublishAsync(item);
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        return sum.Total;
    }

    public static async Task<long> LanesAsync()
    {
        long[] last = new long[Keys];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024)
            .Lanes("last", Lanes, static (ref readonly long item) => item % Keys, (ref long item) => last[item % Keys] = item)
            .Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < Items; item++) producer.Publish(item);
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        return last.Sum();
    }

    private sealed class BatchSum : IBatchHandler<long>
    {
        public long Total { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            foreach (ref long item in batch) Total += item;
        }
    }

    private sealed class AsyncSum : IAsyncBatchHandler<long>
    {
        public long Total { get; private set; }

        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
        {
            await Task.Yield();
            foreach (ref long item in batch) Total += item;
        }
    }

    private struct Message
    {
        public long Id;
        public Payload Body;
    }
}
