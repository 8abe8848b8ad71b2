namespace Raceway.Rings.Tests;

/// <summary>Threads of the pool that step units on one processor move apart.</summary>
public sealed class PoolSpreadTests : PoolSpreadThreads
{
    [Fact]
    public void Look_TwoTakeTurnsOnOneProcessor_OneMovesOnce()
    {
        Look(0, 0);
        Look(1, 0);
        Look(0, 0);
        Assert.Empty(_moves);
        Look(1, 0);
        Assert.Equal([0], Assert.Single(_moves));

        for (int i = 0; i < 10; i++)
        {
            Look(0, 0);
            Look(1, 1);
        }

        Assert.Single(_moves);
    }

    // Where it has been moved to, it is seen.
    [Fact]
    public void Look_BehindAMove_TheThreadIsWhereItWasMovedTo()
    {
        for (int i = 0; i < 2; i++)
        {
            Look(0, 0);
            Look(1, 0);
        }

        Look(2, 0);
        Look(0, 0);
        Look(2, 0);
        Assert.Equal([0], Assert.Single(_moves));
    }

    // What is asked is how long ago the thread itself has found another one, and that one has looked.
    [Theory]
    [InlineData(1, true)]
    [InlineData(0, false)]
    public void Look_FindsAnotherNowAndThen_IsForgotten(long shorter, bool moves)
    {
        Look(0, 0);
        Look(1, 0);
        Look(2, 0, PoolSpread.Place.Remembered - s_step - shorter);
        Look(1, 0, s_step);
        Assert.Equal(moves, _moves.Count > 0);
    }

    // It is in a call that lasts, or the system has moved it since.
    [Fact]
    public void Look_OtherOneHasNotLookedForLong_Stays()
    {
        Look(0, 0);
        for (int i = 0; i < 10; i++)
        {
            Look(1, 0, i == 0 ? PoolSpread.Place.Remembered : 0);
            Look(1, 1);
        }

        Assert.Empty(_moves);
    }

    // A thread that blocks there does not keep others from moving to it.
    [Fact]
    public void Look_ThirdOneHasNotLookedForLong_ItsProcessorIsFree()
    {
        Look(2, 1);
        _now += PoolSpread.Place.Remembered;
        for (int i = 0; i < 2; i++)
        {
            Look(0, 0);
            Look(1, 0);
        }

        Assert.Equal([0], Assert.Single(_moves));
    }

    [Fact]
    public void Look_OtherOneLooksElsewhere_Stays()
    {
        for (int i = 0; i < 10; i++)
        {
            Look(0, 2 * i);
            Look(0, (2 * i) + 1);
            Look(1, 2 * i);
        }

        Assert.Empty(_moves);
    }

    [Fact]
    public void Look_OtherOneStepsNoMore_Stays()
    {
        for (int i = 0; i < 10; i++)
        {
            Look(0, 0);
            _places[0].Leave();
            Look(1, 0);
            _places[1].Leave();
        }

        Assert.Empty(_moves);
    }

    [Fact]
    public void Look_Alone_Stays()
    {
        for (int i = 0; i < 10; i++) Look(0, 0);
        Assert.Empty(_moves);
    }

    [Fact]
    public void Look_ProcessorIsNotKnown_Stays()
    {
        for (int i = 0; i < 10; i++)
        {
            Look(0, -1);
            Look(1, Affinity.Most);
        }

        Assert.Empty(_moves);
    }

    // It has looked once before it counts as there.
    [Fact]
    public async Task Execute_EndOfASlice_TheThreadIsSomewhereUntilItStepsNoMore()
    {
        PoolSpread.Place? place = null;
        bool wasThere = false;
        var spread = new PoolSpread(
            () =>
            {
                PoolSpread.Place own = PoolThread.Current!.Place;
                Volatile.Write(ref wasThere, Volatile.Read(ref wasThere) || own.IsAt(3, MachineClock.Now));
                Volatile.Write(ref place, own);
                return 3;
            },
            static _ => { });
        await using var unit = new PoolUnit(new ReadyQueue(Clock.Machine, spread: spread), slice: 1, capacity: 64);
        unit.CountsFromHere();
        // Other work of the pool may take the thread at the end of a slice.
        for (int items = 0, rounds = 0; !Volatile.Read(ref wasThere); rounds++)
        {
            Assert.InRange(rounds, 0, 300_000);
            for (int i = 0; i < 64; i++) unit.Publish();
            await unit.Handles(items += 64);
        }

        // At that time nothing is too old: it has left.
        await Watchdog.UntilAsync(() => !Volatile.Read(ref place)!.IsAt(3, now: 0));
    }

    [Fact]
    public void Shared_TwoProcessorsOfLinux_KeepsThreadsApart()
    {
        bool hasTwo = OperatingSystem.IsLinux() && Environment.ProcessorCount == 2;
        Assert.Equal(hasTwo, Peek.HasSpread(ReadyQueue.Shared));
    }

    [Fact]
    public void Leave_TakenProcessors_RunsElsewhereAndMayRunWhereItCould()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "threads are moved on Linux only");
        int[] before = Affinity.Read();
        Assert.SkipUnless(before.Length > 1, "there is one processor");
        bool moved = false;
        // The system may take it back at once.
        for (int i = 0; i < 1000 && !moved; i++)
        {
            int here = Affinity.Here();
            Assert.Contains(here, before);
            Affinity.Leave([here], before.Length);
            moved = Affinity.Here() != here;
            Assert.Equal(before, Affinity.Read());
        }

        Assert.True(moved);
    }

    [Fact]
    public void Leave_AllAreTaken_NothingIsDone()
    {
        int[] before = Affinity.Read();
        Affinity.Leave(before, before.Length);
        Assert.Equal(before, Affinity.Read());
    }

    // With more to choose from, it might be moved beside a thread that spins.
    [Fact]
    public void Leave_MayRunOnMoreOrFewer_StaysWhereItIs()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "threads are moved on Linux only");
        int[] before = Affinity.Read();
        Assert.SkipUnless(before.Length > 1, "there is one processor");
        // The system may move it now and then.
        Assert.InRange(Moves(allowed: before.Length + 1), 0, 10);
        Assert.InRange(Moves(allowed: before.Length - 1), 0, 10);
        Assert.Equal(before, Affinity.Read());

        static int Moves(int allowed)
        {
            int moves = 0;
            for (int i = 0; i < 100; i++)
            {
                int here = Affinity.Here();
                Affinity.Leave([here], allowed);
                if (Affinity.Here() != here) moves++;
            }

            return moves;
        }
    }
}
