using System.Runtime.CompilerServices;

namespace Raceway.Rings.Tests;

/// <summary>Whether another thread would have had something to do while stages were stepped together.</summary>
public sealed class PoolGroupOverlapTests
{
    // Short steps: one that takes half of the ring may have kept producers waiting.
    [Theory]
    [InlineData(511)]
    [InlineData(512)]
    public async Task Stepped_ShortStepsThatLeaveNothing_PartWhereTheyTakeHalfOfTheRing(int items)
    {
        await using PoolChain chain = new(2);
        long now = MachineClock.Now;
        if (Cpu.IsAlone || items < chain.Ring.Capacity / 2)
        {
            for (int i = 0; i < 1000; i++) Step();
            Assert.False(Parts(chain.Group));
            return;
        }

        // Where other units of the process wait, nothing is tried. And behind ten seconds without a try, any step of a busy load has one.
        long most = now + Clock.Ticks(TimeSpan.FromSeconds(9));
        await Watchdog.UntilAsync(
            () =>
            {
                for (int i = 0; i < 1000 && !Parts(chain.Group); i++) Step();
                return Parts(chain.Group) || now > most;
            },
            "they part");
        Assert.True(Parts(chain.Group));

        void Step() => chain.Group.Stepped(new StepResult(StepKind.Progressed, items), now, now += ReadyQueue.WakeUp / 2);
    }

    // Behind a lone item there is nothing that another thread could do meanwhile, and it costs each a hand-over to be apart.
    [Fact]
    public async Task Overlapped_OneItemAfterAnother_Never()
    {
        await using PoolChain chain = new(3);
        chain.Ring.Start();
        await chain.UntilTogetherAsync();
        await chain.UntilThroughAsync();
        chain.Publish(1);
        await chain.UntilThroughAsync();
        long overlapped = chain.Group.Overlapped;
        for (int i = 0; i < 100; i++)
        {
            chain.Publish(1);
            await chain.UntilThroughAsync();
        }

        Assert.Equal(overlapped, chain.Group.Overlapped);
    }

    // Each step finds one item only: the next one comes while that is with the second stage.
    [Fact]
    public async Task Overlapped_NextItemBehindTheFirstStage_SoonIs()
    {
        await using PoolChain chain = new(3);
        chain.Recorders[1].Spins = 200;
        chain.Ring.Start();
        await chain.UntilTogetherAsync();
        await chain.UntilThroughAsync();
        long overlapped = chain.Group.Overlapped;
        await Watchdog.Run(() =>
        {
            // Twice: the step that was over last may be counted late.
            while (chain.Group.Overlapped <= overlapped + 1)
            {
                if (chain.Recorders[0].Count == chain.Published) chain.Publish(1);
                else Thread.Yield();
            }
        }).OrHang();
    }

    [Fact]
    public async Task Overlapped_TwoItemsAtOnce_IsSo()
    {
        await using PoolChain chain = new(2);
        chain.Ring.Start();
        await chain.UntilTogetherAsync();
        await chain.UntilThroughAsync();
        long overlapped = chain.Group.Overlapped;
        await Watchdog.UntilAsync(
            () =>
            {
                if (chain.Recorders[^1].Count == chain.Published) chain.PublishAtOnce(2);
                // Twice: the step that was over last may be counted late.
                return chain.Group.Overlapped > overlapped + 1;
            },
            "the first stage has handled both in one step");
    }

    [Fact]
    public async Task Overlapped_StagesBesideEachOther_ByOneItemToo()
    {
        await using var ring = new RingBuffer<long>(8, new RingOptions<long> { Wait = Wait.AsyncUncut });
        Stage[] stages = [ring.Subscribe((ref long _) => { }), ring.Subscribe((ref long _) => { })];
        PoolGroup group = ring.StepTogether(stages)!;
        SingleProducer<long> producer = ring.CreateProducer();
        ring.Start();
        await PoolChain.UntilTogetherAsync([.. stages], () => producer.TryPublish(1));
        await Watchdog.UntilAsync(() => ring.Backlog == 0, "what was published so far is through");
        long overlapped = group.Overlapped;
        await Watchdog.UntilAsync(
            () =>
            {
                if (ring.Backlog == 0) producer.Publish(1);
                return group.Overlapped > overlapped + 1;
            },
            "both have something to do with each");
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_parts")]
    private static extern ref bool Parts(PoolGroup group);
}
