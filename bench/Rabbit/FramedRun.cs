using System.Diagnostics;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.RabbitBench;

/// <summary>Items over a link: from a ring into frames, queues, and another ring, until the last has been handled.</summary>
internal static class FramedRun
{
    private const int Capacity = 16 * 1024;

    public static async Task<(double Seconds, bool IsRight, string Note)> RunAsync(
        RabbitMqOptions broker, int items, int partitions, int frameLength, CancellationToken cancellation)
    {
        var link = new LinkAddress($"bench.{Guid.NewGuid():n}", partitions);
        await using var transport = new RabbitMqTransport(broker);
        try
        {
            return await RunAsync(transport, link, items, frameLength, cancellation);
        }
        finally
        {
            await Cleanup.DeleteAsync($"link {link.Name}", limit => transport.DeleteAsync(link, limit).AsTask());
        }
    }

    private static async Task<(double Seconds, bool IsRight, string Note)> RunAsync(
        RabbitMqTransport transport, LinkAddress link, int items, int frameLength, CancellationToken cancellation)
    {
        var options = new LinkOptions { FrameLength = frameLength };
        IItemCodec<Item> codec = ItemCodec.Unmanaged<Item>();
        var arrivals = new Arrivals(items);
        await using var source = new LinkSource<Item>(link, codec, options);
        await using Pipeline<Item> receiving = Pipeline.Of<Item>(Capacity)
            .Stage("count", new Counting(arrivals)).Stage("acknowledge", source.Acknowledger).Run(Plan.Fused);
        await source.StartAsync(transport, receiving, cancellation);
        await source.SubscribeAsync(Enumerable.Range(0, link.Partitions), cancellation);
        await using LinkSender<Item> sender = await LinkSender<Item>.OpenAsync<int>(
            transport, link, codec, static (ref readonly Item item) => item.Key, options, cancellation);
        await using Pipeline<Item> sending = Pipeline.Of<Item>(Capacity)
            .Stage("send", sender, Dispatch.Batch(max: Capacity)).Run();

        long begun = Stopwatch.GetTimestamp();
        Task feeding = Task.Factory.StartNew(
            () => Feed(sending, items, cancellation), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Task all = Task.WhenAll(feeding, arrivals.Done.Task.WaitAsync(cancellation));
        // A pipeline that fails lets nothing arrive any more.
        await await Task.WhenAny(all, sending.Completion, receiving.Completion);
        double seconds = Stopwatch.GetElapsedTime(begun).TotalSeconds;
        await sending.DrainAsync(TimeSpan.FromMinutes(1), cancellation);
        LinkSenderStatistics sent = sender.Statistics;
        return (seconds, arrivals.IsRight, $"{sent.Frames} frames of {sent.Items / sent.Frames} items, {sent.Refused} refused");
    }

    private static void Feed(Pipeline<Item> pipeline, int items, CancellationToken cancellation)
    {
        using SingleProducer<Item> producer = pipeline.CreateProducer();
        for (int number = 0; number < items; number++)
        {
            if (number % Capacity == 0) cancellation.ThrowIfCancellationRequested();
            producer.Publish(Item.At(number));
        }
    }

    private sealed class Counting(Arrivals arrivals) : IBatchHandler<Item>
    {
        public void OnBatch(Batch<Item> batch)
        {
            foreach (ref Item item in batch) arrivals.Add(in item);
        }
    }
}
