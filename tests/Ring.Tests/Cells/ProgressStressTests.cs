namespace Raceway.Rings.Tests;

/// <summary>Arming against advancing, as fast as two threads can: no wake-up is lost, none comes twice.</summary>
public sealed class ProgressStressTests
{
    private const int Rounds = 20_000;

    // One waiter's side: round by round it waits for the round's number, and then lets the owner go on.
    private sealed class Party(Progress cell, bool fenced, int seed, Func<bool> stop)
    {
        private readonly CountingWaiter _waiter = new();
        private readonly Random _random = new(seed);
        private long _reached;
        private int _due;

        public long Reached => Volatile.Read(ref _reached);

        public int Due => _due;

        public int Signals => _waiter.Signals;

        public void Run()
        {
            for (long round = 1; round <= Rounds && !stop(); round++)
            {
                Wait(round);
                if (_random.Next(4) == 0) cell.LeaveParkingRegime();
                Volatile.Write(ref _reached, round);
            }
        }

        private void Wait(long round)
        {
            for (int spins = _random.Next(20); spins > 0 && !cell.IsReached(round); spins--) Cpu.Pause();
            while (!cell.IsReached(round) && !stop())
            {
                int signals = _waiter.Signals;
                if (fenced) cell.Arm(_waiter, round);
                else cell.ArmUnfenced(_waiter, round);
                if (cell.IsReached(round) && cell.Disarm(_waiter)) return;

                // A fenced waiter sleeps until it is signalled, whatever happens; an unfenced one looks again in time.
                int looks = 0;
                while (_waiter.Signals == signals && !stop())
                {
                    if (!fenced && ++looks > 50 && cell.Disarm(_waiter)) break;
                    Thread.Yield();
                }

                if (_waiter.Signals != signals) _due++;
            }
        }
    }

    [Theory]
    [InlineData("f")]
    [InlineData("ff")]
    [InlineData("fu")]
    [InlineData("uf")]
    public async Task ArmAgainstAdvance_MixedWaiters_EachIsSignalledOnce(string kinds)
    {
        var cell = new Progress(new CellBlock(CellPadding.LinePair), 0);
        bool stop = false;
        Party[] parties =
            [.. kinds.Select((kind, i) => new Party(cell, kind == 'f', i + 1, () => Volatile.Read(ref stop)))];
        Task[] waiting = [.. parties.Select(party => Watchdog.Run(party.Run))];
        Task advancing = Watchdog.Run(() =>
        {
            for (long round = 1; round <= Rounds && !Volatile.Read(ref stop); round++)
            {
                cell.Advance(round);
                while (Array.Exists(parties, party => party.Reached < round) && !Volatile.Read(ref stop)) Thread.Yield();
            }
        });
        try
        {
            await Watchdog.Await(Task.WhenAll([advancing, .. waiting]));
        }
        finally
        {
            Volatile.Write(ref stop, true);
        }

        Assert.All(parties, party => Assert.Equal(Rounds, party.Reached));
        // Exactly once: every signal was one that the waiter waited for.
        Assert.All(parties, party => Assert.Equal(party.Due, party.Signals));
    }

    [Fact]
    public async Task StampsPublishedByTwo_WaiterBehindAHole_IsWokenByWhoeverFillsIt()
    {
        const int Capacity = 64;
        var stamps = new Availability(Capacity, 0);
        var cell = new Progress(new CellBlock(CellPadding.LinePair), -1, stamps);
        long done = -1;
        bool stop = false;
        Task[] publishing = [.. Enumerable.Range(0, 2).Select(lane => Watchdog.Run(() =>
        {
            for (long sequence = lane; sequence < Rounds && !Volatile.Read(ref stop); sequence += 2)
            {
                while (sequence - Volatile.Read(ref done) > Capacity && !Volatile.Read(ref stop)) Thread.Yield();
                stamps.Publish(sequence, sequence);
                cell.Signal(sequence, sequence);
            }
        }))];
        var waiter = new CountingWaiter();
        Task waiting = Watchdog.Run(() =>
        {
            while (done < Rounds - 1 && !Volatile.Read(ref stop))
            {
                long end = stamps.Scan(done + 1);
                if (end > done)
                {
                    Volatile.Write(ref done, Math.Min(end, Rounds - 1));
                    continue;
                }

                int signals = waiter.Signals;
                cell.Arm(waiter, done + 1);
                if (cell.IsReached(done + 1) && cell.Disarm(waiter)) continue;
                while (waiter.Signals == signals && !Volatile.Read(ref stop)) Thread.Yield();
            }
        });
        try
        {
            await Watchdog.Await(Task.WhenAll([waiting, .. publishing]));
        }
        finally
        {
            Volatile.Write(ref stop, true);
        }

        Assert.Equal(Rounds - 1, done);
    }
}
