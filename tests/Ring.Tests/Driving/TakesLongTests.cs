namespace Raceway.Rings.Tests;

/// <summary>A thread goes on with a unit that has more items, while another unit waits.</summary>
public sealed class TakesLongTests
{
    // Its last step waits for the other unit. The watch's clock stands: only a thread that was asked for can step that one.
    [Fact]
    public async Task Activate_GoesOnForLongerThanAWakeUp_AsksForAThread()
    {
        var ready = new ReadyQueue(Clock.Of(new WatchedTime()));
        await using var other = new PoolUnit(ready, Clock.Ticks(TimeSpan.FromMicroseconds(50)));
        await using var unit = new PoolUnit(ready, Clock.Ticks(TimeSpan.FromSeconds(10)), capacity: 64);
        await other.BecomesCheap();
        await unit.BecomesCheap();
        using var begun = new SemaphoreSlim(0);
        using var goesOn = new SemaphoreSlim(0);
        bool handled = false;
        unit.Then = () => Meet(() => Meet(() => handled = SpinWait.SpinUntil(() => other.Position == 1, TimeSpan.FromSeconds(30))));

        unit.Publish();
        await begun.WaitAsync();
        for (int i = 0; i < 40; i++) unit.Publish();
        goesOn.Release();
        await begun.WaitAsync();
        other.Publish();
        goesOn.Release();
        await unit.Handles(41);
        Assert.True(handled);

        // The next one comes with the next step.
        void Meet(Action next)
        {
            begun.Release();
            goesOn.Wait();
            PoolUnit.Work(2 * ReadyQueue.WakeUp);
            unit.Then = next;
        }
    }
}
