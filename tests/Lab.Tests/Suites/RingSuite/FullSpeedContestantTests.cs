using System.Runtime.InteropServices;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Lab.Tests.Suites.RingSuite;

/// <summary>Timed rounds add the items up, and a round beside each checks every item: what either of them must find.</summary>
public sealed class FullSpeedContestantTests
{
    private const int Items = 40;

    private static readonly RingShape s_reading = new(1, 1, 0) { Capacity = 8 };
    private static readonly RingShape s_adding = new(1, 1, 1) { Capacity = 8 };

    [Flags]
    public enum In
    {
        TimedRounds = 1,
        CheckingRounds = 2,
        Both = TimedRounds | CheckingRounds,
    }

    public enum Loss
    {
        None,
        Dropped,
        Doubled,
        Swapped,
        Changed,
    }

    [Theory]
    [InlineData(Loss.None, In.Both, true)]
    [InlineData(Loss.Dropped, In.TimedRounds, false)]
    [InlineData(Loss.Doubled, In.TimedRounds, false)]
    [InlineData(Loss.Changed, In.TimedRounds, false)]
    [InlineData(Loss.Dropped, In.CheckingRounds, false)]
    [InlineData(Loss.Doubled, In.CheckingRounds, false)]
    [InlineData(Loss.Changed, In.CheckingRounds, false)]
    [InlineData(Loss.Swapped, In.CheckingRounds, false)]
    [InlineData(Loss.Swapped, In.Both, false)]
    public void Run_ItemsLostOrMoved_IsNotVerified(Loss loss, In where, bool verified) => Assert.All(
        [s_reading, s_adding],
        shape => Assert.Equal(verified, Listing.Contestant(shape, [], loss, where).Run(Items, default).Verified));

    [Fact]
    public void Run_ItemsSwappedInOneOfSeveralRounds_ShowsInThatRoundAlone()
    {
        var rounds = new List<RoundOfWork>();
        IContestant swaps = Listing.Contestant(s_reading, rounds, Loss.Swapped, In.Both, only: 2);

        Assert.Equal([true, false, true], Enumerable.Range(1, 3).Select(_ => swaps.Run(Items, default).Verified));
    }

    [Fact]
    public void Run_TimedRound_AddsUpAndIsFollowedByOneThatChecks()
    {
        foreach ((RingShape shape, Type adds, Type checks) in new[]
        {
            (s_reading, typeof(Summing<Number>), typeof(Checking<Number>)),
            (s_adding, typeof(AddingAndSumming<Number>), typeof(AddingAndChecking<Number>)),
        })
        {
            var rounds = new List<RoundOfWork>();
            IContestant contestant = Listing.Contestant(shape, rounds);

            Sample first = contestant.Run(Items, default);
            contestant.Run(Items, default);

            Assert.Equal(Items, first.Operations);
            Assert.Equal([adds, checks, adds, checks], rounds.Select(static one => one.Work));

            // Handlers of several classes take turns by the number of the round: both rounds of a run have the same.
            Assert.Equal([1, 1, 2, 2], rounds.Select(static one => one.Number));
        }
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(16, 16)]
    [InlineData(40, 16)]
    [InlineData(64, 16)]
    [InlineData(100, 25)]
    public void Run_CheckingRound_HasAPartOfTheItemsButTwoLaps(long items, long isChecked)
    {
        var rounds = new List<RoundOfWork>();

        Listing.Contestant(s_reading, rounds).Run(items, default);

        Assert.Equal([items, isChecked], rounds.Select(static one => one.Items));
    }

    [Fact]
    public void Run_BodyAlone_SaysWhatAnItemCosts()
    {
        IContestant body = RingCases.Named("1p-1c").Create().Single(static one => one.Name == "body-alone");

        // Fewer items than it has slots, a lap, laps and a part, and laps.
        foreach (int items in new[] { 1, 1_024, 5_000, 8_192 })
        {
            Sample sample = body.Run(items, default);

            Assert.True(sample.Verified);
            Count cost = Assert.Single(sample.Counts);
            Assert.Equal(("per-item", "ns"), (cost.Metric, cost.Unit));
            Assert.Equal(sample.Seconds * 1e9 / items, cost.Value, 1e-9);
        }

        Assert.Equal(1, body.BusyThreads);
    }

    /// <summary>What a round of a contestant was for.</summary>
    private sealed record RoundOfWork(Type Work, int Number, long Items);

    /// <summary>Collects all items, and hands them on, perhaps not as they came.</summary>
    private sealed class Listing(RingLoad load, RoundThreads threads, List<RoundOfWork> rounds, Loss loss) : Transport<Number>(load, threads)
    {
        private readonly List<Number> _items = [];

        public static IContestant Contestant(
            RingShape shape, List<RoundOfWork> rounds, Loss loss = Loss.None, In where = In.Both, int? only = null) =>
            new Peer<Number>("listing", (load, threads) => new Listing(
                load, threads, rounds,
                where.HasFlag(load.ChecksOrder ? In.CheckingRounds : In.TimedRounds) && (only ?? load.Round) == load.Round ? loss : Loss.None))
                .AtFullSpeed(shape);

        public override void AddProducer(int producer)
        {
            Feed feed = Load.FeedOf(producer);
            while (feed.MoveNext()) _items.Add(Slot.Of<Number>(feed.Current));
        }

        public override void AddStage<TWork>(int stage, TWork work)
        {
            rounds.Add(new RoundOfWork(typeof(TWork), Load.Round, Load.Operations));
            Threads.Add(() =>
            {
                Lose();
                foreach (ref Number item in CollectionsMarshal.AsSpan(_items)) work.Take(ref item);
                work.Report(Load, stage);
            });
        }

        private void Lose()
        {
            switch (loss)
            {
                case Loss.Dropped:
                    _items.RemoveAt(7);
                    break;
                case Loss.Doubled:
                    _items[7] = _items[6];
                    break;
                case Loss.Swapped:
                    (_items[6], _items[7]) = (_items[7], _items[6]);
                    break;
                case Loss.Changed:
                    _items[7] = Slot.Of<Number>(Number.Read(ref CollectionsMarshal.AsSpan(_items)[7]) ^ 1);
                    break;
            }
        }
    }
}
