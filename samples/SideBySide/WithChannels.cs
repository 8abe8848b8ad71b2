using System.Threading.Channels;
using static SideBySide.Work;

namespace SideBySide;

internal static class WithChannels
{
    public static async Task<long> OneToOneAsync()
    {
        long sum = 0;
        var channel = Channel.CreateBounded<long>(new BoundedChannelOptions(1024) { SingleWriter = true, SingleReader = true });
        Task reading = Task.Run(async () =>
        {
            await foreach (long item in channel.Reader.ReadAllAsync()) sum += item;
        });
        for (long item = 0; item < Items; item++) await channel.Writer.WriteAsync(item);
        channel.Writer.Complete();
        await reading;
        return sum;
    }

    // A channel to each branch, one from each, and a stage that takes one of both: order makes them fit.
    public static async Task<long> DiamondAsync()
    {
        long sum = 0;
        var toPrice = Channel.CreateBounded<Order>(1024);
        var toCheck = Channel.CreateBounded<Order>(1024);
        var priced = Channel.CreateBounded<Order>(1024);
        var looked = Channel.CreateBounded<Order>(1024);
        Task pricing = Branch(toPrice.Reader, priced.Writer, static order => order with { Priced = Price(order.Id) });
        Task checking = Branch(toCheck.Reader, looked.Writer, static order => order with { Checked = Check(order.Id) });
        Task joining = Task.Run(async () =>
        {
            await foreach (Order one in priced.Reader.ReadAllAsync()) sum += one.Priced + (await looked.Reader.ReadAsync()).Checked;
        });
        for (long item = 0; item < Items; item++)
        {
            await toPrice.Writer.WriteAsync(new Order { Id = item });
            await toCheck.Writer.WriteAsync(new Order { Id = item });
        }

        toPrice.Writer.Complete();
        toCheck.Writer.Complete();
        await Task.WhenAll(pricing, checking, joining);
        return sum;

        static Task Branch(ChannelReader<Order> from, ChannelWriter<Order> to, Func<Order, Order> work) => Task.Run(async () =>
        {
            await foreach (Order order in from.ReadAllAsync()) await to.WriteAsync(work(order));
            to.Complete();
        });
    }

    public static async Task<long> ManyProducersAsync()
    {
        long sum = 0;
        var channel = Channel.CreateBounded<long>(new BoundedChannelOptions(1024) { SingleReader = true });
        Task reading = Task.Run(async () =>
        {
            await foreach (long item in channel.Reader.ReadAllAsync()) sum += item;
        });
        await Task.WhenAll(Enumerable.Range(0, Producers).Select(_ => Task.Run(async () =>
        {
            for (long item = 0; item < Items; item++) await channel.Writer.WriteAsync(item);
        })));
        channel.Writer.Complete();
        await reading;
        return sum;
    }

    public static async Task<long> BatchesAsync()
    {
        long sum = 0;
        var channel = Channel.CreateBounded<long>(new BoundedChannelOptions(1024) { SingleWriter = true, SingleReader = true });
        Task reading = Task.Run(async () =>
        {
            long[] batch = new long[64];
            while (await channel.Reader.WaitToReadAsync())
            {
                int count = 0;
                while (count < batch.Length && channel.Reader.TryRead(out long item)) batch[count++] = item;
                foreach (long item in batch.AsSpan(0, count)) sum += item;
            }
        });
        for (long item = 0; item < Items; item++) await channel.Writer.WriteAsync(item);
        channel.Writer.Complete();
        await reading;
        return sum;
    }

    // A rented array travels with the message; its reader gives it back.
    public static async Task<long> PayloadsAsync()
    {
        long sum = 0;
        var channel = Channel.CreateBounded<(long Id, byte[] Rented, int Length)>(1024);
        Task reading = Task.Run(async () =>
        {
            await foreach ((long id, byte[] rented, int length) in channel.Reader.ReadAllAsync())
            {
                sum += id + length;
                System.Buffers.ArrayPool<byte>.Shared.Return(rented);
            }
        });
        for (long item = 0; item < Items; item++)
        {
            byte[] bytes = Bytes(item);
            byte[] rented = System.Buffers.ArrayPool<byte>.Shared.Rent(bytes.Length);
            bytes.CopyTo(rented, 0);
            await channel.Writer.WriteAsync((item, rented, bytes.Length));
        }

        channel.Writer.Complete();
        await reading;
        return sum;
    }

    public static async Task<long> AwaitsAsync()
    {
        long sum = 0;
        var channel = Channel.CreateBounded<long>(new BoundedChannelOptions(1024) { SingleWriter = true, SingleReader = true });
        Task reading = Task.Run(async () =>
        {
            var batch = new List<long>(256);
            while (await channel.Reader.WaitToReadAsync())
            {
                while (batch.Count < 256 && channel.Reader.TryRead(out long item)) batch.Add(item);
                await Task.Yield();
                foreach (long item in batch) sum += item;
                batch.Clear();
            }
        });
        for (long item = 0; item < Items; item++) await channel.Writer.WriteAsync(item);
        channel.Writer.Complete();
        await reading;
        return sum;
    }

    public static async Task<long> LanesAsync()
    {
        long[] last = new long[Keys];
        Channel<long>[] lanes = [.. Enumerable.Range(0, Lanes).Select(static _ => Channel.CreateBounded<long>(1024 / Lanes))];
        Task[] reading = [.. lanes.Select(lane => Task.Run(async () =>
        {
            await foreach (long item in lane.Reader.ReadAllAsync()) last[item % Keys] = item;
        }))];
        for (long item = 0; item < Items; item++) await lanes[item % Keys % Lanes].Writer.WriteAsync(item);
        foreach (Channel<long> lane in lanes) lane.Writer.Complete();
        await Task.WhenAll(reading);
        return last.Sum();
    }
}
