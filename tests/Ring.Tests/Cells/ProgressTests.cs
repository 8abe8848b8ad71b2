namespace Raceway.Rings.Tests;

/// <summary>The one primitive behind all waiting: who is woken, when, and how often.</summary>
public sealed class ProgressTests
{
    private readonly RingMemory _memory = new(CellPadding.LinePair);

    private Progress At(long value) => new(_memory, value);

    [Fact]
    public void Advance_IsReached_UpToTheValue()
    {
        Progress cell = At(-1);
        Assert.False(cell.IsReached(0));
        cell.Advance(4);
        Assert.Equal(4, cell.ReadAcquire());
        Assert.True(cell.IsReached(4));
        Assert.False(cell.IsReached(5));
    }

    [Fact]
    public void IsReached_WithStamps_AsksTheStampsAlone()
    {
        var stamps = new Availability(new RingMemory(CellPadding.None), 8, 0);
        var cell = new Progress(_memory, -1, stamps);
        stamps.Publish(2, 2);
        Assert.True(cell.IsReached(2));
        Assert.False(cell.IsReached(1));
    }

    [Fact]
    public void Advance_BelowTheAwaited_WakesNobody()
    {
        Progress cell = At(-1);
        var waiter = new CountingWaiter();
        cell.Arm(waiter, 5);
        for (long value = 0; value < 5; value++) cell.Advance(value);
        Assert.Equal(0, waiter.Signals);
        cell.Advance(5);
        Assert.Equal(1, waiter.Signals);
    }

    [Fact]
    public void Advance_AfterTheSignal_SignalsNoMore()
    {
        Progress cell = At(-1);
        var waiter = new CountingWaiter();
        cell.Arm(waiter, 1);
        for (long value = 0; value < 100; value++) cell.Advance(value);
        Assert.Equal(1, waiter.Signals);
        cell.Arm(waiter, 200);
        cell.Advance(300);
        Assert.Equal(2, waiter.Signals);
    }

    [Fact]
    public void Advance_SeveralWaiters_WakesExactlyTheCovered()
    {
        Progress cell = At(-1);
        long[] awaited = [7, 3, 3, 11, 0];
        CountingWaiter[] waiters = [.. awaited.Select(_ => new CountingWaiter())];
        for (int i = 0; i < awaited.Length; i++) cell.Arm(waiters[i], awaited[i]);
        foreach (long value in new long[] { 0, 2, 3, 6, 10, 11, 12 })
        {
            cell.Advance(value);
            for (int i = 0; i < awaited.Length; i++) Assert.Equal(awaited[i] <= value ? 1 : 0, waiters[i].Signals);
        }
    }

    [Fact]
    public void Signal_Range_WakesOnlyThoseInside()
    {
        Progress cell = At(-1);
        long[] awaited = [1, 4, 6, 9];
        CountingWaiter[] waiters = [.. awaited.Select(_ => new CountingWaiter())];
        for (int i = 0; i < awaited.Length; i++) cell.Arm(waiters[i], awaited[i]);
        Assert.True(cell.Signal(2, 3));
        Assert.True(cell.Signal(10, 20));
        Assert.True(cell.Signal(0, 0));
        Assert.All(waiters, waiter => Assert.Equal(0, waiter.Signals));
        Assert.True(cell.Signal(4, 6));
        Assert.Equal([0, 1, 1, 0], waiters.Select(waiter => waiter.Signals));
        Assert.True(cell.Signal(9, 9));
        Assert.True(cell.Signal(1, 1));
        Assert.Equal([1, 1, 1, 1], waiters.Select(waiter => waiter.Signals));
    }

    [Fact]
    public void Disarm_BeforeTheSignal_TakesTheWaiterBack()
    {
        Progress cell = At(-1);
        var gone = new CountingWaiter();
        var stays = new CountingWaiter();
        cell.Arm(stays, 2);
        cell.Arm(gone, 1);
        Assert.True(cell.Disarm(gone));
        Assert.False(cell.Disarm(gone));
        cell.Advance(5);
        Assert.Equal((0, 1), (gone.Signals, stays.Signals));
    }

    [Fact]
    public void Disarm_AfterTheSignal_SaysSo()
    {
        Progress cell = At(-1);
        var waiter = new CountingWaiter();
        cell.Arm(waiter, 0);
        cell.Advance(0);
        Assert.False(cell.Disarm(waiter));
        Assert.Equal(1, waiter.Signals);
    }

    [Fact]
    public void Arm_InOneRegime_PaysOneBarrier()
    {
        Progress cell = At(-1);
        for (int i = 0; i < 10; i++)
        {
            cell.Arm(new CountingWaiter(), i);
            cell.Advance(i);
        }

        Assert.Equal(1, cell.RegimeChanges);
        Assert.False(Peek.IsCalm(cell));
    }

    [Fact]
    public void LeaveParkingRegime_NobodyWaits_IsCalmAndTheNextArmPaysAgain()
    {
        Progress cell = At(-1);
        cell.Arm(new CountingWaiter(), 0);
        cell.Advance(0);
        cell.LeaveParkingRegime();
        Assert.True(Peek.IsCalm(cell));
        cell.Arm(new CountingWaiter(), 1);
        Assert.Equal(2, cell.RegimeChanges);
    }

