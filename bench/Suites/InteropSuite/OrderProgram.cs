using System.Threading.Channels;
using Raceway.Interop;
using Raceway.Pipelines;

namespace Raceway.Suites.InteropSuite;

/// <summary>A program as it is written with channels: a source, a task that prices, a task that sums; and what may stand in between.</summary>
/// <remarks>
/// The three tasks are the same code whichever channel they are given. In the forms that replace a task, the same work is a stage.
/// </remarks>
internal static class OrderProgram
{
    public const int Capacity = 1024;

    /// <summary>The program over two channels.</summary>
    public static async Task TwoHopsAsync(
        Func<(ChannelWriter<Order> Writer, ChannelReader<Order> Reader)> create, long count, OrderSum sum)
    {
        (ChannelWriter<Order> orders, ChannelReader<Order> toPrice) = create();
        (ChannelWriter<Order> priced, ChannelReader<Order> toSum) = create();
        await Task.WhenAll(
            Task.Run(() => SourceAsync(orders, count)), Task.Run(() => PriceAsync(toPrice, priced)), Task.Run(() => SumAsync(toSum, sum)))
            .ConfigureAwait(false);
    }

    /// <summary>The program without its middle: the source prices.</summary>
    public static async Task OneHopAsync(
        Func<(ChannelWriter<Order> Writer, ChannelReader<Order> Reader)> create, long count, OrderSum sum)
    {
        (ChannelWriter<Order> priced, ChannelReader<Order> toSum) = create();
        await Task.WhenAll(Task.Run(() => SourcePricedAsync(priced, count)), Task.Run(() => SumAsync(toSum, sum))).ConfigureAwait(false);
    }

    /// <summary>One pipeline for both channels and both tasks.</summary>
    public static async Task StagesAsync(long count, OrderSum sum)
    {
        await using Pipeline<Order> pipeline = Pipeline.Of<Order>(Capacity)
            .Stage("price", static (ref Order order) => order.SetTotal())
            .Stage("sum", sum)
            .Run(Plan.Auto);
        await SourceAsync(pipeline.AsChannelWriter(singleWriter: true), count).ConfigureAwait(false);
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).ConfigureAwait(false);
    }

    /// <summary>One pipeline for the middle; what it prices is read in batches.</summary>
    public static async Task BatchesAsync(long count, OrderSum sum)
    {
        await using Pipeline<Order> pipeline =
            Pipeline.Of<Order>(Capacity).Stage("price", static (ref Order order) => order.SetTotal()).Build(Plan.SharedRing);
        IAsyncEnumerable<ReadOnlyMemory<Order>> batches = pipeline.AsAsyncBatches();
        await pipeline.StartAsync().ConfigureAwait(false);
        ChannelWriter<Order> orders = pipeline.AsChannelWriter(singleWriter: true);
        Task source = Task.Run(() => SourceAsync(orders, count));
        await foreach (ReadOnlyMemory<Order> batch in batches.ConfigureAwait(false))
            foreach (ref readonly Order order in batch.Span) sum.Take(in order);
        await source.ConfigureAwait(false);
    }

    /// <summary>A channel of the runtime.</summary>
    public static (ChannelWriter<Order> Writer, ChannelReader<Order> Reader) Bounded()
    {
        Channel<Order> channel = Channel.CreateBounded<Order>(
            new BoundedChannelOptions(Capacity) { SingleReader = true, SingleWriter = true });
        return (channel.Writer, channel.Reader);
    }

    /// <summary>The same without a bound: no back-pressure, and memory as it comes.</summary>
    public static (ChannelWriter<Order> Writer, ChannelReader<Order> Reader) Unbounded()
    {
        Channel<Order> channel = Channel.CreateUnbounded<Order>(
            new UnboundedChannelOptions { SingleReader = true, SingleWriter = true });
        return (channel.Writer, channel.Reader);
    }

    /// <summary>A channel of ours, for one writer and one reader as the others.</summary>
    public static (ChannelWriter<Order> Writer, ChannelReader<Order> Reader) Raceway()
    {
        PipelineChannel<Order, Order> channel = Pipeline.Of<Order>(Capacity).RunAsChannel(singleWriter: true, singleReader: true);
        return (channel.Writer, channel.Reader);
    }

    private static async Task SourceAsync(ChannelWriter<Order> to, long count)
    {
        for (long id = 0; id < count; id++) await to.WriteAsync(Order.Of(id)).ConfigureAwait(false);
        to.Complete();
    }

    private static async Task SourcePricedAsync(ChannelWriter<Order> to, long count)
    {
        for (long id = 0; id < count; id++)
        {
            var order = Order.Of(id);
            order.SetTotal();
            await to.WriteAsync(order).ConfigureAwait(false);
        }

        to.Complete();
    }

    private static async Task PriceAsync(ChannelReader<Order> from, ChannelWriter<Order> to)
    {
        await foreach (Order each in from.ReadAllAsync().ConfigureAwait(false))
        {
            Order order = each;
            order.SetTotal();
            await to.WriteAsync(order).ConfigureAwait(false);
        }

        to.Complete();
    }

    private static async Task SumAsync(ChannelReader<Order> from, OrderSum sum)
    {
        await foreach (Order order in from.ReadAllAsync().ConfigureAwait(false)) sum.Take(in order);
    }
}
