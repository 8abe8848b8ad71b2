namespace Raceway.Rings.Tests;

/// <summary>When a producer gives its processor up to a thread that it has woken.</summary>
public sealed class LateWaiterTests
{
    private static readonly long s_longAgo = Clock.Ticks(TimeSpan.FromHours(1));

    // From 50 µs to 56 minutes, each twice the one before.
    private const int Looks = 27;

    private readonly RingMemory _memory = new(CellPadding.LinePair);

    [Fact]
    public void Signal_TheWokenOneIsLate_GivesWayAgainAfterTwiceTheTimeEach()
    {
        Progress cell = Woken(new Told { At = MachineClock.Now - s_longAgo });

        PublishMore(cell);

        Assert.Equal(Looks, cell.GaveWay);
    }

    [Fact]
    public void Signal_TheWokenOneWasSignalledJustNow_GoesOn()
    {
        Progress cell = Woken(new Told { At = MachineClock.Now + s_longAgo });

        PublishMore(cell);

        Assert.Equal(0, cell.GaveWay);
    }

    [Fact]
    public void Signal_TheWokenOneRuns_IsForgotten()
    {
        var waiter = new Told();
        Progress cell = Woken(waiter);
        cell.Advance(2);
        // As if it were late for another wake-up: that is no business of this cell.
        waiter.At = MachineClock.Now - s_longAgo;

        PublishMore(cell);

        Assert.Equal(0, cell.GaveWay);
    }

    [Fact]
    public void Signal_TheWokenOneAwaitsItsTurn_GoesOnUntilItDoesNot()
    {
        var waiter = new Told { At = MachineClock.Now - s_longAgo, Turn = true };
        Progress cell = Woken(waiter);
        cell.Advance(2);
        Assert.Equal(0, cell.GaveWay);
        waiter.Turn = false;
        cell.Advance(3);
        Assert.Equal(1, cell.GaveWay);
    }

    // Until it is signalled it looks like one that runs.
    [Fact]
    public void Signal_AnotherProducerPublishesBeforeTheSignal_TheWokenOneIsLateAllTheSame()
    {
        var cell = new Progress(_memory, 0, givesWay: true);
        var waiter = new Told();
        waiter.Signals = () =>
        {
            cell.Advance(2);
            waiter.At = MachineClock.Now - s_longAgo;
        };
        cell.Arm(waiter, 1);
        cell.Advance(1);

        PublishMore(cell);

        Assert.Equal(Looks, cell.GaveWay);
    }

    [Fact]
    public void Signal_AnotherOneIsWoken_HasItsOwnTime()
    {
        var waiter = new Told { At = MachineClock.Now - s_longAgo };
        Progress cell = Woken(waiter);
        PublishMore(cell);
        cell.Arm(waiter, 1000);
        cell.Advance(1000);
        cell.Advance(1001);

        Assert.Equal(Looks + 1, cell.GaveWay);
    }

    [Fact]
    public void Signal_NotOneOfAProducer_GoesOn()
    {
        Progress cell = Woken(new Told { At = MachineClock.Now - s_longAgo }, givesWay: false);

        PublishMore(cell);

        Assert.Equal(0, cell.GaveWay);
    }

    [Fact]
    public void SignalledAt_OfAThreadThatSleeps_UntilItRuns()
    {
        var waiter = new ParkWaiter();
        Assert.Equal(0, waiter.SignalledAt);
        long from = MachineClock.Now;
        waiter.Signal();
        Assert.InRange(waiter.SignalledAt, from, MachineClock.Now);
        Assert.True(waiter.Park(Timeout.Infinite, interruptible: false));
        Assert.Equal(0, waiter.SignalledAt);
    }

    private Progress Woken(Waiter waiter, bool givesWay = true)
    {
        var cell = new Progress(_memory, 0, givesWay: givesWay);
        cell.Arm(waiter, 1);
        cell.Advance(1);
        return cell;
    }

    private static void PublishMore(Progress cell)
    {
        for (long sequence = 3; sequence < 100; sequence++) cell.Advance(sequence);
    }

    private sealed class Told : Waiter
    {
        public long At { get; set; }

        public bool Turn { get; set; }

        internal override long SignalledAt => At;

        internal override bool AwaitsItsTurn => Turn;

        public Action? Signals { get; set; }

        internal override void Signal() => Signals?.Invoke();
    }
}
