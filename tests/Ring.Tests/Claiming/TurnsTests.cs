namespace Raceway.Rings.Tests;

/// <summary>The line of producers that wait for room, and its turns, by a clock that the test moves.</summary>
public sealed class TurnsTests
{
    private const int Capacity = 8;

    private readonly RingBuffer<long> _ring = Make.Ring(Capacity, ProducerKind.Multi, Wait.Park(), maxProducers: 4);
    private readonly Turns _turns;
    private long _now = 1_000_000;

    public TurnsTests()
    {
        _turns = ((MultiClaims)_ring.Claims).Turns;
        _turns.Time = () => _now;
    }

    [Fact]
    public void Ask_FirstOfTheLine_TakesTheTurnAfterAQuantum()
    {
        (TurnPlace first, TurnPlace other) = (NewPlace(), NewPlace());
        Look(first);
        Assert.Equal(Standing.Out, first.Standing);
        Look(first);
        Assert.Equal(Standing.Line, first.Standing);
        Pass(Turns.Quantum - 1);
        first.Ask(1);
        Assert.Equal(0, _turns.Taken);
        Assert.Equal(0, _turns.KeptFrom(other));
        Pass(1);
        first.Ask(1);
        Assert.Equal(1, _turns.Taken);
        Assert.Equal(Capacity / 2, _turns.KeptFrom(other));
        Assert.Equal(0, _turns.KeptFrom(first));
    }

