namespace Raceway.Rings.Tests;

/// <summary>Batches that are searched for the item that fails, beside whatever else limits a batch. Every stage is stepped by the test.</summary>
public sealed class SplitLimitTests
{
    private readonly AllOrNothing _under = new();

    // A batch in chunks of four, each marked when it is done: what is marked is not searched.
    [Fact]
    public void Skip_MarkedBatch_SearchesBehindTheMarks()
    {
        RingBuffer<long> ring = Make.Ring(16);
        Make.PublishRange(ring.CreateProducer(), 0, 15);
        Stage stage = ring.Subscribe(new BatchLambda<long>(HandleInChunks), Make.Stepped(onFault: FaultPolicy.Skip));
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 15).Where(item => item != 6), _under.Handled);
        Assert.Equal([16, 6, 3, 2, 1, 9], _under.Calls);

        void HandleInChunks(Batch<long> batch)
        {
            _under.Calls.Add(batch.Count);
            for (int chunk = 0; chunk < batch.Count; chunk += 4)
            {
                long[] items = batch.ToArray()[chunk..Math.Min(chunk + 4, batch.Count)];
                if (items.Contains(6)) throw new FormatException();
                _under.Handled.AddRange(items);
                batch.Complete(chunk + items.Length);
            }
        }
    }

    [Fact]
    public void Skip_PartThatSucceeds_IsReportedAtOnce()
    {
        Stage stage = _under.Attach(8, FaultPolicy.Skip, items => items.Contains(5));
        List<long> positions = [];
        while (stage.Step().Kind == StepKind.Progressed) positions.Add(stage.Position);
        Assert.Equal([-1, 3, 3, 4, 5, 7], positions);
    }

    [Fact]
    public void Skip_ItemsThatComeMeanwhile_JoinOnceTheItemIsFound()
    {
        RingBuffer<long> ring = Make.Ring(16);
        SingleProducer<long> producer = ring.CreateProducer();
        Stage stage = ring.Subscribe(new BatchLambda<long>(Handle), Make.Stepped(Dispatch.Batch(min: 4), FaultPolicy.Skip));
        Make.PublishRange(producer, 0, 3);
        stage.Step();
        Make.PublishRange(producer, 4, 9);
        Make.StepAll(stage);
        Assert.Equal([4, 2, 1, 7], _under.Calls);
        Assert.Equal([0, 1, 3, 4, 5, 6, 7, 8, 9], _under.Handled);

        void Handle(Batch<long> batch) => _under.Take(batch.ToArray(), items => items.Contains(2));
    }

    [Fact]
    public void Skip_FewerThanTheMinimum_NoPartIsHeldBack()
    {
        Stage stage = _under.Attach(8, FaultPolicy.Skip, items => items.Contains(7), Dispatch.Batch(min: 8));
        Make.StepAll(stage);
        Assert.Equal([8, 4, 2, 1, 1], _under.Calls);
        Assert.Equal(7, stage.Position);
    }

    [Theory]
    [InlineData(3, new[] { 3, 2, 1, 3, 2, 1, 1, 3, 3, 1 })]
    [InlineData(1, new[] { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 })]
    public void Skip_StepsAreLimited_SearchesWhatFailed(int quantum, int[] calls)
    {
        Stage stage = _under.Attach(12, FaultPolicy.Skip, items => items.Contains(2) || items.Contains(4));
        Make.StepAll(stage, quantum);
        Assert.Equal(calls, _under.Calls);
        Assert.Equal([0, 1, 3, 5, 6, 7, 8, 9, 10, 11], _under.Handled);
    }

    [Fact]
    public void Skip_WeightCutsTheBatch_SearchesWhatFailed()
    {
        Stage stage = _under.Attach(12, FaultPolicy.Skip, items => items.Contains(3), Dispatch.Batch(maxWeight: 8), weigher: Weigher.By(static (ref readonly long _) => 1));
        Make.StepAll(stage);
        Assert.Equal([8, 4, 2, 1, 1, 8], _under.Calls);
        Assert.Equal(11, _under.Handled.Count);
    }

    // The policy that failed is not the one that the parts are called by.
    [Fact]
    public void Skip_DispatchChangesMeanwhile_TheSmallerLimitHolds()
    {
        foreach ((Dispatch dispatch, int[] calls) in new[]
        {
            (Dispatch.Batch(max: 3), new[] { 16, 3, 3, 3, 3, 2, 1, 1 }),
            (Dispatch.Batch(max: 12), [16, 8, 4, 2, 1, 1]),
            (Dispatch.Single, [16, .. Enumerable.Repeat(1, 16)]),
            (Dispatch.Each(), [16, .. Enumerable.Repeat(1, 16)]),
        })
        {
            var under = new AllOrNothing();
            Stage stage = under.Attach(16, FaultPolicy.Skip, items => items.Contains(15));
            stage.Step();
            stage.Dispatch = dispatch;
            Make.StepAll(stage);
            Assert.Equal(calls, under.Calls);
            Assert.Equal(Make.Range(0, 14), under.Handled);
        }
    }
}
