namespace Raceway.Rings.Tests;

/// <summary>Slots that hold references let go of them once the last stage has passed.</summary>
public sealed class SweepTests
{
    [Fact]
    public void Clear_LastStageIdle_SlotsHoldNothing()
    {
        var ring = new RingBuffer<string>(8);
        Stage first = ring.Subscribe((ref string _) => { }, Make.Stepped());
        Stage second = ring.Subscribe((ref string _) => { }, Make.Stepped());
        SingleProducer<string> producer = ring.CreateProducer();
        for (int i = 0; i < 5; i++) producer.Publish($"{i}");
        Make.StepAll(first);
        Assert.All(Enumerable.Range(0, 5), i => Assert.NotNull(ring.Slots[i]));
        Make.StepAll(second);
        Assert.All(Enumerable.Range(0, 8), i => Assert.Null(ring.Slots[i]));
    }

    [Fact]
    public void Clear_ProducerNeedsRoom_SweepsWhatItTakes()
    {
        var ring = new RingBuffer<string>(4);
        Stage stage = ring.Subscribe((ref string _) => { }, Make.Stepped());
        SingleProducer<string> producer = ring.CreateProducer();
        for (int i = 0; i < 4; i++) producer.Publish($"{i}");
        Assert.Equal(4, stage.Step().Count);
        using Claim<string> claim = producer.Claim(2);
        foreach (ref string slot in claim) Assert.Null(slot);
    }

    [Fact]
    public void Clear_Lanes_EveryPassedSlotOfEach()
    {
        var ring = new RingBuffer<string>(16, new RingOptions<string> { Producers = ProducerKind.Sharded, MaxProducers = 2 });
        Stage stage = ring.Subscribe((ref string _) => { }, Make.Stepped());
        SingleProducer<string>[] lanes = [ring.CreateProducer(), ring.CreateProducer()];
        for (int round = 0; round < 20; round++)
        {
            // Segments of all lengths, over the wrap of each lane.
            for (int i = 0; i < 1 + round % 4; i++) lanes[round % 2].Publish($"{round}");
            lanes[(round + 1) % 2].Publish($"{round}");
            Assert.Equal(2 + round % 4, Make.StepAll(stage));
            foreach (SingleProducer<string> lane in lanes)
                Assert.All(Enumerable.Range(0, 8), i => Assert.Null(lane.Slots[i]));
        }
    }

    [Fact]
    public async Task Clear_Halted_SlotsHoldNothing()
    {
        List<string> left = [];
        var ring = new RingBuffer<string>(8, new RingOptions<string> { OnUnprocessed = (ref string item) => left.Add(item) });
        Stage stage = ring.Subscribe((ref string _) => { }, Make.Stepped());
        SingleProducer<string> producer = ring.CreateProducer();
        for (int i = 0; i < 6; i++) producer.Publish($"{i}");
        stage.Step(2);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(["2", "3", "4", "5"], left);
        Assert.All(Enumerable.Range(0, 8), i => Assert.Null(ring.Slots[i]));
    }

    [Theory]
    [InlineData(false, "5")]
    [InlineData(true, null)]
    public void ClearSlots_Option_Decides(bool clear, string? expected)
    {
        var ring = new RingBuffer<string>(4, new RingOptions<string> { ClearSlots = clear });
        Stage stage = ring.Subscribe((ref string _) => { }, Make.Stepped());
        ring.CreateProducer().Publish("5");
        Make.StepAll(stage);
        Assert.Equal(expected, ring.Slots[0]);
    }

    [Fact]
    public void CreateSlot_ByDefault_KeepsTheObjects()
    {
        var ring = new RingBuffer<List<int>>(4, new RingOptions<List<int>> { CreateSlot = () => [] });
        Stage stage = ring.Subscribe((ref List<int> _) => { }, Make.Stepped());
        SingleProducer<List<int>> producer = ring.CreateProducer();
        for (int i = 0; i < 9; i++)
        {
            producer.Publish(i, static (ref List<int> slot, int value) => slot.Add(value));
            Make.StepAll(stage);
        }

        Assert.Equal([3, 2, 2, 2], Enumerable.Range(0, 4).Select(i => ring.Slots[i].Count));
    }

    [Fact]
    public void SweepThrough_EachSequence_SweptOnceInOrder()
    {
        var column = new Counting();
        var sweeper = new SlotSweeper([column], start: 10);
        sweeper.SweepThrough(9);
        sweeper.SweepThrough(12);
        sweeper.SweepThrough(11);
        sweeper.SweepThrough(12);
        sweeper.SweepThrough(20);
        Assert.Equal(Make.Range(10, 20), column.Swept);
    }

    private sealed class Counting : ISweepable
    {
        public List<long> Swept { get; } = [];

        public void Sweep(long first, long last) => Swept.AddRange(Make.Range(first, last));
    }
}
