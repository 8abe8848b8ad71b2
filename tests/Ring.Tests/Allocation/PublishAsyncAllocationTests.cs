namespace Raceway.Rings.Tests;

/// <summary>Publishing without a thread costs no allocation either, whether there is room or not.</summary>
[Collection(AllocationGroup.Name)]
public sealed class PublishAsyncAllocationTests
{
    private const int Waits = 20_000;

    [Fact]
    public void PublishAsync_RoomThere_AllocatesNothing()
    {
        var ring = Make.Ring(64);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped());
        SingleProducer<long> producer = ring.CreateProducer();
        const int Messages = 100_000;
        Publish();
        Allocated.AssertNoneAMessage(Messages, Publish);

        void Publish()
        {
            for (int i = 0; i < Messages; i++)
            {
                ValueTask published = producer.PublishAsync(i);
                Assert.True(published.IsCompletedSuccessfully);
                if (i % 32 == 31) stage.Step();
            }
        }
    }

    // Every second publish finds the ring full, and goes on by the thread pool.
    [Theory]
    [InlineData(ProducerKind.Single, false)]
    [InlineData(ProducerKind.Multi, false)]
    [InlineData(ProducerKind.Single, true)]
    [InlineData(ProducerKind.Multi, true)]
    public async Task Waiting_WithoutAThread_AllocatesNothing(ProducerKind kind, bool room)
    {
        var ring = Make.Ring(2, kind, maxProducers: 1);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        long sum = 0;
        producer.Publish(0);
        producer.Publish(1);
        // Pools are filled the first time.
        await PublishAll();
        await Allocated.AssertNoneAWaitAsync(Waits, PublishAll);

        Assert.True(ring.GetStatistics().Waits >= Waits, $"{ring.GetStatistics().Waits} waits");
        Assert.True(sum > 0);

        async Task PublishAll()
        {
            for (int i = 0; i < Waits; i++)
            {
                if (room)
                {
                    ValueTask<bool> waiting = producer.WaitForRoomAsync();
                    if (!waiting.IsCompleted) sum++;
                    stage.Step(1);
                    Assert.True(await waiting);
                    producer.Publish(i);
                    continue;
                }

                ValueTask publishing = producer.PublishAsync(i);
                if (!publishing.IsCompleted) sum++;
                stage.Step(1);
                await publishing;
            }
        }
    }
}
