using Raceway.Interop.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;
using static Raceway.Interop.Tests.Distributed.Receiving;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>Items that are not this worker's any more: left out, never acknowledged, handled again where they belong.</summary>
public sealed class LinkFencingTests
{
    private static readonly LinkOptions s_fencing = new() { Fencing = true };

    [Fact]
    public async Task TryOwn_ItemOfThePresentSession_HasItsTermAndPosition()
    {
        List<OwnedItem> owned = [];
        await using Receiving receiving = await StartAsync(options: s_fencing, keeper: (source, _) => new Keeping(source, owned.Add));
        await receiving.Deliver(1, 1, FrameOf(5, 15, 16), term: 77);
        receiving.Driver.RunUntilIdle();
        Assert.Equal([77L, 77L], owned.Select(static one => one.Term));
        Assert.Equal([5L, 6L], owned.Select(static one => one.Position.Number));
        Assert.Equal([1, 0], owned.Select(static one => one.Following));
        Assert.Equal([(1L, 1UL)], receiving.Port.Acknowledged);
    }

    [Fact]
    public async Task TryOwn_BrokerWasNotHeardOf_ItemsAreLeftOutAndComeAgain()
    {
        await using Receiving receiving = await StartAsync(options: s_fencing, keeper: Keeper);
        await receiving.Deliver(1, 1, FrameOf(0, 10, 11), term: 1);
        receiving.Port.Holds = false;
        receiving.Driver.RunUntilIdle();
        Assert.Empty(receiving.Items);
        Assert.Empty(receiving.Port.Acknowledged);
        Assert.Equal([1L], receiving.Port.Renewed);
        Assert.Equal(LinkEventKind.Disowned, Assert.Single(receiving.Events).Kind);
        // What was on its way is for the next session.
        receiving.Port.Holds = true;
        await receiving.Deliver(1, 2, FrameOf(2, 12), term: 1);
        receiving.Handler.OnSession(2);
        await receiving.Deliver(2, 1, FrameOf(0, 10, 11), term: 3);
        await receiving.Deliver(2, 2, FrameOf(2, 12), term: 3);
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11, 12], receiving.Items);
        Assert.Equal((2L, 2UL), receiving.Port.Acknowledged[^1]);
    }

    [Fact]
    public async Task TryOwn_SessionHasEnded_ItemsInTheRingAreLeftOutAndHandledWhenTheyComeAgain()
    {
        await using Receiving receiving = await StartAsync(options: s_fencing, keeper: Keeper);
        await receiving.Deliver(1, 1, FrameOf(0, 10, 11), term: 1);
        receiving.Handler.OnSession(2);
        receiving.Driver.RunUntilIdle();
        Assert.Empty(receiving.Items);
        await receiving.Deliver(2, 1, FrameOf(0, 10, 11), term: 2);
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11], receiving.Items);
        Assert.Equal([(2L, 1UL)], receiving.Port.Acknowledged);
    }

    [Fact]
    public async Task Disown_SinkKnowsANewerTerm_NothingOfTheSessionIsAcknowledgedAndAllOfItComesAgain()
    {
        bool refuses = true;
        await using Receiving receiving = await StartAsync(
            options: s_fencing, keeper: (source, items) => new Keeping(source, _ => { }, (sequence, number) =>
            {
                if (refuses) source.Disown(sequence);
                else items.Add(number);
            }));
        await receiving.Deliver(1, 1, FrameOf(0, 10), term: 1);
        receiving.Driver.RunUntilIdle();
        Assert.Empty(receiving.Port.Acknowledged);
        Assert.Equal([1L], receiving.Port.Renewed);
        refuses = false;
        // Known, were it not that the sink has refused it.
        receiving.Handler.OnSession(2);
        await receiving.Deliver(2, 1, FrameOf(0, 10), term: 9);
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10], receiving.Items);
        Assert.Equal([(2L, 1UL)], receiving.Port.Acknowledged);
    }

    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public async Task OnFrame_SuspectAndItsItemsAreLeftOut_ItsTrialIsNotEnded(bool holds, int ended)
    {
        await using Receiving receiving = await StartAsync(options: s_fencing, keeper: Keeper);
        receiving.Port.Holds = holds;
        Task taking = receiving.Handler.OnFrameAsync(
            new ReceivedFrame(1, 1, 0, true, FrameOf(0, 10)) { Term = 1, IsSuspect = true }).AsTask();
        Assert.False(taking.IsCompleted);
        receiving.Driver.RunUntilIdle();
        await taking;
        Assert.Equal((ended, ended), (receiving.Port.TrialsEnded, receiving.Items.Count));
    }

    [Fact]
    public async Task TryOwn_FencingIsNotSet_SaysWhatToDo()
    {
        await using Receiving receiving = await StartAsync();
        Assert.Contains(
            "Set LinkOptions.Fencing",
            Assert.Throws<InvalidOperationException>(() => receiving.Source.TryOwn(0, out _)).Message, StringComparison.Ordinal);
    }

    private static Keeping Keeper(LinkSource<Keyed> source, List<int> items) => new(source, _ => { }, (_, number) => items.Add(number));

    private sealed class Keeping(LinkSource<Keyed> source, Action<OwnedItem> owned, Action<long, int>? keep = null)
        : IBatchHandler<Keyed>
    {
        public void OnBatch(Batch<Keyed> batch)
        {
            for (int i = 0; i < batch.Count; i++)
            {
                if (!source.TryOwn(batch.Sequence + i, out OwnedItem item)) continue;
                owned(item);
                keep?.Invoke(batch.Sequence + i, batch[i].Number);
            }
        }
    }
}
