namespace Raceway.Rings.Tests;

/// <summary>Producers publish until they are refused while the ring ends: what was accepted is handled or counted, exactly.</summary>
public sealed class EndingStressTests
{
    private const int Rounds = 60;

    public static TheoryData<ProducerKind, bool, string, int> Cases()
    {
        var data = new TheoryData<ProducerKind, bool, string, int>();
        foreach (string ending in new[] { "drain", "halt", "dispose" })
        {
            foreach (int capacity in new[] { 8, 256 })
            {
                data.Add(ProducerKind.Multi, false, ending, capacity);
                foreach (bool open in new[] { false, true })
                {
                    data.Add(ProducerKind.Single, open, ending, capacity);
                    data.Add(ProducerKind.Sharded, open, ending, capacity);
                }
            }
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Ending_AnyMoment_AcceptedIsHandledOrCounted(ProducerKind kind, bool open, string ending, int capacity)
    {
        var random = new Random(capacity + (open ? 1 : 0));
        for (int round = 0; round < Rounds; round++)
        {
            int lanes = kind == ProducerKind.Single ? 1 : 3;
            var ring = new RingBuffer<long>(capacity, new RingOptions<long>
            {
                Producers = kind, MaxProducers = lanes, DrainTimeout = TimeSpan.FromDays(1),
            });
            var handler = new Counting();
            ring.Subscribe(handler);
            ring.Start();
            Task<long>[] publishing = [.. Enumerable.Range(0, lanes).Select(_ =>
            {
                Producer<long> producer = Make.Producer(ring);
                return Watchdog.Run(() => open ? PublishOpen((SingleProducer<long>)producer) : Publish(producer));
            })];
            int moment = random.Next(2_000);
            await Watchdog.UntilAsync(() => handler.Count >= moment, ring);
            Cpu.Pause(random.Next(2_000));
            Task ended = ending switch
            {
                "drain" => ring.DrainAsync(Timeout.InfiniteTimeSpan),
                "halt" => ring.HaltAsync(),
                _ => ring.DisposeAsync().AsTask(),
            };
            await Watchdog.Await(ended, ring);
            await Watchdog.Await(Task.WhenAll(publishing), ring);
            long accepted = publishing.Sum(producer => producer.Result);
            Assert.Equal(accepted, handler.Count + ring.Unprocessed);
            if (ending != "halt") Assert.Equal(0, ring.Unprocessed);
        }
    }

    private static long Publish(Producer<long> producer)
    {
        long accepted = 0;
        try
        {
            while (true)
            {
                producer.Publish(1);
                accepted++;
            }
        }
        catch (Exception stopped) when (stopped is RingStoppedException or ObjectDisposedException)
        {
            return accepted;
        }
    }

    private static long PublishOpen(SingleProducer<long> handle)
    {
        long accepted = 0;
        try
        {
            using OpenProducer<long> producer = handle.Open();
            while (true)
            {
                producer.Publish(1);
                accepted++;
            }
        }
        catch (Exception stopped) when (stopped is RingStoppedException or ObjectDisposedException)
        {
            return accepted;
        }
    }

    private sealed class Counting : IBatchHandler<long>
    {
        private long _count;

        public long Count => Volatile.Read(ref _count);

        public void OnBatch(Batch<long> batch) => Volatile.Write(ref _count, _count + batch.Count);
    }
}
