namespace Raceway.Rings.Tests;

/// <summary>No message costs an allocation: ways to publish, stepped on one thread.</summary>
[Collection(AllocationGroup.Name)]
public sealed class AllocationTests
{
    private const int Burst = 64;
    private const int WarmUp = 200_000;
    private const int Messages = 100_000;

    private static RingBuffer<long> Ring(ProducerKind kind) => Make.Ring(256, kind);

    private static void AssertNoneAMessage(Action<int> run)
    {
        run(WarmUp);
        Allocated.AssertNoneAMessage(Messages, () => run(Messages));
    }

    // Bursts of publishing and stepping on the test's own thread.
    private static void AssertNone(ProducerKind kind, Action<Producer<long>> publishBurst, StageOptions? options = null)
    {
        RingBuffer<long> ring = Ring(kind);
        var handler = new Summer();
        Stage stage = ring.Subscribe(handler, options ?? Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        AssertNoneAMessage(messages =>
        {
            for (int i = 0; i < messages; i += Burst)
            {
                publishBurst(producer);
                while (stage.Step().Kind == StepKind.Progressed)
                {
                }
            }
        });
        Assert.True(handler.Count >= Messages);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void Publish_One_AllocatesNothing(ProducerKind kind) =>
        AssertNone(kind, static producer =>
        {
            for (int i = 0; i < Burst; i++) producer.Publish(i);
        });

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void TryPublish_One_AllocatesNothing(ProducerKind kind) =>
        AssertNone(kind, static producer =>
        {
            for (int i = 0; i < Burst; i++) producer.TryPublish(i);
        });

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void Publish_Writer_AllocatesNothing(ProducerKind kind) =>
        AssertNone(kind, static producer =>
        {
            for (int i = 0; i < Burst; i++) producer.Publish(i, static (ref long slot, int value) => slot = value);
        });

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void Claim_Several_AllocatesNothing(ProducerKind kind) =>
        AssertNone(kind, static producer =>
        {
            for (int i = 0; i < Burst; i += 8)
            {
                using Claim<long> claim = producer.Claim(8);
                foreach (ref long slot in claim) slot = i;
                claim.Commit(i % 16 == 0 ? 8 : 7);
                // What was given up is made good, so that every burst is as long.
                if (i % 16 != 0) producer.Publish(i);
            }
        });

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public void Publish_Span_AllocatesNothing(ProducerKind kind)
    {
        long[] items = new long[Burst];
        AssertNone(kind, producer => producer.Publish(items));
    }

    [Fact]
    public void Open_Loop_AllocatesNothing() =>
        AssertNone(ProducerKind.Single, static producer =>
        {
            using OpenProducer<long> open = ((SingleProducer<long>)producer).Open();
            for (int i = 0; i < Burst; i++) open.Publish(i);
        });

    [Fact]
    public void WaitForRoomAsync_RoomThere_AllocatesNothing() =>
        AssertNone(ProducerKind.Multi, static producer =>
        {
            for (int i = 0; i < Burst; i++)
            {
                ValueTask<bool> room = producer.WaitForRoomAsync();
                if (!room.IsCompletedSuccessfully || !room.GetAwaiter().GetResult()) return;
                producer.Publish(i);
            }
        });

    public static TheoryData<string> Levels => ["single", "each", "batch", "batch progress 8", "batch min 4"];

    private static Dispatch Level(string name) => name switch
    {
        "single" => Dispatch.Single,
        "each" => Dispatch.Each(),
        "batch" => Dispatch.Batch(),
        "batch min 4" => Dispatch.Batch(min: 4, maxAge: TimeSpan.FromDays(1)),
        _ => Dispatch.Batch(progressInterval: 8),
    };

    [Theory]
    [MemberData(nameof(Levels))]
    public void Step_EveryLevel_AllocatesNothing(string level) =>
        AssertNone(ProducerKind.Single, PublishBurst, Make.Stepped(Level(level)));

    private static void PublishBurst(Producer<long> producer)
    {
        for (int i = 0; i < Burst; i++) producer.Publish(i);
    }

    private static void StepAll(Stage stage)
    {
        while (stage.Step().Kind == StepKind.Progressed)
        {
        }
    }

    [Theory]
    [InlineData("event")]
    [InlineData("struct-event")]
    [InlineData("struct-batch")]
    [InlineData("delegate")]
    [InlineData("async")]
    [InlineData("idle")]
    public void Step_EveryKindOfHandler_AllocatesNothing(string kind)
    {
        RingBuffer<long> ring = Ring(ProducerKind.Single);
        StageOptions options = Make.Stepped();
        Stage stage = kind switch
        {
            "event" => ring.Subscribe(new EventLambda<long>((ref long _, long _, bool _) => { }), options),
            "struct-event" => ring.Slots.SubscribeEvents(new Counting(), options),
            "struct-batch" => ring.Slots.SubscribeBatches(new Counting(), options),
            "delegate" => ring.Subscribe(static (ref long _) => { }, options),
            "async" => ring.Subscribe(new AsyncLambda<long>(static (_, _) => default), options),
            _ => ring.Subscribe(new Recorder.Silent(), options with { IdleTimeout = TimeSpan.FromTicks(1) }),
        };
        SingleProducer<long> producer = ring.CreateProducer();
        AssertNoneAMessage(messages =>
        {
            for (int i = 0; i < messages; i += Burst)
            {
                PublishBurst(producer);
                StepAll(stage);
            }
        });
        Assert.True(stage.GetStatistics().Items >= Messages);
    }

    private struct Counting : IEventHandler<long>, IBatchHandler<long>
    {
        public long Items;

        public void OnEvent(ref long item, long sequence, bool endOfBatch) => Items++;

        public void OnBatch(Batch<long> batch) => Items += batch.Count;
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    public void PublishPayload_SteadyState_AllocatesNothing(ProducerKind kind)
    {
        var ring = new RingBuffer<Message>(256, new RingOptions<Message>
        {
            Producers = kind, MaxProducers = 2, Payload = static (ref Message message) => ref message.Body,
        });
        long bytes = 0;
        Stage stage = ring.Subscribe((ref Message message) => bytes += message.Body.Span.Length, Make.Stepped());
        Producer<Message> producer = Make.Producer(ring);
        byte[] payload = new byte[48];
        AssertNoneAMessage(messages =>
        {
            for (int i = 0; i < messages; i += Burst)
            {
                for (int k = 0; k < Burst; k++)
                    producer.PublishPayload(payload, k, static (ref Message message, int id) => message.Id = id);
                StepAll(stage);
            }
        });
        Assert.True(bytes >= 48L * Messages);
    }
}