    [Fact]
    public void Advance_AsManyFencesForNoWaiterAsABarrierCosts_IsCalm()
    {
        Progress cell = At(-1);
        long sequence = -1;
        for (int round = 0; round < 3; round++)
        {
            // Each waiter begins the count anew.
            cell.Arm(new CountingWaiter(), ++sequence);
            cell.Advance(sequence);
            for (int i = 1; i < Progress.FencesOfABarrier; i++) cell.Advance(++sequence);
            Assert.False(Peek.IsCalm(cell));
        }

        Assert.Equal(1, cell.RegimeChanges);
        cell.Advance(++sequence);
        Assert.True(Peek.IsCalm(cell));
    }

    [Fact]
    public void Advance_WaiterForNever_CountBeginsAnewWhereItCannotLeave()
    {
        Progress cell = At(-1);
        var waiter = new CountingWaiter();
        cell.Arm(waiter, Progress.Never);
        long sequence = -1;
        for (int i = 0; i < Progress.FencesOfABarrier; i++) cell.Advance(++sequence);
        Assert.True(cell.Disarm(waiter));
        for (int i = 1; i < Progress.FencesOfABarrier; i++) cell.Advance(++sequence);
        Assert.False(Peek.IsCalm(cell));
        cell.Advance(++sequence);
        Assert.True(Peek.IsCalm(cell));
    }

    [Fact]
    public void Disarm_NotArmedAndCalm_StaysCalm()
    {
        Progress cell = At(-1);
        Assert.False(cell.Disarm(new CountingWaiter()));
        Assert.True(Peek.IsCalm(cell));
    }

    [Fact]
    public void Advance_CellThatStaysParking_IsNeverCalm()
    {
        var cell = new Progress(new RingMemory(CellPadding.LinePair), -1, staysParking: true);
        for (int i = 0; i < 2 * Progress.FencesOfABarrier; i++) cell.Advance(i);
        Assert.False(Peek.IsCalm(cell));
    }

    [Theory]
    [InlineData(3)]
    [InlineData(Progress.Never)]
    public void LeaveParkingRegime_SomebodyWaits_Stays(long awaited)
    {
        Progress cell = At(-1);
        var waiter = new CountingWaiter();
        cell.Arm(waiter, awaited);
        cell.LeaveParkingRegime();
        cell.WakeAll();
        Assert.Equal(1, waiter.Signals);
        Assert.Equal(1, cell.RegimeChanges);
    }

    [Fact]
    public void ArmUnfenced_PaysNoBarrier_AndTheFirstFencedOneDoes()
    {
        Progress cell = At(-1);
        var unfenced = new CountingWaiter();
        cell.ArmUnfenced(unfenced, 0);
        Assert.Equal(0, cell.RegimeChanges);
        cell.Arm(new CountingWaiter(), 5);
        Assert.Equal(1, cell.RegimeChanges);
        cell.Advance(0);
        Assert.Equal(1, unfenced.Signals);
    }

    [Fact]
    public void Advance_AwaitingNever_WakesNobody()
    {
        Progress cell = At(-1);
        var waiter = new CountingWaiter();
        cell.Arm(waiter, Progress.Never);
        cell.Advance(long.MaxValue / 2);
        Assert.Equal(0, waiter.Signals);
    }

    [Fact]
    public void WakeAll_WakesEachOnce()
    {
        Progress cell = At(-1);
        CountingWaiter[] waiters = [.. Enumerable.Range(0, 5).Select(_ => new CountingWaiter())];
        foreach (CountingWaiter waiter in waiters) cell.Arm(waiter, 100);
        cell.WakeAll();
        cell.WakeAll();
        cell.Advance(1000);
        Assert.All(waiters, waiter => Assert.Equal(1, waiter.Signals));
    }

    [Fact]
    public void Release_EverySignalAfterwards_IsFalse()
    {
        Progress cell = At(-1);
        var waiter = new CountingWaiter();
        cell.Arm(waiter, 9);
        Assert.True(cell.Signal(0, 0));
        cell.Release();
        Assert.Equal(1, waiter.Signals);
        Assert.False(cell.Signal(0, 0));
        Assert.False(cell.Signal(long.MinValue, 50));
        cell.LeaveParkingRegime();
        // Whoever publishes with no waiter in sight must still come to Signal to be told.
        Assert.False(Peek.IsCalm(cell));
    }

    [Fact]
    public void Arm_AwaitedIsReachedFromTheStart_OthersAreStillSignalled()
    {
        Progress cell = At(-1);
        var waiter = new CountingWaiter();
        var other = new CountingWaiter();
        cell.Arm(waiter, 5);
        cell.Arm(other, -1);
        cell.Advance(5);
        Assert.Equal(1, waiter.Signals);
    }

    [Fact]
    public void Signal_AfterTheRelease_WakesAllTheSame()
    {
        Progress cell = At(-1);
        var waiter = new CountingWaiter();
        cell.Release();
        cell.Arm(waiter, 5);
        Assert.False(cell.Signal(long.MinValue, 5));
        Assert.Equal(1, waiter.Signals);
    }
}
