namespace Raceway.Rings.Tests;

/// <summary>Slots that own their objects, and slots of a class that hold none.</summary>
public sealed class OwnObjectsTests
{
    public static TheoryData<ProducerKind> Kinds => [.. Enum.GetValues<ProducerKind>()];

    private static RingBuffer<T> Ring<T>(ProducerKind kind, Func<T>? create) =>
        new(4, new RingOptions<T> { Producers = kind, MaxProducers = 1, CreateSlot = create });

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Publish_SlotsOwnTheirObjects_IsRefusedWithTheRemedy(ProducerKind kind)
    {
        RingBuffer<Box> ring = Ring(kind, static () => new Box());
        HashSet<Box> seen = [];
        Stage stage = ring.Subscribe((ref Box item) => seen.Add(item), Make.Stepped());
        Producer<Box> producer = Make.Producer(ring);
        Box[] own = [.. Enumerable.Range(0, 4).Select(i => ring.Slots.OfLane(0)[i])];
        foreach (Action publish in (Action[])
            [
                () => producer.Publish(new Box()), () => producer.TryPublish(new Box()), () => producer.Publish([new Box()]),
                () => producer.PublishAsync(new Box()).AsTask(), () => producer.PublishAsync(new Box[1].AsMemory()).AsTask(),
                () => Open(producer),
            ])
        {
            var refused = Assert.Throws<InvalidOperationException>(publish);
            Assert.Contains("Publish(state, writer)", refused.Message, StringComparison.Ordinal);
        }

        for (int i = 0; i < 10; i++)
        {
            producer.Publish(i, static (ref Box slot, int value) => slot.Value = value);
            using (Claim<Box> claim = producer.Claim())
            {
                claim.Slot.Value = i;
                claim.Commit();
            }

            Make.StepAll(stage);
        }

        Assert.Equal(own.ToHashSet(), seen);
    }

    [Fact]
    public void Publish_SlotsMadeWithoutReferences_IsDone()
    {
        RingBuffer<long> ring = Ring(ProducerKind.Single, static () => 7L);
        Assert.Equal(ClaimStatus.Done, ring.CreateProducer().TryPublish(1));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Publish_WriterUsesAnEmptySlot_IsToldWhy(ProducerKind kind)
    {
        RingBuffer<Box> ring = Ring<Box>(kind, null);
        Stage stage = ring.Subscribe(static (ref Box _) => { }, Make.Stepped());
        Producer<Box> producer = Make.Producer(ring);
        foreach (Action publish in (Action[])
            [
                () => producer.Publish(1, static (ref Box slot, int value) => slot.Value = value),
                () => producer.TryPublish(1, static (ref Box slot, int value) => slot.Value = value),
                () => producer.PublishAsync(1, static (ref Box slot, int value) => slot.Value = value).AsTask(),
            ])
        {
            var refused = Assert.Throws<InvalidOperationException>(publish);
            Assert.Contains("CreateSlot", refused.Message, StringComparison.Ordinal);
            Assert.IsType<NullReferenceException>(refused.InnerException);
            // Past the tombstone, where there is one.
            Make.StepAll(stage);
        }

        // What is wrong elsewhere keeps its name.
        Assert.Throws<NullReferenceException>(
            () => producer.Publish(1, static (ref Box slot, int _) => { slot = new Box(); _ = ((Box?)null)!.Value; }));
        Make.StepAll(stage);
        producer.Publish(1, static (ref Box slot, int value) => slot = new Box { Value = value });
        Assert.Equal(1, Make.StepAll(stage));
    }

    private static void Open(Producer<Box> producer)
    {
        if (producer is not SingleProducer<Box> single)
        {
            producer.Publish(new Box());
            return;
        }

        using OpenProducer<Box> open = single.Open();
        open.Publish(new Box());
    }

    private sealed class Box
    {
        public int Value { get; set; }
    }
}
