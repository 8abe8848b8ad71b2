using System.Reflection;

namespace Raceway.Rings.Tests;

/// <summary>A lane, or the only cursor, goes from one producer to the next.</summary>
public sealed class HandoverTests
{
    [Fact]
    public void CreateProducer_AfterDispose_GoesOnInTheSameLane()
    {
        var ring = Make.Ring(8, ProducerKind.Sharded, maxProducers: 2);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        SingleProducer<long> first = ring.CreateProducer();
        SingleProducer<long> second = ring.CreateProducer();
        Assert.Throws<InvalidOperationException>(() => ring.CreateProducer());
        Make.PublishRange(first, 0, 2);
        first.Dispose();
        first.Dispose();
        SingleProducer<long> third = ring.CreateProducer();
        Assert.Same(first.Claims.Lane, third.Claims.Lane);
        Assert.NotSame(second.Claims.Lane, third.Claims.Lane);
        third.Publish(3);
        Assert.Equal(ClaimStatus.Full, third.TryPublish(4));
        Make.StepAll(stage);
        Make.PublishRange(third, 4, 7);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 7), handler.Items);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Dispose_UnderAnOpenClaim_NextProducerBeginsBehindWhatWasCommitted(ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        SingleProducer<long> first = ring.CreateProducer();
        object gate = typeof(Claims)
            .GetField("_gate", BindingFlags.NonPublic | BindingFlags.Instance)!.GetValue(ring.Claims)!;
        using var let = new ManualResetEventSlim();
        using var held = new ManualResetEventSlim();
        // While nobody gets at the list of producers, the commit is stopped where it strikes itself off.
        Task holding = Watchdog.Run(() =>
        {
            Gate.Enter(gate);
            held.Set();
            let.Wait();
            Gate.Exit(gate);
        });
        held.Wait();
        Task committing = Watchdog.Run(() =>
        {
            using Claim<long> claim = first.Claim(4);
            first.Dispose();
            (claim[0], claim[1]) = (0, 1);
            claim.Commit(2);
        });
        try
        {
            await Watchdog.UntilAsync(() => Published(first.Claims.Lane) == 1 && first.Claims.Lane.ClaimedThrough == 1);
        }
        finally
        {
            let.Set();
        }

        await Watchdog.Await(Task.WhenAll(holding, committing), ring);
        ring.CreateProducer().Publish(2);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 2), handler.Items);
    }

    private static unsafe long Published(Lane lane) => Volatile.Read(ref *lane.Published);
}
