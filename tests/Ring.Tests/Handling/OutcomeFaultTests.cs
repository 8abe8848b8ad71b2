namespace Raceway.Rings.Tests;

/// <summary>Outcomes that cannot be done, and handlers that throw instead of returning one.</summary>
public sealed class OutcomeFaultTests
{
    public static TheoryData<string, int, bool> Wrong()
    {
        var data = new TheoryData<string, int, bool>();
        foreach (string outcome in new[] { "Consumed", "RetryFrom", "Skip", "DeadLetter" })
        {
            data.Add(outcome, 1, false);
            data.Add(outcome, 1, true);
            data.Add(outcome, outcome == "Consumed" ? 6 : 5, false);
            data.Add(outcome, int.MaxValue, true);
        }

        return data;
    }

    // Two of five items are marked: an outcome names one behind them.
    [Theory]
    [MemberData(nameof(Wrong))]
    public async Task Outcome_NamesNoOpenItem_IsTheHandlersFault(string outcome, int n, bool pending)
    {
        RingBuffer<long> ring = Make.Ring(16);
        BatchOutcome wrong = outcome switch
        {
            "Consumed" => BatchOutcome.Consumed(n),
            "RetryFrom" => BatchOutcome.RetryFrom(n),
            "Skip" => BatchOutcome.Skip(n),
            _ => BatchOutcome.DeadLetter(n),
        };
        Stage stage = pending
            ? ring.Subscribe(
                new AsyncOutcomeLambda<long>(async batch =>
                {
                    await Task.Yield();
                    batch.Complete(2);
                    return wrong;
                }),
                Make.Stepped(onFault: FaultPolicy.Stop))
            : ring.Subscribe(
                new OutcomeLambda<long>(batch =>
                {
                    batch.Complete(2);
                    return wrong;
                }),
                Make.Stepped(onFault: FaultPolicy.Stop));
        Make.PublishRange(ring.CreateProducer(), 0, 4);
        await OutcomeTests.Run(ring, stage, 4);
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Contains($"outcome={wrong}, marked=2, size=5", fault.InnerException!.Message, StringComparison.Ordinal);
        Assert.Equal(1, stage.Position);
        Assert.Equal((1, 2, 3), (stage.GetStatistics().Faults, stage.GetStatistics().Items, ring.Unprocessed));
    }

    [Fact]
    public async Task DeadLetter_NoSink_IsTheHandlersFault()
    {
        RingBuffer<long> ring = Make.Ring();
        Stage stage = ring.Subscribe(new OutcomeLambda<long>(static _ => BatchOutcome.DeadLetter(0)), Make.Stepped());
        ring.CreateProducer().Publish(0);
        Make.StepAll(stage);
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Contains("sink=none", fault.InnerException!.Message, StringComparison.Ordinal);
        Assert.Equal(1, ring.Unprocessed);
    }

    [Fact]
    public void Outcome_SinkThrows_RingFaultsAndPassesNothing()
    {
        RingBuffer<long> ring = Make.Ring();
        Stage stage = ring.Subscribe(
            new OutcomeLambda<long>(static _ => BatchOutcome.DeadLetter(0)),
            Make.Stepped(onFault: FaultPolicy.DeadLetter((ref long _, in FaultContext _) => throw new InvalidOperationException())));
        ring.CreateProducer().Publish(0);
        Assert.Equal(StepKind.Stopped, stage.Step().Kind);
        Assert.Equal((-1, RingState.Faulted), (stage.Position, ring.State));
    }

    [Fact]
    public void Outcome_BelowZero_IsRefusedWhereItIsMade()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => BatchOutcome.Consumed(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => BatchOutcome.RetryFrom(0, TimeSpan.FromTicks(-1)));
        Assert.Throws<ArgumentOutOfRangeException>(() => BatchOutcome.Skip(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => BatchOutcome.DeadLetter(-1));
    }

    [Fact]
    public void Throw_OfAnOutcomeHandler_GoesToThePolicy()
    {
        RingBuffer<long> ring = Make.Ring(16);
        Stage stage = ring.Subscribe(
            new OutcomeLambda<long>(batch => batch[0] == 1 ? throw new InvalidOperationException() : BatchOutcome.Consumed(1)),
            Make.Stepped(onFault: FaultPolicy.Skip));
        Make.PublishRange(ring.CreateProducer(), 0, 3);
        Make.StepAll(stage);
        StageStatistics seen = stage.GetStatistics();
        Assert.Equal((3, 1, 3), (seen.Items, seen.Skipped, stage.Position));
    }
}
