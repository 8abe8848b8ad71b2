namespace Raceway.Rings.Tests;

/// <summary>A thread of the pool that begins to step units moves off the processor of a producer that blocks.</summary>
public sealed class PoolSpreadProducersTests : PoolSpreadThreads
{
    [Fact]
    public void Begin_ProducerBlocksThere_MovesAtTheSecondFinding()
    {
        for (int i = 0; i < 3; i++)
        {
            Blocks(0);
            Assert.False(Begin(0, 0));
            Blocks(0);
            Assert.True(Begin(0, 0));
            Assert.Equal(i + 1, _moves.Count);
            Assert.Equal([0], _moves[i]);
        }
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(0, false)]
    public void Begin_ProducerBlockedLongAgo_Stays(long later, bool moves)
    {
        Blocks(0);
        Assert.False(Begin(0, 0, PoolSpread.Place.Remembered - 2));
        Assert.Equal(moves, Begin(0, 0, 2 - later));
        Assert.Equal(moves, _moves.Count > 0);
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(0, false)]
    public void Begin_FindsAProducerNowAndThen_IsForgotten(long shorter, bool moves)
    {
        Blocks(0);
        Assert.False(Begin(0, 0, 1));
        _now += PoolSpread.Place.Remembered - 1 - shorter;
        Blocks(0);
        Assert.Equal(moves, Begin(0, 0, 1));
    }

    [Fact]
    public void Begin_ProducerBlocksElsewhere_Stays()
    {
        for (int i = 0; i < 10; i++)
        {
            Blocks(1);
            Assert.False(Begin(0, 0));
        }

        Assert.Empty(_moves);
    }

    // It would only have another one beside it.
    [Theory]
    [InlineData("a producer blocks")]
    [InlineData("a thread looks")]
    [InlineData("a thread begins")]
    public void Begin_TheOtherProcessorIsTaken_StaysUntilItIsFree(string by)
    {
        for (int i = 0; i < 10; i++)
        {
            if (by == "a producer blocks") Blocks(1);
            else if (by == "a thread looks") Look(1, 1);
            else Begin(1, 1);
            Blocks(0);
            Assert.False(Begin(0, 0));
        }

        Assert.Empty(_moves);
        _now += PoolSpread.Place.Remembered;
        for (int i = 0; i < 2; i++)
        {
            Blocks(0);
            _ = Begin(0, 0);
        }

        Assert.Equal([0], Assert.Single(_moves));
    }

    [Fact]
    public void Begin_BehindAMove_TheThreadIsWhereItWasMovedTo()
    {
        for (int i = 0; i < 2; i++)
        {
            Blocks(0);
            Begin(0, 0);
        }

        for (int i = 0; i < 2; i++)
        {
            Blocks(0);
            Assert.False(Begin(2, 0));
        }

        Assert.Single(_moves);
    }

    // It is in a long step there, and has looked nowhere since.
    [Fact]
    public void Begin_AThirdOneWasWhereAnotherOneIs_ThatOneIsSeenThereAllTheSame()
    {
        Begin(1, 1);
        Begin(2, 1, 1);
        _places[2].Leave();
        for (int i = 0; i < 2; i++)
        {
            Blocks(0);
            Assert.False(Begin(2, 0, 1));
        }

        Assert.Empty(_moves);
    }

    [Fact]
    public void Begin_TwoBeginByTurns_Stay()
    {
        for (int i = 0; i < 10; i++)
        {
            Begin(0, 0);
            Begin(1, 0);
        }

        Assert.Empty(_moves);
    }

    // Each kind is found once.
    [Fact]
    public void Begin_HasFoundAThreadBefore_IsAnotherFinding()
    {
        Look(0, 0);
        Look(1, 0);
        Blocks(0);
        Assert.False(Begin(1, 0));
        Assert.Empty(_moves);
    }

    // To move costs as much as a short step. The system may put it back at once.
    [Theory]
    [InlineData(20, 1)]
    [InlineData(4, 2)]
    public void Begin_FindsAProducerAgainAndAgain_MovesOnceAMillisecond(int timesAMillisecond, int moves)
    {
        for (int i = 0; i < 8; i++)
        {
            Blocks(0);
            Begin(0, 0, PoolSpread.Place.Seldom / timesAMillisecond);
        }

        Assert.Equal(moves, _moves.Count);
    }

    // Where many producers are, they would be on both.
    [Fact]
    public void Look_ProducersBlockOnBoth_TheThreadsMoveApartAllTheSame()
    {
        for (int i = 0; i < 2; i++)
        {
            Blocks(0);
            Blocks(1);
            Look(0, 0);
            Look(1, 0);
        }

        Assert.Equal([0], Assert.Single(_moves));
    }

    [Fact]
    public void Begin_ProcessorIsNotKnown_Stays()
    {
        foreach (int processor in (int[])[-1, Affinity.Most])
        {
            for (int i = 0; i < 2; i++)
            {
                Blocks(processor);
                Assert.False(Begin(0, processor));
            }
        }

        Assert.Empty(_moves);
    }

    // The slice is so long that it is not over: no thread looks at the end of one.
    [Fact]
    public async Task Execute_ProducerBlocksOnItsProcessor_TheThreadMovesAsItBegins()
    {
        int[]? left = null;
        var queue = new ReadyQueue(Clock.Machine, spread: new PoolSpread(static () => 3, taken => Volatile.Write(ref left, [.. taken])));
        await using var unit = new PoolUnit(queue, slice: Clock.Ticks(TimeSpan.FromHours(1)));
        unit.CountsFromHere();
        for (int items = 1; Volatile.Read(ref left) is null; items++)
        {
            Assert.InRange(items, 0, 300_000);
            queue.ProducerBlocks();
            unit.Publish();
            await unit.Handles(items);
        }

        Assert.Equal([3], left!);
    }

    // It would find itself, and move for that.
    [Fact]
    public async Task ProducerBlocks_InAHandler_IsNotNoted()
    {
        bool? onPool = null;
        var queue = new ReadyQueue(Clock.Machine, spread: new PoolSpread(static () => 3, static _ => { }));
        await using var unit = new PoolUnit(queue, slice: Clock.Ticks(TimeSpan.FromHours(1)));
        unit.CountsFromHere();
        unit.Then = () =>
        {
            queue.ProducerBlocks();
            onPool = PoolThread.Current is not null;
        };
        unit.Publish();
        await unit.Handles(1);
        Assert.True(onPool);
        Assert.Equal(0, Peek.ProducerBlockedAt(queue));
        queue.ProducerBlocks();
        Assert.NotEqual(0, Peek.ProducerBlockedAt(queue));
    }
}
