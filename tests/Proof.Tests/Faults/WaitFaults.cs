namespace Raceway.Proof.Tests.Faults;

/// <summary>A wait is broken off: cancelled, timed out, or interrupted.</summary>
internal static class WaitFaults
{
    private static readonly Cell[] s_full = [.. Fault.Everywhere.Where(static cell => cell.Moment == Moment.RingFull)];

    public static IEnumerable<Fault> All() =>
    [
        Make("wait for room times out", static world =>
        {
            Assert.Equal(
                ClaimStatus.TimedOut, world.Producers[0].TryClaim(1, TimeSpan.FromMilliseconds(1), out _));
            return Task.CompletedTask;
        }),
        Make("wait for room is cancelled", static world => CancelAsync(world, asleep: false)),
        Make("wait for room is cancelled asleep", static world => CancelAsync(world, asleep: true)),
        Make("WaitForRoomAsync is cancelled", static async world =>
        {
            using var source = new CancellationTokenSource();
            Task<bool> waiting = world.Producers[0].WaitForRoomAsync(1, source.Token).AsTask();
            Assert.False(waiting.IsCompleted);
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Watchdog.Await(waiting, world.Ring));
        }),
        Make("producer interrupted asleep", static async world =>
        {
            (Thread thread, Task<Exception?> ended) = Watchdog.RunThread(() => world.Publish(0));
            await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(world.Ring), world.Ring);
            thread.Interrupt();
            Assert.IsType<ThreadInterruptedException>(await Watchdog.Await(ended, world.Ring));
        }),
        Make("wait of a drain is cancelled", static async world =>
        {
            using var source = new CancellationTokenSource();
            Task<DrainResult> drain = world.Ring.DrainAsync(Timeout.InfiniteTimeSpan, source.Token);
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Watchdog.Await((Task)drain, world.Ring));
        }),
        Make("drain times out", static async world =>
            Assert.Equal(DrainStatus.TimedOut, (await Watchdog.Await(world.Ring.DrainAsync(TimeSpan.Zero), world.Ring)).Status)),
        new Fault(
            "stage interrupted asleep", Fault.Over(Driven.Thread, Moment.RingEmpty), InterruptStageAsync),
        new Fault(
            "handler that blocks is interrupted, Stop",
            Fault.Over(Driven.Thread, Moment.MiddleOfBatch, Moment.RingFull, Moment.RingEmpty, Moment.WhileDraining),
            static cell => InterruptHandlerAsync(cell, FaultPolicy.Stop)),
        new Fault(
            "handler that blocks is interrupted, Skip",
            Fault.Over(Driven.Thread, Moment.MiddleOfBatch, Moment.RingFull, Moment.RingEmpty, Moment.WhileDraining),
            static cell => InterruptHandlerAsync(cell, FaultPolicy.Skip)),
    ];

    // The ring is full, a wait is broken off, and everything goes on as if it had not been.
    private static Fault Make(string name, Func<World, Task> act) =>
        new(name, s_full, async cell =>
        {
            var world = new World(cell, new Setting());
            await world.StartAsync();
            await world.WarmAsync();
            world.Publish(0, 3);
            while (world.TryPublish(0)) { }
            world.Target = world.NextId(0) + 100;
            await act(world);
            return await world.FinishAsync();
        });

    private static async Task CancelAsync(World world, bool asleep)
    {
        using var source = new CancellationTokenSource();
        (_, Task<Exception?> ended) = Watchdog.RunThread(() => world.Producers[0].Claim(1, source.Token).Commit());
        if (asleep) await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(world.Ring), world.Ring);
        await source.CancelAsync();
        Assert.IsAssignableFrom<OperationCanceledException>(await Watchdog.Await(ended, world.Ring));
    }

    private static async Task<Seen> InterruptStageAsync(Cell cell)
    {
        var world = new World(cell, new Setting());
        await world.StartAsync();
        await world.WarmAsync();
        world.Spot.Threads[0].Interrupt();
        await Watchdog.UntilAsync(() => world.Spot.Stage.GetStatistics().Interrupts == 1, world.Ring);
        await world.PublishBatchAsync();
        return await world.FinishAsync();
    }

    private static async Task<Seen> InterruptHandlerAsync(Cell cell, FaultPolicy policy)
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var never = new ManualResetEventSlim();
        var world = new World(cell, new Setting
        {
            Policy = _ => policy,
            Happens = (_, _) =>
            {
                entered.TrySetResult();
                never.Wait();
            },
        });
        await world.StartAsync();
        await world.WarmAsync();
        await world.PublishBatchAsync();
        world.OpenGate();
        await Watchdog.Await(entered.Task, world.Ring);
        world.Spot.Threads[0].Interrupt();
        return await world.FinishAsync();
    }
}
