namespace Raceway.Rings.Tests;

/// <summary>A thread that waits for its stage leaves a processor to one that works, and shares the other one with the producer.</summary>
public sealed class PoolSpreadWaitsTests : PoolSpreadThreads
{
    [Theory]
    [InlineData(800, 399, 1)]
    [InlineData(399, 800, 0)]
    public void Look_TwoOnOneProcessor_TheOneThatWorksLessMoves(int work0, int work1, int mover)
    {
        for (int i = 0; i < 10; i++)
        {
            Look(0, mover == 0 && _moves.Count > 0 ? 1 : 0, work: work0);
            if (mover == 1) Assert.Empty(_moves);
            Look(1, mover == 1 && _moves.Count > 0 ? 1 : 0, work: work1);
            if (_moves.Count > 0) break;
        }

        Assert.Equal([0], Assert.Single(_moves));
        Assert.True(_places[mover].IsAt(1, _now));
    }

    // One of the two is to move.
    [Theory]
    [InlineData(1000, 500)]
    [InlineData(500, 1000)]
    [InlineData(300, 300)]
    public void Look_TwoOnOneProcessorWorkAboutAsMuch_TheOneThatFindsItMoves(int work0, int work1)
    {
        for (int i = 0; i < 2; i++)
        {
            Look(0, 0, work: work0);
            Look(1, 0, work: work1);
        }

        Assert.Equal([0], Assert.Single(_moves));
        Assert.True(_places[1].IsAt(1, _now));
    }

    [Fact]
    public void Look_BesideAProducerAndAnotherOneWaits_MovesThereAtTheSecondFinding()
    {
        Found(work: 1000, other: 400);
        Assert.Empty(_moves);
        Found(work: 1000, other: 400);
        Assert.Equal([0], Assert.Single(_moves));
        Assert.True(_places[0].IsAt(1, _now));
    }

    [Theory]
    [InlineData(200, 99, true)]
    [InlineData(1000, 499, true)]
    [InlineData(1000, 500, false)]
    [InlineData(500, 1000, false)]
    public void Look_BesideAProducer_MovesWhereTheOtherOneWorksLess(int work, int other, bool moves)
    {
        for (int i = 0; i < 2; i++) Found(work, other);
        Assert.Equal(moves, _moves.Count > 0);
    }

    // The system may have moved it, or it is in a call that lasts.
    [Fact]
    public void Look_BesideAProducerAndTheOtherOneHasNotLookedForLong_Stays()
    {
        Look(1, 1, work: 100);
        _now += PoolSpread.Place.Remembered;
        for (int i = 0; i < 10; i++)
        {
            Blocks(0);
            Look(0, 0);
        }

        Assert.Empty(_moves);
    }

    [Fact]
    public void Look_BesideAProducerAndTheOtherOneStepsNoMore_Stays()
    {
        Look(1, 1, work: 100);
        _places[1].Leave();
        for (int i = 0; i < 2; i++)
        {
            Blocks(0);
            Look(0, 0, later: 1);
        }

        Assert.Empty(_moves);
    }

    // The two would change places for as long as that is so. What the system has moved was on the other processor a while ago.
    [Theory]
    [InlineData(1, true)]
    [InlineData(0, false)]
    public void Look_BesideAProducerAndOneBlocksWhereTheOtherOneWaits_StaysUnlessThatIsOver(long later, bool moves)
    {
        Look(1, 1, work: 100);
        Blocks(1);
        _now += 2 * PoolSpread.Place.Seldom;
        for (int i = 0; i < 2; i++)
        {
            _now += i == 0 ? later : 0;
            Blocks(0);
            _now--;
            Look(0, 0, later: 1);
        }

        Assert.Equal(moves, _moves.Count > 0);
    }

    [Fact]
    public void Look_NoProducerBlocksThere_Stays()
    {
        for (int i = 0; i < 10; i++)
        {
            Look(1, 1, work: 100);
            Blocks(1);
            Look(0, 0);
        }

        Assert.Empty(_moves);
    }

    // The system may have moved it, or there is room.
    [Theory]
    [InlineData(1, true)]
    [InlineData(0, false)]
    public void Look_ProducerBlockedThereLongAgo_Stays(long shorter, bool moves)
    {
        Look(1, 1, work: 100);
        Blocks(0);
        Look(1, 1, PoolSpread.Place.Remembered - 2 - shorter, work: 100);
        for (int i = 0; i < 2; i++) Look(0, 0, later: 1);

        Assert.Equal(moves, _moves.Count > 0);
    }

    [Theory]
    [InlineData(20, 1)]
    [InlineData(2, 2)]
    public void Look_BesideAProducerAgainAndAgain_MovesOnceAMillisecond(int timesAMillisecond, int moves)
    {
        for (int i = 0; i < 4; i++)
        {
            Blocks(0);
            Look(1, 1, later: 1, work: 100);
            Look(0, 0, PoolSpread.Place.Seldom / timesAMillisecond);
        }

        Assert.Equal(moves, _moves.Count);
    }

    private void Found(int work, int other)
    {
        Look(1, 1, work: other);
        Blocks(0);
        Look(0, 0, work: work);
    }
}
