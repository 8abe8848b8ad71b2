namespace Raceway.Rings.Tests;

/// <summary>What holds under every wait strategy, every kind of producer and every driver.</summary>
public sealed class WaitContractTests
{
    public static TheoryData<Setup> Setups => Setup.All();

    [Theory]
    [MemberData(nameof(Setups))]
    public async Task Publish_SmallRing_EverythingArrivesOnceInOrder(Setup setup)
    {
        RingBuffer<long> ring = setup.Ring(4);
        var first = new Summer();
        var second = new Summer();
        Stage stage = ring.Subscribe(first, setup.Stage());
        ring.Subscribe(second, setup.Stage(stage));
        Task stepping = setup.Start(ring);
        Producer<long> producer = Make.Producer(ring);
        await Watchdog.Await(Watchdog.Run(() => Make.PublishRange(producer, 0, 299)), ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        await Watchdog.Await(stepping, ring);
        Assert.Equal((300, 44_850, true), (first.Count, first.Sum, first.InOrder));
        Assert.Equal((300, 44_850, true), (second.Count, second.Sum, second.InOrder));
        Assert.Equal(RingState.Stopped, ring.State);
        Assert.Equal(0, ring.Unprocessed);
    }

    [Theory]
    [MemberData(nameof(Setups))]
    public async Task Publish_OneByOne_AnIdleStageHearsOfEach(Setup setup)
    {
        RingBuffer<long> ring = setup.Ring(8);
        var handler = new Summer();
        ring.Subscribe(handler, setup.Stage());
        Task stepping = setup.Start(ring);
        Producer<long> producer = Make.Producer(ring);
        for (int i = 0; i < 40; i++)
        {
            // Half of them to a stage that is asleep for sure, where its wait sleeps.
            if (i % 2 == 0 && !setup.Stepped && setup.Wait is "park" or "async")
                await Watchdog.UntilAsync(() => setup.Stepped || Peek.IsArmed(ring.Sequencer.Cursor), ring);
            producer.Publish(i);
            int expected = i + 1;
            await Watchdog.UntilAsync(() => handler.Count == expected, ring);
        }

        await Watchdog.Await(ring.HaltAsync(), ring);
        await Watchdog.Await(stepping, ring);
        Assert.Equal((780, true), (handler.Sum, handler.InOrder));
    }

    [Theory]
    [MemberData(nameof(Setups))]
    public async Task Halt_Busy_EndsEverybody(Setup setup)
    {
        RingBuffer<long> ring = setup.Ring(2);
        var handler = new Summer();
        Stage stage = ring.Subscribe(handler, setup.Stage());
        Task stepping = setup.Start(ring);
        Producer<long> producer = Make.Producer(ring);
        long accepted = 0;
        (_, Task<Exception?> publishing) = Watchdog.RunThread(() =>
        {
            while (true)
            {
                producer.Publish(accepted);
                accepted++;
            }
        });
        await Watchdog.UntilAsync(() => handler.Count > 20, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.IsType<RingStoppedException>(await Watchdog.Await(publishing, ring));
        await Watchdog.Await(stepping, ring);
        // Accepted is handled or left over; a commit that was told of the stop was not accepted.
        Assert.InRange(handler.Count + ring.Unprocessed, accepted, accepted + 1);
        Assert.Equal(handler.Count, stage.GetStatistics().Items);
    }

    [Theory]
    [MemberData(nameof(Setups))]
    public async Task Fault_InTheSecondStage_EndsEverybody(Setup setup)
    {
        RingBuffer<long> ring = setup.Ring(4);
        Stage first = ring.Subscribe(new Summer(), setup.Stage());
        Stage second = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) =>
            {
                if (item == 20) throw new FormatException();
            }),
            setup.Stage(first));
        Task stepping = setup.Start(ring);
        Producer<long> producer = Make.Producer(ring);
        (_, Task<Exception?> publishing) = Watchdog.RunThread(() => Make.PublishRange(producer, 0, long.MaxValue - 1));
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Equal(second.Name, fault.Stage);
        var refused = Assert.IsType<RingFaultedException>(await Watchdog.Await(publishing, ring));
        Assert.IsType<FormatException>(refused.InnerException);
        await Watchdog.Await(stepping, ring);
        Assert.Equal(19, second.Position);
    }

    [Theory]
    [MemberData(nameof(Setups))]
    public async Task Aborts_AmongPublishes_AreNeverSeen(Setup setup)
    {
        RingBuffer<long> ring = setup.Ring(8);
        var handler = new Summer();
        ring.Subscribe(handler, setup.Stage());
        Task stepping = setup.Start(ring);
        Producer<long> producer = Make.Producer(ring);
        long sum = 0, count = 0;
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                for (int i = 0; i < 200; i++)
                {
                    using Claim<long> claim = producer.Claim(1 + i % 3);
                    for (int k = 0; k < claim.Count; k++) claim[k] = 3 * i + k;
                    int kept = i % 4;
                    if (kept > claim.Count) continue;
                    claim.Commit(kept);
                    count += kept;
                    for (int k = 0; k < kept; k++) sum += 3 * i + k;
                }
            }),
            ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        await Watchdog.Await(stepping, ring);
        Assert.Equal((count, sum, true), (handler.Count, handler.Sum, handler.InOrder));
    }
}
