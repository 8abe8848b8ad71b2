namespace Raceway.Rings.Tests;

/// <summary>Multi-producer room is taken as credits: nobody's unspent ones may keep the others out for good.</summary>
public sealed class CreditTests
{
    private static RingBuffer<long> Ring(int capacity, int maxProducers) =>
        Make.Ring(capacity, ProducerKind.Multi, Wait.Park(), maxProducers);

    [Theory]
    [InlineData(2, 1)]
    [InlineData(2, 2)]
    [InlineData(16, 4)]
    [InlineData(16, 16)]
    [InlineData(64, 4)]
    [InlineData(1024, 16)]
    public void Idle_ProducersHoldingCredits_NeverKeepTheOthersOut(int capacity, int maxProducers)
    {
        RingBuffer<long> ring = Ring(capacity, maxProducers);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped());
        MultiProducer<long>[] producers =
            [.. Enumerable.Range(0, maxProducers).Select(_ => ring.CreateMultiProducer())];
        // Everybody publishes once, and sits on what is left of its credits.
        foreach (MultiProducer<long> producer in producers) Assert.Equal(ClaimStatus.Done, producer.TryPublish(1));
        Make.StepAll(stage);
        foreach (MultiProducer<long> producer in producers)
        {
            Assert.Equal(ClaimStatus.Done, producer.TryClaim(producer.MaxClaim, out Claim<long> claim));
            claim.Commit();
            Make.StepAll(stage);
        }

        Assert.Equal(maxProducers * (1L + producers[0].MaxClaim), stage.GetStatistics().Items);
    }

    [Fact]
    public void Granted_RandomUse_NeverPassesTheRoom()
    {
        RingBuffer<long> ring = Ring(64, 4);
        Stage stage = ring.Subscribe(new Summer(), Make.Stepped());
        List<MultiProducer<long>> producers = [];
        var random = new Random(11);
        long done = 0;
        for (int i = 0; i < 20_000; i++)
        {
            switch (random.Next(6))
            {
                case 0 when producers.Count < 4:
                    producers.Add(ring.CreateMultiProducer());
                    break;
                case 1 when producers.Count > 0 && random.Next(10) == 0:
                    producers[0].Dispose();
                    producers.RemoveAt(0);
                    break;
                case 2:
                    stage.Step(random.Next(1, 20));
                    break;
                default:
                    if (producers.Count == 0) break;
                    MultiProducer<long> producer = producers[random.Next(producers.Count)];
                    if (producer.TryClaim(random.Next(1, 9), out Claim<long> claim) != ClaimStatus.Done) break;
                    done += claim.Count;
                    claim.Commit();
                    break;
            }

            unsafe
            {
                long granted = *((MultiClaims)ring.Claims).Granted;
                Assert.True(granted <= ring.Sequencer.ReleasedThrough() + 1 + 64);
                Assert.True(*((MultiClaims)ring.Claims).Claimed <= granted);
            }
        }

        Make.StepAll(stage);
        Assert.Equal(done, stage.GetStatistics().Items);
    }

    [Fact]
    public unsafe void Dispose_UnspentCredits_AreGivenBack()
    {
        RingBuffer<long> ring = Ring(64, 2);
        MultiProducer<long> producer = ring.CreateMultiProducer();
        producer.Publish(1);
        Assert.True(*((MultiClaims)ring.Claims).Granted > 1);
        producer.Dispose();
        producer.Dispose();
        Assert.Equal(1, *((MultiClaims)ring.Claims).Granted);
        Assert.Throws<ObjectDisposedException>(() => producer.Publish(2));
        Assert.Throws<ObjectDisposedException>(() => producer.TryPublish(2));
    }

    [Fact]
    public async Task Dispose_SomebodyWaitsForThatRoom_IsWoken()
    {
        RingBuffer<long> ring = Ring(16, 2);
        ring.Subscribe(new Recorder(), Make.Stepped());
        MultiProducer<long> idle = ring.CreateMultiProducer();
        MultiProducer<long> eager = ring.CreateMultiProducer();
        idle.Publish(0); // holds credits now
        int published = 1;
        while (eager.TryPublish(published) == ClaimStatus.Done) published++;
        Assert.True(published < 16);
        Task publishing = Watchdog.Run(() => eager.Publish(100));
        await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(ring), ring);
        idle.Dispose();
        await Watchdog.Await(publishing, ring);
        published++;
        while (eager.TryPublish(published) == ClaimStatus.Done) published++;
        Assert.Equal(16, published);
    }

    [Fact]
    public async Task WaitForRoomAsync_Disposed_TakesNoCredits()
    {
        RingBuffer<long> ring = Ring(16, 2);
        MultiProducer<long> producer = ring.CreateMultiProducer();
        producer.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => producer.WaitForRoomAsync(3).AsTask());
        Assert.Equal(0, Granted(ring));
    }

    [Fact]
    public async Task WaitForRoomAsync_DisposedWhileWaiting_TakesNoCredits()
    {
        RingBuffer<long> ring = Ring(16, 2);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        MultiProducer<long> producer = ring.CreateMultiProducer();
        int published = 0;
        while (producer.TryPublish(published) == ClaimStatus.Done) published++;
        Task<bool> waiting = producer.WaitForRoomAsync(3).AsTask();
        producer.Dispose();
        Make.StepAll(stage);
        await Watchdog.Await(waiting.ContinueWith(_ => { }, TaskScheduler.Default), ring);
        Assert.Equal(published, Granted(ring));
    }

    private static unsafe long Granted(RingBuffer<long> ring) => *((MultiClaims)ring.Claims).Granted;

    // Found by verification/models/credits.pml: FAULT_STALE_TARGET.
    [Theory]
    [InlineData("park")]
    [InlineData("yield")]
    public async Task Dispose_WhileAnotherIsAboutToSleepForItsRoom_GivesIt(string wait)
    {
        RingBuffer<long> ring = Make.Ring(2, ProducerKind.Multi, Wait.All.Single(each => each.Name == wait));
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        using MultiProducer<long> claimer = ring.CreateMultiProducer();
        claimer.Publish(1);
        Make.StepAll(stage);
        MultiProducer<long> holder = ring.CreateMultiProducer();
        Assert.True(await holder.WaitForRoomAsync(2));
        // Runs as the claimer looks for room: after it has read what is granted, before it begins to wait.
        ring.Sequencer.Sweeper = new SlotSweeper([new Sweeping(holder.Dispose)], ring.Sequencer.Start);
        await Watchdog.Await(Watchdog.Run(() => claimer.Claim(2).Abort()), ring);
    }
}