    [Fact]
    public void Line_SeveralStand_TurnsComeInTheirOrder()
    {
        TurnPlace[] places = [NewPlace(), NewPlace(), NewPlace(), NewPlace()];
        foreach (TurnPlace place in places) Join(place);
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < places.Length; i++)
            {
                Pass(Turns.Quantum);
                // All look, the last one first: only the first of the line gets it.
                foreach (TurnPlace place in places.Reverse()) place.Ask(1);
                Assert.Equal(i, Array.FindIndex(places, place => place.Standing == Standing.Turn));
                places[i].Served();
                Join(places[i]);
            }
        }
    }

    [Fact]
    public void Served_Turn_LastsForAQuantumMore()
    {
        (TurnPlace owner, TurnPlace other) = (NewPlace(), NewPlace());
        TakeTurn(owner);
        Pass(10 * Turns.Quantum);
        Assert.Equal(Capacity / 2, _turns.KeptFrom(other));
        owner.Served();
        Pass(Turns.Quantum - 1);
        Assert.Equal(Capacity / 2, _turns.KeptFrom(other));
        Pass(1);
        Assert.Equal(0, _turns.KeptFrom(other));
    }

    [Fact]
    public void Kept_ClaimLargerThanHalf_IsKeptAsAWhole()
    {
        (TurnPlace owner, TurnPlace other) = (NewPlace(), NewPlace());
        TakeTurn(owner, Capacity - 1);
        Assert.Equal(Capacity - 1, _turns.KeptFrom(other));
    }

    [Fact]
    public void Leave_OwnerWithoutRoom_FreesTheRoomAndWakesTheNext()
    {
        var waiting = new Counting();
        (TurnPlace owner, TurnPlace next, TurnPlace last) = (NewPlace(), NewPlace(waiting), NewPlace());
        TakeTurn(owner);
        Join(next);
        Join(last);
        owner.Leave();
        Assert.Equal(1, waiting.Wakes);
        Assert.Equal(0, _turns.KeptFrom(next));
        Pass(Turns.Quantum);
        next.Ask(1);
        Assert.Equal(Standing.Turn, next.Standing);
    }

    [Fact]
    public void Retire_OwnerDisposed_FreesTheRoom()
    {
        (TurnPlace owner, TurnPlace other) = (NewPlace(), NewPlace());
        TakeTurn(owner);
        owner.Served();
        owner.Retire();
        Assert.Equal(0, _turns.KeptFrom(other));
    }

    [Fact]
    public void Refused_RoomIsThereAndNotTaken_TurnEndsAQuantumLaterAndItsOwnerIsFirst()
    {
        (TurnPlace owner, TurnPlace other) = (NewPlace(), NewPlace());
        TakeTurn(owner, 3);
        Join(other);
        _turns.Refused(2);
        Pass(2 * Turns.Quantum);
        Assert.NotEqual(0, _turns.KeptFrom(other));
        _turns.Refused(3);
        Pass(Turns.Quantum);
        Assert.Equal(0, _turns.KeptFrom(other));
        other.Ask(1);
        Assert.Equal(Standing.Turn, other.Standing);
        owner.Ask(3);
        Assert.Equal(Standing.Line, owner.Standing);
        other.Served();
        Join(other);
        Pass(Turns.Quantum);
        other.Ask(1);
        owner.Ask(3);
        Assert.Equal(Standing.Turn, owner.Standing);
    }

    [Fact]
    public void Patience_NoRoomComes_OwnerGoesToTheEndAndWaitsTwiceAsLongTheNextTime()
    {
        (TurnPlace owner, TurnPlace other) = (NewPlace(), NewPlace());
        TakeTurn(owner, Capacity);
        Join(other);
        Pass(Turns.FirstPatience);
        owner.Ask(Capacity);
        Assert.Equal(Standing.Line, owner.Standing);
        Assert.Equal(0, _turns.KeptFrom(other));
        other.Ask(1);
        Assert.Equal(Standing.Turn, other.Standing);
        other.Served();

        Pass(Turns.Quantum);
        owner.Ask(Capacity);
        Pass(2 * Turns.FirstPatience - 1);
        owner.Ask(Capacity);
        Assert.Equal(Standing.Turn, owner.Standing);
        Pass(1);
        owner.Ask(Capacity);
        Assert.Equal(Standing.Line, owner.Standing);
    }

    [Fact]
    public void Behind_EveryStanding_HasADeadline()
    {
        (TurnPlace first, TurnPlace second, TurnPlace third) = (NewPlace(), NewPlace(), NewPlace());
        foreach (TurnPlace place in (TurnPlace[])[first, second, third]) Join(place);
        Assert.All((TurnPlace[])[first, second, third], place => Assert.NotEqual(Clock.Never, Look(place).Recheck));
        Pass(Turns.Quantum);
        first.Ask(1);
        for (int looks = 0; looks < 100; looks++)
            Assert.All((TurnPlace[])[first, second, third], place => Assert.InRange(Look(place).Recheck, _now, _now + 1_000 * Turns.Quantum));
    }

    [Fact]
    public void Behind_RefusedByATurnAtItsFirstLook_HasADeadline()
    {
        (TurnPlace owner, TurnPlace other) = (NewPlace(), NewPlace());
        TakeTurn(owner);
        Assert.NotEqual(0, _turns.KeptFrom(other));
        Assert.NotEqual(Clock.Never, Look(other).Recheck);
    }

    [Fact]
    public void Behind_TurnOfAnother_OnlyTheFirstWaitsForTheStages()
    {
        var waiting = new Counting();
        (TurnPlace owner, TurnPlace first, TurnPlace second) = (NewPlace(), NewPlace(), NewPlace(waiting));
        TakeTurn(owner);
        Join(first);
        Join(second);
        Assert.Equal(5, Look(first).Awaited);
        Assert.Equal(Progress.Never, Look(second).Awaited);
        first.Served();
        Assert.Equal(1, waiting.Wakes);
        Assert.Equal(5, Look(second).Awaited);
    }

    [Fact]
    public void Reserve_HalfIsKept_OthersHaveTheOtherHalf()
    {
        MultiProducer<long> producer = _ring.CreateMultiProducer();
        TakeTurn(NewPlace());
        int published = 0;
        while (producer.TryPublish(1) == ClaimStatus.Done) published++;
        Assert.Equal(Capacity / 2, published);
        Assert.Equal(Capacity / 2, producer.Remaining);
        Pass(Turns.Quantum);
        Assert.Equal(ClaimStatus.Done, producer.TryPublish(1));
    }

    // Others look first each time, in a random order, and some give up. A producer that stays is served after one turn of each before it.
    [Fact]
    public void Line_RandomLooks_NoPlaceIsPassedTwice()
    {
        var random = new Random(29);
        TurnPlace[] places = [.. Enumerable.Range(0, 6).Select(_ => NewPlace())];
        int[] passed = new int[places.Length];
        for (int i = 0; i < 20_000; i++)
        {
            Pass(random.NextInt64(Turns.Quantum / 2));
            int index = random.Next(places.Length);
            TurnPlace place = places[index];
            if (place.Standing == Standing.Out)
            {
                passed[index] = 0;
                Join(place);
            }
            else if (random.Next(20) == 0)
            {
                place.Leave();
            }
            else
            {
                long before = _turns.Taken;
                place.Ask(1);
                if (_turns.Taken == before) continue;
                place.Served();
                for (int other = 0; other < places.Length; other++)
                    if (places[other].Standing == Standing.Line) Assert.InRange(++passed[other], 0, places.Length - 1);
            }
        }

        Assert.True(_turns.Taken > 500);
    }

    [Fact]
    public async Task Publish_OthersTakeTheRoomAsItComes_GetsItsTurn()
    {
        _turns.Time = static () => MachineClock.Now;
        Stage stage = _ring.Subscribe(new Summer(), Make.Stepped());
        MultiProducer<long> taker = _ring.CreateMultiProducer();
        MultiProducer<long> waiter = _ring.CreateMultiProducer();
        while (taker.TryPublish(1) == ClaimStatus.Done)
        {
        }

        bool stop = false;
        long published = 0;
        Task waiting = Watchdog.Run(() =>
        {
            while (!Volatile.Read(ref stop))
            {
                waiter.Publish(1);
                published++;
            }
        });
        // It takes each slot in the moment that it is free.
        Task taking = Watchdog.Run(() =>
        {
            while (!Volatile.Read(ref stop) || !waiting.IsCompleted)
            {
                stage.Step(1);
                taker.TryPublish(1);
            }
        });
        await Watchdog.UntilAsync(() => _turns.Taken >= 5 && Volatile.Read(ref published) > 100, _ring);
        Volatile.Write(ref stop, true);
        await Watchdog.Await(Task.WhenAll(waiting, taking), _ring);
    }

    private void Pass(long ticks) => _now += ticks;

    private TurnPlace NewPlace(Waiting? waiting = null) => _turns.NewPlace(waiting ?? new Counting(), new AsyncWaiter());

    private WaitTarget Look(TurnPlace place) =>
        place.Behind(new WaitTarget(_ring.Sequencer.Cursor, 5, Clock.Never, _ring.Control, _ring.Control.Word));

    private void Join(TurnPlace place)
    {
        Look(place);
        Look(place);
    }

    private void TakeTurn(TurnPlace place, int count = 1)
    {
        Join(place);
        Pass(Turns.Quantum);
        place.Ask(count);
        Assert.Equal(Standing.Turn, place.Standing);
    }

    private sealed class Counting : Waiting
    {
        public int Wakes { get; private set; }

        public override void Wake() => Wakes++;

        protected override bool WaitFor(in WaitTarget target) => true;
    }
}
