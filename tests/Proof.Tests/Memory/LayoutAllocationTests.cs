namespace Raceway.Proof.Tests.Memory;

/// <summary>No message costs an allocation, over all threads: the layouts, and several lanes, beside what the ring's own tests have.</summary>
[Collection(OneAtATime.Name)]
public sealed class LayoutAllocationTests
{
    private const int WarmUp = 200_000;
    private const int Messages = 100_000;

    public static TheoryData<ProducerKind, StampLayout, int, string> Cases()
    {
        var data = new TheoryData<ProducerKind, StampLayout, int, string>();
        foreach (string wait in new[] { "park", "async" })
        {
            data.Add(ProducerKind.Single, StampLayout.InSlot, 64, wait);
            data.Add(ProducerKind.Single, StampLayout.Separate, 64, wait);
            data.Add(ProducerKind.Multi, StampLayout.InSlot, 64, wait);
            data.Add(ProducerKind.Multi, StampLayout.Padded, 0, wait);
            data.Add(ProducerKind.Sharded, StampLayout.Separate, 0, wait);
            data.Add(ProducerKind.Sharded, StampLayout.Separate, 64, wait);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Publish_ByTwoThreads_AllocatesNothing(ProducerKind kind, StampLayout stamps, int stride, string wait)
    {
        int threads = kind == ProducerKind.Single ? 1 : 2;
        Wait waits = Wait.All.Single(each => each.Name == wait);
        var ring = new RingBuffer<long>(256, new RingOptions<long>
        {
            Producers = kind, MaxProducers = threads, Stamps = stamps, SlotStride = stride, Wait = waits, ProducerWait = waits,
            CheckProducer = false,
        });
        long handled = 0;
        Stage first = ring.Subscribe((ref long item) => item++);
        ring.Subscribe((ref long _) => Volatile.Write(ref handled, handled + 1), new StageOptions { After = [first] });
        ring.Start();
        // The threads live through all measurements: what they are made of is no message's.
        long asked = 0;
        bool stop = false;
        Task publishing = Task.WhenAll([.. Enumerable.Range(0, threads).Select(thread =>
        {
            Producer<long> producer = kind == ProducerKind.Multi ? ring.CreateMultiProducer() : ring.CreateProducer();
            return Watchdog.Run(() =>
            {
                for (long published = 0; !Volatile.Read(ref stop);)
                {
                    if (published >= Volatile.Read(ref asked)) Thread.Yield();
                    else producer.Publish(published++);
                }
            });
        })]);
        Task measuring = Watchdog.Run(() =>
        {
            Publish(WarmUp);
            Allocated.AssertNoneAMessage(Messages, () => Publish(Messages));
        });
        try
        {
            await Watchdog.Await(measuring, ring);
        }
        finally
        {
            Volatile.Write(ref stop, true);
        }

        await Watchdog.Await(publishing, ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(asked * threads, handled);

        void Publish(int messages)
        {
            Volatile.Write(ref asked, asked + messages / threads);
            while (Volatile.Read(ref handled) < asked * threads && !publishing.IsCompleted) Thread.Yield();
        }
    }
}
