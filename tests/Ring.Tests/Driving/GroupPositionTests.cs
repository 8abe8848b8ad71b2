namespace Raceway.Rings.Tests;

/// <summary>What the choice between together and apart counts by.</summary>
public sealed class GroupPositionTests
{
    [Fact]
    public async Task Of_StagesThatAreApart_TheLeastAndTheMean()
    {
        RingBuffer<long> ring = Make.Ring();
        Stage[] stages = [.. Enumerable.Range(0, 4).Select(_ => ring.Subscribe(new BatchLambda<long>(static _ => { }), Make.Stepped()))];
        SingleProducer<long> producer = ring.CreateProducer();
        ring.Start();
        for (int i = 0; i < 4; i++) producer.Publish(i);
        for (int i = 0; i < stages.Length; i++) stages[i].Step(i + 1);

        long first = stages[0].Position;
        Assert.Equal(new GroupPosition(first, first + 1.5, 4), GroupPosition.Of(stages));
        await ring.DisposeAsync();
    }
}
