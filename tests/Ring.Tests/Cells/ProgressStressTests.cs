namespace Raceway.Rings.Tests;

/// <summary>Arming against advancing, as fast as two threads can: no wake-up is lost, none comes twice.</summary>
public sealed class ProgressStressTests
{
    private const int Rounds = 20_000;
    private const int MostMilliseconds = 1_500;

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
        var cell = new Progress(new RingMemory(CellPadding.LinePair), 0);
        bool stop = false;
        Party[] parties =
            [.. kinds.Select((kind, i) => new Party(cell, kind == 'f', i + 1, () => Volatile.Read(ref stop)))];
        Task[] waiting = [.. parties.Select(party => Watchdog.Run(party.Run))];
        Task advancing = Watchdog.Run(() =>
        {
            long end = Environment.TickCount64 + MostMilliseconds;
            for (long round = 1; round <= Rounds && !Volatile.Read(ref stop); round++)
            {
                // Where cores are short a round takes its time: then the rest of them is given at once.
                if (Environment.TickCount64 > end) round = Rounds;
                cell.Advance(round);
                while (Array.Exists(parties, party => party.Reached < round) && !Volatile.Read(ref stop)) Thread.Yield();
            }
        });
        try
        {
            await Watchdog.Await(Task.WhenAll([advancing, .. waiting]), progress: cell.ReadAcquire);
        }
        finally
        {
            Volatile.Write(ref stop, true);
        }

        Assert.All(parties, party => Assert.Equal(Rounds, party.Reached));
        // Exactly once: every signal was one that the waiter waited for.
        Assert.All(parties, party => Assert.Equal(party.Due, party.Signals));
    }

    // Every round begins calm, and the owner's plain advance is aimed at the moment of the arming: only the process-wide
    // barrier of the arming keeps the two apart.
    [Fact]
    public async Task ArmAgainstCalmAdvance_EveryRoundChangesTheRegime_NoWakeUpIsLost()
    {
        const int Calm = 2_000_000;
        var cell = new Progress(new RingMemory(CellPadding.LinePair), 0);
        var waiter = new CountingWaiter();
        bool stop = false;
        long asked = 0;
        Task waiting = Watchdog.Run(() =>
        {
            for (long round = 1; round <= Calm && !Volatile.Read(ref stop); round++)
            {
                // The time is up: each of the rounds that are left would cost a process-wide barrier.
                if (cell.IsReached(Calm)) break;
                int signals = waiter.Signals;
                cell.LeaveParkingRegime();
                Volatile.Write(ref asked, round);
                cell.Arm(waiter, round);
                if (cell.IsReached(round) && cell.Disarm(waiter)) continue;
                for (int looks = 0; waiter.Signals == signals && !Volatile.Read(ref stop); looks++)
                    if (looks > 200) Thread.Yield();
            }
        });
        Task advancing = Watchdog.Run(() =>
        {
            var random = new Random(5);
            long end = Environment.TickCount64 + MostMilliseconds;
            for (long round = 1; round <= Calm && !Volatile.Read(ref stop); round++)
            {
                for (int looks = 0; Volatile.Read(ref asked) < round && !Volatile.Read(ref stop); looks++)
                    if (looks > 200) Thread.Yield();
                for (int spins = random.Next(60); spins > 0; spins--) _ = Volatile.Read(ref stop);
                if (Environment.TickCount64 > end) round = Calm;
                cell.Advance(round);
            }
        });
        try
        {
            await Watchdog.Await(Task.WhenAll(waiting, advancing), progress: cell.ReadAcquire);
        }
        finally
        {
            Volatile.Write(ref stop, true);
        }

        Assert.Equal(Calm, cell.ReadAcquire());
    }

    [Fact]
    public async Task StampsPublishedByTwo_WaiterBehindAHole_IsWokenByWhoeverFillsIt()
    {
        const int Capacity = 64;
        var stamps = new Availability(new RingMemory(CellPadding.None), Capacity, 0);
        var cell = new Progress(new RingMemory(CellPadding.LinePair), -1, stamps);
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
                long end = stamps.ReadableEnd(done + 1);
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
            await Watchdog.Await(Task.WhenAll([waiting, .. publishing]), progress: () => Volatile.Read(ref done));
        }
        finally
        {
            Volatile.Write(ref stop, true);
        }

        Assert.Equal(Rounds - 1, done);
    }
}
