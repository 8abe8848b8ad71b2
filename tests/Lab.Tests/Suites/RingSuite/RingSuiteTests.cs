using Raceway.Lab.Cli;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Lab.Tests.Suites.RingSuite;

public sealed class RingSuiteTests
{
    // More threads than cores that all spin, or poll with pauses of a time slice: they get fewer items.
    private const int Items = 3_000;
    private const int FewItems = 300;

    private static readonly string[] s_quick =
        ["1p-1c", "mp-1p", "3p-1c", "chain-3", "chain-3-one-handler", "trickle-3", "idle-3", "round-trip", "one-way-1e5"];

    public static TheoryData<string, string> Contestants
    {
        get
        {
            var data = new TheoryData<string, string>();
            foreach (RingCase one in RingCases.Baselines)
            {
                // Those of the cases with a given load are tested with the load: LatencyContestantTests.
                foreach (IContestant contestant in one.Create().Where(static c => c is RingContestant and not LatencyContestant))
                {
                    data.Add(one.Name, contestant.Name);
                }
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Contestants))]
    public void Run_EveryItemRight_IsVerified(string name, string contestant)
    {
        RingContestant one = Create(name, contestant);
        int items = ItemsOf(one);

        // More than once: the second round finds what the first one left. A number that no group divides.
        foreach (int operations in new[] { 1, items + 1, items })
        {
            Sample sample = one.Run(operations, default);

            Assert.True(sample.Verified);
            Assert.Equal(operations, sample.Operations);
        }
    }

    [Theory]
    [MemberData(nameof(Contestants))]
    public void Run_OneItemCorrupted_IsNotVerified(string name, string contestant)
    {
        RingContestant one = Create(name, contestant);
        int items = ItemsOf(one);
        int share = items / one.Shape.Producers;

        foreach (int item in new[] { 0, share / 2, share - 1 })
        {
            one.CorruptItem = item;

            Assert.False(one.Run(items, default).Verified);
        }
    }

    [Fact]
    public void Run_FairOfEveryPeer_IsVerified() => Assert.All(
        RingCases.Named("mp-16-fair").Create(), static one => Assert.True(one.Run(Items, default).Verified, one.Name));

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public void Run_FairQueueThatLosesAnItem_IsNotVerified(bool loses, bool verified)
    {
        var contestant = new FairContestant("locked", new RingShape(2, 1, 0, MultiProducer: true), fair =>
        {
            var gate = new Lock();
            int published = 0;
            Action<long> publish = item =>
            {
                lock (gate)
                {
                    if (++published != 7 || !loses) fair.Take(item);
                }
            };
            return new FairQueue(() => publish, static () => { });
        });

        Assert.Equal(verified, contestant.Run(Items, default).Verified);
    }

    [Fact]
    public void Baselines_Names_AreUnique()
    {
        Assert.Distinct(RingCases.Baselines.Select(static one => one.Name));
        Assert.All(RingCases.Baselines, static one => Assert.Distinct(one.Create().Select(static c => c.Name)));
    }

    [Fact]
    public void Baselines_EveryCase_HasTheDefaultAndAPeer() => Assert.All(RingCases.Baselines, static one =>
    {
        string[] names = [.. one.Create().Select(static c => c.Name)];
        Assert.Contains("raceway/default", names);
        Assert.Contains("channel-bounded", names);
    });

    [Fact]
    public void Select_QuickWithoutNames_IsTheQuickCases() => Assert.Equal(
        s_quick, SuiteList.Select("ring", [], quick: true).Select(static one => one.Name));

    [Fact]
    public void Select_WithoutNames_IsAll() =>
        Assert.Equal(RingCases.Baselines, SuiteList.Select("ring", [], quick: false));

    [Fact]
    public void Select_Names_AreFoundWhetherQuickOrNot() => Assert.All([true, false], static quick => Assert.Equal(
        ["chain-3", "chain-8"],
        SuiteList.Select("ring", ["chain-8", "chain-3"], quick).Select(static one => one.Name)));

    [Fact]
    public void Select_NameWithAStar_IsAllThatBeginSo() => Assert.Equal(
        ["1p-1c/publish-16", "1p-1c/publish-256", "diamond"],
        SuiteList.Select("ring", ["1p-1c/pub*", "diamond"], quick: true).Select(static one => one.Name));

    [Fact]
    public void Verified_OneOfSeveralChecksMissing_IsFalse()
    {
        var shape = new RingShape(1, 3, 0) { Topology = Topology.Multicast };
        var load = new RingLoad(shape, operations: 1, corrupt: null);

        foreach (int stage in new[] { 1, 2 })
        {
            Report(load, stage, Body.First(0));
            Assert.False(load.Verified);
        }

        Report(load, 3, Body.First(0));
        Assert.True(load.Verified);
    }

    [Fact]
    public void Verified_OneOfSeveralChecksDisagrees_IsFalse()
    {
        var shape = new RingShape(1, 3, 0) { Topology = Topology.Multicast };
        var load = new RingLoad(shape, operations: 1, corrupt: null);

        Report(load, 1, Body.First(0));
        Report(load, 2, Body.First(0) + 1);
        Report(load, 3, Body.First(0));

        Assert.False(load.Verified);
    }

    [Fact]
    public void Verified_ACheckTwice_IsFalse()
    {
        var load = new RingLoad(new RingShape(1, 1, 0), operations: 1, corrupt: null);

        Report(load, 1, Body.First(0));
        Report(load, 1, Body.First(0));

        Assert.False(load.Verified);
    }

    [Fact]
    public void IncrementsAt_Diamond_AreThoseOfTheWayThere()
    {
        var shape = new RingShape(1, 4, 5) { Topology = Topology.Diamond };

        Assert.Equal([5L, 5, 5, 10], Enumerable.Range(1, 4).Select(shape.IncrementsAt));
        Assert.Equal([2, 3], shape.After(4));
        Assert.Equal(3, shape.Checks);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    public void Item_OfAnyProducer_NamesIt(int producers)
    {
        for (int p = 0; p < producers; p++)
        {
            var feed = new Feed(p, 1_000);
            while (feed.MoveNext()) Assert.Equal(p, (int)(feed.Current & (Body.MaxProducers - 1)));
        }
    }

    private static int ItemsOf(RingContestant one) => one.BusyThreads > Environment.ProcessorCount ? FewItems : Items;

    private static RingContestant Create(string name, string contestant) =>
        (RingContestant)RingCases.Named(name).Create().Single(one => one.Name == contestant);

    private static void Report(RingLoad load, int stage, long item)
    {
        Check check = load.NewCheck(stage);
        check.Take(item);
        load.Report(check, stage);
    }
}
