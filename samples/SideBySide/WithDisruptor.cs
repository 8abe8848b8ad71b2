using Disruptor;
using Disruptor.Dsl;
using static SideBySide.Work;

namespace SideBySide;

/// <summary>Built with <c>-p:PeerPackages=true</c> only.</summary>
internal static class WithDisruptor
{
    public static async Task<long> OneToOneAsync()
    {
        var sum = new Sum();
        var disruptor = new Disruptor<Slot>(static () => new Slot(), 1024, TaskScheduler.Default, ProducerType.Single, new BlockingWaitStrategy());
        disruptor.HandleEventsWith(sum);
        await disruptor.Start();
        Publish(disruptor);
        await disruptor.Shutdown();
        return sum.Total;
    }

    public static async Task<long> DiamondAsync()
    {
        var join = new Join();
        var disruptor = new Disruptor<Slot>(static () => new Slot(), 1024, TaskScheduler.Default, ProducerType.Single, new BlockingWaitStrategy());
        disruptor.HandleEventsWith(new Pricing(), new Checking()).Then(join);
        await disruptor.Start();
        Publish(disruptor);
        await disruptor.Shutdown();
        return join.Total;
    }

    public static async Task<long> ManyProducersAsync()
    {
        var sum = new Sum();
        var disruptor = new Disruptor<Slot>(static () => new Slot(), 1024);
        disruptor.HandleEventsWith(sum);
        await disruptor.Start();
        await Task.WhenAll(Enumerable.Range(0, Producers).Select(_ => Task.Run(() => Publish(disruptor))));
        await disruptor.Shutdown();
        return sum.Total;
    }

    public static async Task<long> BatchesAsync()
    {
        var sum = new BatchSum();
        var disruptor = new Disruptor<Slot>(static () => new Slot(), 1024, TaskScheduler.Default, ProducerType.Single, new BlockingWaitStrategy());
        disruptor.HandleEventsWith(sum);
        await disruptor.Start();
        Publish(disruptor);
        await disruptor.Shutdown();
        return sum.Total;
    }

    // An array for each slot, as long as the longest message.
    public static async Task<long> PayloadsAsync()
    {
        var sum = new PayloadSum();
        var disruptor = new Disruptor<Slot>(static () => new Slot(), 1024, TaskScheduler.Default, ProducerType.Single, new BlockingWaitStrategy());
        disruptor.HandleEventsWith(sum);
        await disruptor.Start();
        for (long item = 0; item < Items; item++)
        {
            byte[] bytes = Bytes(item);
            using var scope = disruptor.PublishEvent();
            Slot slot = scope.Event();
            slot.Id = item;
            bytes.CopyTo(slot.Body, 0);
            slot.Length = bytes.Length;
        }

        await disruptor.Shutdown();
        return sum.Total;
    }

    public static async Task<long> AwaitsAsync()
    {
        var sum = new AsyncSum();
        var disruptor = new Disruptor<Slot>(static () => new Slot(), 1024, TaskScheduler.Default, ProducerType.Single, new AsyncWaitStrategy());
        disruptor.HandleEventsWith(sum);
        await disruptor.Start();
        Publish(disruptor);
        await disruptor.Shutdown();
        return sum.Total;
    }

    // Every lane looks at every item, and leaves the others' alone.
    public static async Task<long> LanesAsync()
    {
        long[] last = new long[Keys];
        var disruptor = new Disruptor<Slot>(static () => new Slot(), 1024, TaskScheduler.Default, ProducerType.Single, new BlockingWaitStrategy());
        disruptor.HandleEventsWith([.. Enumerable.Range(0, Lanes).Select(lane => new Lane(lane, last))]);
        await disruptor.Start();
        Publish(disruptor);
        await disruptor.Shutdown();
        return last.Sum();
    }

    private static void Publish(Disruptor<Slot> disruptor)
    {
        for (long item = 0; item < Items; item++)
        {
            using var scope = disruptor.PublishEvent();
            scope.Event().Id = item;
        }
    }

    private sealed class Slot
    {
        public long Id;
        public long Priced;
        public long Checked;
        public readonly byte[] Body = new byte[64];
        public int Length;
    }

    private sealed class Sum : IEventHandler<Slot>
    {
        public long Total { get; private set; }

        public void OnEvent(Slot data, long sequence, bool endOfBatch) => Total += data.Id;
    }

    private sealed class Pricing : IEventHandler<Slot>
    {
        public void OnEvent(Slot data, long sequence, bool endOfBatch) => data.Priced = Price(data.Id);
    }

    private sealed class Checking : IEventHandler<Slot>
    {
        public void OnEvent(Slot data, long sequence, bool endOfBatch) => data.Checked = Check(data.Id);
    }

    private sealed class Join : IEventHandler<Slot>
    {
        public long Total { get; private set; }

        public void OnEvent(Slot data, long sequence, bool endOfBatch) => Total += data.Priced + data.Checked;
    }

    private sealed class BatchSum : IBatchEventHandler<Slot>
    {
        public long Total { get; private set; }

        public int? MaxBatchSize => 64;

        public void OnBatch(EventBatch<Slot> batch, long sequence)
        {
            foreach (Slot slot in batch) Total += slot.Id;
        }
    }

    private sealed class PayloadSum : IEventHandler<Slot>
    {
        public long Total { get; private set; }

        public void OnEvent(Slot data, long sequence, bool endOfBatch) => Total += data.Id + data.Length;
    }

    private sealed class AsyncSum : IAsyncBatchEventHandler<Slot>
    {
        public long Total { get; private set; }

        public int? MaxBatchSize => 256;

        public async ValueTask OnBatch(EventBatch<Slot> batch, long sequence)
        {
            await Task.Yield();
            foreach (Slot slot in batch) Total += slot.Id;
        }
    }

    private sealed class Lane(int lane, long[] last) : IEventHandler<Slot>
    {
        public void OnEvent(Slot data, long sequence, bool endOfBatch)
        {
            if (data.Id % Keys % Lanes == lane) last[data.Id % Keys] = data.Id;
        }
    }
}
