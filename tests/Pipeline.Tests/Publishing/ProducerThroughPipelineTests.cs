using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Every way to publish, seen from the stages.</summary>
public sealed class ProducerThroughPipelineTests
{
    [Fact]
    public void TryPublish_WithWriter_PublishesEachOnce()
    {
        Run(
            single => [.. Enumerable.Range(0, 3).Select(
                id => single.TryPublish((long)id, static (ref long slot, long state) => slot = state))],
            multi => [.. Enumerable.Range(0, 3).Select(
                id => multi.TryPublish((long)id, static (ref long slot, long state) => slot = state))]);
    }

    [Fact]
    public void TryPublish_ByValue_PublishesEachOnce() =>
        Run(
            single => [.. Enumerable.Range(0, 3).Select(id => single.TryPublish(id))],
            multi => [.. Enumerable.Range(0, 3).Select(id => multi.TryPublish(id))]);

    [Fact]
    public void Publish_AllForms_ArriveInOrder()
    {
        List<long> seen = [];
        Pipeline<long> pipeline = Pipeline.Of<long>(16)
            .Stage("log", (ref long item) => seen.Add(item))
            .Run(Plan.Manual);
        SingleProducer<long> producer = pipeline.CreateProducer();

        producer.Publish(0);
        producer.Publish(1L, static (ref long slot, long state) => slot = state);
        producer.Publish([2, 3]);
        using (Claim<long> claim = producer.Claim(3))
        {
            for (int i = 0; i < 3; i++) claim[i] = 4 + i;
            claim.Commit(2);
        }

        using (OpenProducer<long> open = producer.Open())
        {
            open.Publish(6);
            open.Publish(7);
        }

        producer.Publish(8);
        pipeline["log"].Step();

        Assert.Equal([0, 1, 2, 3, 4, 5, 6, 7, 8], seen);
        Assert.Equal(8, pipeline["log"].Position);
    }

    private static void Run(
        Func<SingleProducer<long>, ClaimStatus[]> single, Func<MultiProducer<long>, ClaimStatus[]> multi)
    {
        List<long> seen = [];
        PipelineBuilder<long, long> definition = Pipeline.Of<long>(2).Stage("log", (ref long item) => seen.Add(item));
        ClaimStatus[] expected = [ClaimStatus.Done, ClaimStatus.Done, ClaimStatus.Full];

        Pipeline<long> pipeline = definition.Run(Plan.Manual);
        Assert.Equal(expected, single(pipeline.CreateProducer()));
        pipeline["log"].Step();
        Assert.Equal([0, 1], seen);

        seen.Clear();
        pipeline = definition.MultiProducer(1).Run(Plan.Manual);
        Assert.Equal(expected, multi(pipeline.CreateMultiProducer()));
        pipeline["log"].Step();
        Assert.Equal([0, 1], seen);
        Assert.Equal(0, pipeline.GetStatistics()[0].Tombstones);
    }
}
