namespace Raceway.Rings.Tests;

/// <summary>No message costs an allocation: every wait strategy, with the ring's own drivers.</summary>
[Collection(AllocationGroup.Name)]
public sealed class DrivenAllocationTests
{
    // Milliseconds of one run that handle nothing any more.
    private const int Hang = 120_000;

    private const int WarmUp = 200_000;
    private const int Messages = 100_000;

    public static TheoryData<string, ProducerKind, string> Waits()
    {
        var data = new TheoryData<string, ProducerKind, string>();
        foreach (Wait wait in Wait.All)
        {
            data.Add(wait.Name, ProducerKind.Single, "sync");
            data.Add(wait.Name, ProducerKind.Multi, "sync");
            data.Add(wait.Name, ProducerKind.Sharded, "sync");
        }

        data.Add("park", ProducerKind.Single, "async");
        data.Add("async", ProducerKind.Single, "async");
        data.Add("async", ProducerKind.Single, "kept task");
        return data;
    }

    private static Stage Attach(RingBuffer<long> ring, string handler)
    {
        // As the runtime keeps one for each common result.
        Task kept = Task.FromResult(1);
        return handler switch
        {
            "sync" => ring.Subscribe(new Summer()),
            "kept task" => ring.Subscribe(new AsyncLambda<long>((_, _) => new ValueTask(kept))),
            _ => ring.Subscribe(new AsyncLambda<long>(static (_, _) => default)),
        };
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public void Publish_ToAThread_AllocatesNothing(string wait, ProducerKind kind, string handler)
    {
        // Small, so that an object for each batch would be many.
        var ring = Make.Ring(256, kind, Wait.All.Single(each => each.Name == wait));
        Stage stage = Attach(ring, handler);
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        long target = -1;
        Publish(WarmUp);
        Allocated.AssertNoneAMessage(Messages, () => Publish(Messages));
        // A stage counts a batch just behind it.
        Watchdog.Until(() => stage.GetStatistics().Items == target + 1, "the statistics");
        ring.HaltAsync().ContinueWith(static _ => { }, TaskScheduler.Default);

        void Publish(int messages)
        {
            long end = Environment.TickCount64 + Hang;
            for (int i = 0; i < messages; i++) producer.Publish(i);
            target += messages;
            while (stage.Position < target && Environment.TickCount64 < end) Thread.Yield();
            Assert.Equal(target, stage.Position);
        }
    }

    // Batches of two at least in a ring of four: the producer often waits for room, and asks the stage not to wait for company.
    [Fact]
    public void Publish_WaitsBesideAMinimum_AllocatesNothing()
    {
        const int Few = 2_000;
        var ring = Make.Ring(4);
        Stage stage = ring.Subscribe(
            new Summer(), new StageOptions { Dispatch = Dispatch.Batch(max: 2, min: 2, maxAge: TimeSpan.FromMilliseconds(1)) });
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        Publish();
        Allocated.AssertFewer(Few / 3, Publish);
        Assert.True(ring.GetStatistics().Waits > 0);
        ring.HaltAsync().ContinueWith(static _ => { }, TaskScheduler.Default);

        void Publish()
        {
            long end = Environment.TickCount64 + Hang;
            for (int i = 0; i < Few; i++) producer.Publish(i);
            while (stage.Lag > 0 && Environment.TickCount64 < end) Thread.Yield();
            Assert.Equal(0, stage.Lag);
        }
    }

    public static TheoryData<string, string, int> Trickles => new()
    {
        { "park", "sync", 2 }, { "park", "sync", 64 }, { "timed-park", "sync", 64 }, { "yield", "sync", 2 },
        { "async", "sync", 2 }, { "async", "sync", 64 }, { "park", "async", 64 }, { "async", "async", 64 },
        { "async", "kept task", 64 },
    };

    // One message at a time, so that everything that happens once a batch, a sleep or an activation happens for each.
    [Theory]
    [MemberData(nameof(Trickles))]
    public void Trickle_OneByOne_AllocatesNothing(string wait, string handler, int capacity)
    {
        const int Few = 200;
        var ring = Make.Ring(capacity, wait: Wait.All.Single(each => each.Name == wait));
        Stage stage = Attach(ring, handler);
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        // Threads and queues are made the first time.
        Trickle();
        Allocated.AssertFewer(Few / 3, Trickle);

        ring.HaltAsync().ContinueWith(static _ => { }, TaskScheduler.Default);
        Assert.Equal(0, stage.Lag);

        void Trickle()
        {
            long end = Environment.TickCount64 + Hang;
            for (int i = 0; i < Few; i++)
            {
                producer.Publish(i);
                // In the small ring the producer itself waits for room.
                while (capacity > 2 && stage.Lag > 0 && Environment.TickCount64 < end) Thread.Yield();
            }

            while (stage.Lag > 0 && Environment.TickCount64 < end) Thread.Yield();
        }
    }
}
