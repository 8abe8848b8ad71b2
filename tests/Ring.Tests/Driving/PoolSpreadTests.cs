namespace Raceway.Rings.Tests;

/// <summary>Threads of the pool that step units on one processor move apart: here threads and processors are numbers.</summary>
public sealed class PoolSpreadTests
{
    private static readonly long s_step = PoolSpread.Place.Remembered / 4;

    private readonly PoolSpread _spread;
    private readonly PoolSpread.Place[] _places = [new(), new(), new()];
    private readonly List<int[]> _moves = [];
    private int _here;
    private int _movesTo = 1;
    private long _now = s_step * 1000;

    public PoolSpreadTests() => _spread = new PoolSpread(() => _here, taken =>
    {
        _moves.Add([.. taken]);
        _here = _movesTo;
    });

    private void Look(int thread, int processor, long later = 0)
    {
        _now += later == 0 ? s_step : later;
        _here = processor;
        _spread.Look(_places[thread], _now);
    }

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
        Assert.Equal([0, 1], _moves[^1]);
    }

    [Fact]
    public void Look_NowAndThen_IsForgotten()
    {
        for (int i = 0; i < 10; i++)
        {
            Look(0, 0, PoolSpread.Place.Remembered);
            Look(1, 0, PoolSpread.Place.Remembered);
        }

        Assert.Empty(_moves);
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

    [Fact]
    public async Task Execute_EndOfASlice_LooksAndEndsNowhere()
    {
        int looks = 0;
        var spread = new PoolSpread(() => Interlocked.Increment(ref looks) * 0, static _ => { });
        PoolSpread.Place? place = null;
        await using var unit = new PoolUnit(new ReadyQueue(Clock.Machine, spread: spread), slice: 1);
        unit.CountsFromHere();
        for (long items = 1; Volatile.Read(ref looks) == 0; items++)
        {
            unit.Then = () => Volatile.Write(ref place, PoolThread.Current!.Place);
            unit.Publish();
            await unit.Handles(items);
        }

        await Watchdog.UntilAsync(() => !Volatile.Read(ref place)!.IsAt(0));
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
            Affinity.Leave([here]);
            moved = Affinity.Here() != here;
            Assert.Equal(before, Affinity.Read());
        }

        Assert.True(moved);
    }

    [Fact]
    public void Leave_AllAreTaken_NothingIsDone()
    {
        int[] before = Affinity.Read();
        Affinity.Leave(before);
        Assert.Equal(before, Affinity.Read());
    }
}
