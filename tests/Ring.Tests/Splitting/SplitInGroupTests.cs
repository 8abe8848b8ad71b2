using System.Runtime.CompilerServices;

namespace Raceway.Rings.Tests;

/// <summary>A stateless stage that is stepped together with another one: a call that is split parts the two.</summary>
public sealed class SplitInGroupTests : IAsyncDisposable
{
    // So few that the first step takes all, and that not every call is timed.
    private const int Items = 8;

    private readonly RingBuffer<long> _ring = new(1024, new RingOptions<long> { Wait = Wait.AsyncUncut });
    private readonly List<Stage> _stages;
    private readonly SingleProducer<long> _producer;
    private readonly Recorder _behind = new();

    public SplitInGroupTests()
    {
        Stage stateless = _ring.Subscribe(static (ref long _) => { }, new StageOptions { IsStateless = true, MostThreads = 2 });
        _stages = [stateless, _ring.Subscribe(_behind, new StageOptions { After = [stateless] })];
        _ring.StepTogether(_stages);
        _producer = _ring.CreateProducer();
    }

    private bool IsTogether => _stages[0].IsDrivenWith(_stages[1]);

    private SplitCalls Split => _stages[0].Split!;

    public ValueTask DisposeAsync() => _ring.DisposeAsync();

    [Fact]
    public async Task Call_WorthALookAtBothButNoParting_IsWhole()
    {
        _ring.Start();
        bool isWhole = false;
        // The machine may keep a step from its processor, and the watch part the two: then it says nothing.
        for (int i = 0; i < 20 && !isWhole; i++)
        {
            await UntilTogetherAsync(callOf: 2 * SplitGauge.Worth);
            long before = _stages[0].GetStatistics().Split;
            await PublishAsync();
            isWhole = _stages[0].GetStatistics().Split == before && IsTogether;
        }

        Assert.True(isWhole);
    }

    [Fact]
    public async Task Call_WorthParting_IsSplit()
    {
        _ring.Start();
        bool wasTogether = false;
        for (int i = 0; i < 20 && !wasTogether; i++)
        {
            await UntilTogetherAsync(callOf: 2 * SplitGauge.WorthParting);
            wasTogether = IsTogether;
            long before = _stages[0].GetStatistics().Split;
            await PublishAsync();
            Assert.InRange(_stages[0].GetStatistics().Split, before + 1, long.MaxValue);
        }

        Assert.True(wasTogether);
    }

    // A large call would be split.
    [Fact]
    public async Task Most_IsThatOfTheDispatchUntilTheyPart()
    {
        _ring.Start();
        await UntilTogetherAsync(callOf: 1);
        MostApart(Split) = 100;
        Assert.True(Split.Most == 1 || !IsTogether);
        await _ring.DisposeAsync();
        Assert.Equal(100, Split.Most);
    }

    // What a call of the items is taken to cost from then on.
    private async Task UntilTogetherAsync(long callOf)
    {
        await PoolChain.UntilTogetherAsync(_stages, () => _producer.TryPublish(0));
        await Watchdog.UntilAsync(() => _ring.Backlog == 0, _ring);
        var gauge = new SplitGauge();
        for (int i = 0; i < 2; i++) gauge.AddWhole(Items, callOf);
        Gauge(Split) = gauge;
    }

    private async Task PublishAsync()
    {
        Publish();
        await Watchdog.UntilAsync(() => _ring.Backlog == 0, _ring);

        void Publish()
        {
            using Claim<long> claim = _producer.Claim(Items);
            claim.Commit();
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_gauge")]
    private static extern ref SplitGauge Gauge(SplitCalls calls);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_mostApart")]
    private static extern ref int MostApart(SplitCalls calls);
}
