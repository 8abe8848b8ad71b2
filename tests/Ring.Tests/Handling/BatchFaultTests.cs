namespace Raceway.Rings.Tests;

/// <summary>Faults of batch handlers: marks, isolation, conservation. Every stage is stepped by the test.</summary>
public sealed class BatchFaultTests
{
    private readonly List<long> _handled = [];
    private readonly List<int> _calls = [];

    private (RingBuffer<long> Ring, Stage Stage, SingleProducer<long> Producer) Attach(
        BatchBody<long> body, FaultPolicy onFault, int items = 6)
    {
        var ring = Make.Ring(16);
        Stage stage = ring.Subscribe(
            new BatchLambda<long>(batch =>
            {
                _calls.Add(batch.Count);
                body(batch);
            }),
            Make.Stepped(onFault: onFault));
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, items - 1);
        return (ring, stage, producer);
    }

    private void HandleMarking(Batch<long> batch, Func<long, bool> fails)
    {
        for (int i = 0; i < batch.Count; i++)
        {
            if (fails(batch[i])) throw new InvalidOperationException($"{batch[i]}");
            _handled.Add(batch[i]);
            batch.Complete(i + 1);
        }
    }

    [Fact]
    public void Skip_MarkedBatch_LosesTheFailingItemOnly()
    {
        (RingBuffer<long> ring, Stage stage, _) = Attach(batch => HandleMarking(batch, item => item == 2), FaultPolicy.Skip);
        Make.StepAll(stage);
        Assert.Equal([0, 1, 3, 4, 5], _handled.Distinct().Order());
        Assert.Equal(5, stage.Position);
        StageStatistics seen = stage.GetStatistics();
        Assert.Equal(1, seen.Skipped);
        Assert.Equal(5, seen.Items);
        Assert.Equal(RingState.Created, ring.State);
    }

    [Fact]
    public void Skip_MarkedBatch_HandlesNothingTwice()
    {
        (_, Stage stage, _) = Attach(batch => HandleMarking(batch, item => item == 2), FaultPolicy.Skip);
        Make.StepAll(stage);
        Assert.Equal([0, 1, 3, 4, 5], _handled);
    }

    [Fact]
    public void Skip_UnmarkedBatch_IsRunAgainInHalves()
    {
        (_, Stage stage, _) = Attach(
            batch =>
            {
                foreach (ref long item in batch)
                    if (item == 2) throw new InvalidOperationException();
                foreach (ref long item in batch) _handled.Add(item);
            },
            FaultPolicy.Skip);
        Make.StepAll(stage);
        Assert.Equal([0, 1, 3, 4, 5], _handled);
        Assert.Equal([6, 3, 2, 1, 3], _calls);
        // The search has ended the short ones, and no limit.
        Assert.Equal(0, stage.GetStatistics().CloseReasons[(int)CloseReason.Full]);
        Assert.Equal(3, stage.GetStatistics().Faults);
        Assert.Equal(1, stage.GetStatistics().Skipped);
    }

    [Fact]
    public void Retry_UnmarkedBatch_IsRetriedAsAWhole()
    {
        int left = 2;
        (_, Stage stage, _) = Attach(
            batch =>
            {
                if (left-- > 0) throw new InvalidOperationException();
                foreach (ref long item in batch) _handled.Add(item);
            },
            FaultPolicy.Retry(2, TimeSpan.Zero));
        Make.StepAll(stage);
        Assert.Equal([6, 6, 6], _calls);
        Assert.Equal(Make.Range(0, 5), _handled);
        Assert.Equal(2, stage.GetStatistics().Retries);
    }

    [Fact]
    public void Retry_MarkedBatch_StartsAtTheFirstUnmarked()
    {
        int left = 1;
        (_, Stage stage, _) = Attach(
            batch => HandleMarking(batch, item => item == 3 && left-- > 0), FaultPolicy.Retry(1, TimeSpan.Zero));
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 5), _handled);
        Assert.Equal([6, 3], _calls);
    }

    [Fact]
    public void Retry_ExhaustedOnUnmarkedBatch_SkipsTheFailingItemOnly()
    {
        (_, Stage stage, _) = Attach(
            batch =>
            {
                foreach (ref long item in batch)
                    if (item == 4) throw new InvalidOperationException();
                foreach (ref long item in batch) _handled.Add(item);
            },
            FaultPolicy.Retry(1, TimeSpan.Zero, FaultPolicy.Skip));
        Make.StepAll(stage);
        Assert.Equal([0, 1, 2, 3, 5], _handled);
        Assert.Equal(1, stage.GetStatistics().Skipped);
        Assert.Equal(5, stage.Position);
    }

    [Fact]
    public void DeadLetter_UnmarkedBatch_GetsTheFailingItemOnly()
    {
        List<(long Item, long Sequence, int Attempt)> letters = [];
        (_, Stage stage, _) = Attach(
            batch =>
            {
                foreach (ref long item in batch)
                    if (item is 1 or 5) throw new InvalidOperationException();
                foreach (ref long item in batch) _handled.Add(item);
            },
            FaultPolicy.DeadLetter<long>((ref long item, in FaultContext context) =>
                letters.Add((item, context.Sequence, context.Attempt))));
        Make.StepAll(stage);
        Assert.Equal([0, 2, 3, 4], _handled);
        Assert.Equal([1, 5], letters.Select(letter => letter.Item));
        Assert.Equal([1, 5], letters.Select(letter => letter.Sequence));
        Assert.Equal(2, stage.GetStatistics().DeadLettered);
        Assert.Equal(2, stage.GetStatistics().Skipped);
    }

    [Fact]
    public void Stop_MarkedBatch_PublishesTheMarkedProgressFirst()
    {
        (RingBuffer<long> ring, Stage stage, _) =
            Attach(batch => HandleMarking(batch, item => item == 3), FaultPolicy.Stop);
        Assert.Equal(StepKind.Stopped, stage.Step().Kind);
        Assert.Equal(2, stage.Position);
        Assert.Equal(RingState.Faulted, ring.State);
    }

    [Fact]
    public void Retry_ThrowsAfterMarkingAll_HandlesNothingAgain()
    {
        int left = 1;
        (_, Stage stage, _) = Attach(
            batch =>
            {
                foreach (ref long item in batch) _handled.Add(item);
                batch.Complete(batch.Count);
                if (left-- > 0) throw new InvalidOperationException();
            },
            FaultPolicy.Retry(1, TimeSpan.Zero));
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 5), _handled);
        Assert.Equal(5, stage.Position);
    }

    [Fact]
    public void Stop_ThrowsAfterMarkingAll_PositionNeverGoesBack()
    {
        (_, Stage stage, _) = Attach(
            batch =>
            {
                batch.Complete(batch.Count);
                throw new InvalidOperationException();
            },
            FaultPolicy.Stop);
        stage.Step();
        Assert.Equal(5, stage.Position);
    }

    [Fact]
    public void Skip_FailedBatchBelowTheMinimum_IsNotHeldBack()
    {
        var ring = Make.Ring(16);
        Stage stage = ring.Subscribe(
            new BatchLambda<long>(batch => HandleMarking(batch, item => item == 1)),
            Make.Stepped(Dispatch.Batch(min: 4), FaultPolicy.Skip));
        Make.PublishRange(ring.CreateProducer(), 0, 3);
        Make.StepAll(stage);
        Assert.Equal([0, 2, 3], _handled);
    }

    [Fact]
    public void Complete_OutOfRange_Throws()
    {
        List<Exception?> thrown = [];
        (_, Stage stage, _) = Attach(
            batch =>
            {
                int count = batch.Count;
                thrown.Add(Catch(batch, -1));
                thrown.Add(Catch(batch, count + 1));
                thrown.Add(Catch(batch, count));
            },
            FaultPolicy.Stop);
        stage.Step();
        Assert.IsType<ArgumentOutOfRangeException>(thrown[0]);
        Assert.IsType<ArgumentOutOfRangeException>(thrown[1]);
        Assert.Null(thrown[2]);
    }

    private static ArgumentOutOfRangeException? Catch(Batch<long> batch, int count)
    {
        try
        {
            batch.Complete(count);
            return null;
        }
        catch (ArgumentOutOfRangeException thrown)
        {
            return thrown;
        }
    }

    [Fact]
    public void Stop_HandlerThrowsACancellationOfItsOwn_IsAFault()
    {
        var ring = Make.Ring(8);
        Stage stage = ring.Subscribe((ref long _) => throw new OperationCanceledException(), Make.Stepped());
        ring.CreateProducer().Publish(1);
        Assert.Equal(StepKind.Stopped, stage.Step().Kind);
        Assert.Equal((RingState.Faulted, -1L), (ring.State, stage.Position));
    }
}
