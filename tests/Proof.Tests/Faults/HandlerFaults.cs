namespace Raceway.Proof.Tests.Faults;

/// <summary>A handler does what it had better not: it ends the ring, publishes into it, never returns; or its policy fails.</summary>
internal static class HandlerFaults
{
    private static readonly Moment[] s_notEnding = [.. Cell.Moments.Where(
        static moment => moment is not (Moment.WhileDraining or Moment.WhileDisposing))];

    private static readonly Cell[] s_openRing = [.. Fault.Everywhere.Where(static cell => !cell.IsEnding)];

    public static IEnumerable<Fault> All() =>
    [
        ItemFaults.Make("handler throws OperationCanceledException", new Setting(), static (_, _) => throw new OperationCanceledException()),
        ItemFaults.Make(
            "handler halts and throws OperationCanceledException", new Setting(),
            static (world, attempt) =>
            {
                _ = world.Ring.HaltAsync();
                throw new OperationCanceledException();
            },
            s_openRing),
        ItemFaults.Make("handler halts the ring", new Setting(), static (world, attempt) => _ = world.Ring.HaltAsync(), s_openRing),
        ItemFaults.Make("handler completes the ring", new Setting(), static (world, _) => world.Ring.Complete(), s_openRing),
        ItemFaults.Make("handler disposes of the ring", new Setting { RefusesLate = true }, static (world, _) => world.BeginDisposal(), s_openRing),
        ItemFaults.Make(
            "handler publishes into its own full ring, Stop", new Setting(),
            static (world, _) => PublishUntilFull(world), ReentrantCells()),
        ItemFaults.Make(
            "handler publishes into its own full ring, Skip", new Setting { Policy = static _ => FaultPolicy.Skip },
            static (world, _) => PublishUntilFull(world), ReentrantCells()),
        ItemFaults.Make(
            "handler tries to publish into its own full ring", new Setting(),
            static (world, _) =>
            {
                while (world.TryPublish(world.Producers.Length - 1)) { }
            },
            ReentrantCells()),
        ItemFaults.Make(
            "dead-letter sink throws",
            new Setting { Policy = static _ => FaultPolicy.DeadLetter<Parcel>((ref Parcel _, in FaultContext _) => throw new IOException()) },
            Throw),
        ItemFaults.Make(
            "decider throws",
            new Setting { Policy = static _ => FaultPolicy.Decide<Parcel>((ref Parcel _, in FaultContext _) => throw new IOException()) },
            Throw),
        ItemFaults.Make(
            "decider answers DeadLetter",
            new Setting { Policy = static _ => FaultPolicy.Decide<Parcel>((ref Parcel _, in FaultContext _) => FaultAction.DeadLetter) },
            Throw),
        new Fault("handler stays in its call until the ring is halted", Fault.Over(Driven.Thread, s_notEnding), StayAsync),
        new Fault(
            "async handler waits for its token until the ring is halted",
            Fault.Over(Driven.Thread, Moment.RingFull, Moment.RingEmpty, Moment.MiddleOfBatch)
                .Concat(Fault.Over(Driven.Pool, Moment.RingFull, Moment.RingEmpty))
                .Concat(Fault.Over(Driven.Caller, s_notEnding)),
            WaitForTokenAsync),
        new Fault(
            "async handler overruns its timeout and obeys its token, Stop",
            Overruns(), static cell => OverrunAsync(cell, FaultPolicy.Stop, heeds: true)),
        new Fault(
            "async handler overruns its timeout and obeys its token, Skip",
            Overruns(), static cell => OverrunAsync(cell, FaultPolicy.Skip, heeds: true)),
        new Fault(
            "async handler never completes, HandlerTimeout",
            Overruns(), static cell => OverrunAsync(cell, FaultPolicy.Skip, heeds: false)),
    ];

    private static void Throw(World world, int attempt) => throw new FormatException();

    // The handler publishes by a producer that nobody else uses at that time.
    private static IEnumerable<Cell> ReentrantCells() => s_openRing.Where(static cell =>
        cell.Moment != Moment.RingFull
        && cell is not { Kind: ProducerKind.Single, Moment: Moment.RingEmpty, Driven: not Driven.Caller });

    private static void PublishUntilFull(World world)
    {
        while (true) world.Publish(world.Producers.Length - 1);
    }

    private static async Task<Seen> StayAsync(Cell cell)
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var go = new ManualResetEventSlim();
        var world = new World(cell, new Setting
        {
            Happens = (_, _) =>
            {
                entered.TrySetResult();
                go.Wait();
            },
        });
        await world.StartAsync();
        await world.WarmAsync();
        await world.PublishBatchAsync();
        world.OpenGate();
        await Watchdog.Await(entered.Task, world.Ring);
        Task halt = world.Ring.HaltAsync();
        Assert.False(halt.IsCompleted);
        go.Set();
        return await world.FinishAsync();
    }

    private static async Task<Seen> WaitForTokenAsync(Cell cell)
    {
        bool waits = false;
        var world = new World(cell, new Setting
        {
            Form = Form.AsyncLater,
            Later = (own, batch, token) =>
            {
                if (!Holds(batch, own.Target)) return Task.CompletedTask;
                Volatile.Write(ref waits, true);
                return Task.Delay(Timeout.Infinite, token);
            },
        });
        await world.StartAsync();
        await world.WarmAsync();
        await world.PublishBatchAsync();
        world.OpenGate();
        await world.UntilAsync(() => Volatile.Read(ref waits));
        Task halt = world.Ring.HaltAsync();
        await world.UntilAsync(() => halt.IsCompleted);
        return await world.FinishAsync();
    }

    private static IEnumerable<Cell> Overruns() =>
        Fault.Over(Driven.Caller, Moment.MiddleOfBatch, Moment.RingFull, Moment.RingEmpty)
            .Concat(Fault.Over(Driven.Thread, Moment.MiddleOfBatch, Moment.RingFull));

    private static async Task<Seen> OverrunAsync(Cell cell, FaultPolicy policy, bool heeds)
    {
        var world = new World(cell, new Setting
        {
            Form = Form.AsyncLater,
            HandlerTimeout = TimeSpan.FromMilliseconds(20),
            Policy = _ => policy,
            Abandons = !heeds,
            Later = (own, batch, token) => Holds(batch, own.Target)
                ? OverrunAsync(own, heeds ? token : CancellationToken.None)
                : Task.CompletedTask,
        });
        await world.StartAsync();
        await world.WarmAsync();
        await world.PublishBatchAsync();
        return await world.FinishAsync();
    }

    private static async Task OverrunAsync(World world, CancellationToken token)
    {
        // Completed by whoever signals the token, so that it does not depend on the pool whether that is in time.
        var cancelled = new TaskCompletionSource();
        await using CancellationTokenRegistration registration = token.Register(cancelled.SetCanceled);
        try
        {
            await cancelled.Task;
        }
        finally
        {
            world.Spot.Thrown.Add(world.Target);
        }
    }

    private static bool Holds(AsyncBatch<Parcel> batch, long id) =>
        Enumerable.Range(0, batch.Count).Any(i => batch[i].Id == id);
}
