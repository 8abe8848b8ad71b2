namespace Raceway.Proof.Tests.Faults;

/// <summary>A hook throws, a thread starts late, a ring ends before it has begun, the pool fails to take buffers back.</summary>
internal static class LifeFaults
{
    private static readonly Cell[] s_driven = [.. Fault.Everywhere.Where(static cell => cell.Driven != Driven.Caller)];

    public static IEnumerable<Fault> All() =>
    [
        new Fault("OnStart throws", BeforeTheStart(), static cell => FailToStartAsync(cell, Place.Only)),
        new Fault("OnStart of a second stage throws", BeforeTheStart(), static cell => FailToStartAsync(cell, Place.Second)),
        new Fault(
            "OnStop throws",
            Fault.Everywhere.Where(static cell => cell.Moment != Moment.RingFull),
            static cell => ItemFaults.RunAsync(
                cell, new Setting { WhenStopped = static _ => throw new FormatException(), EndsFirst = true })),
        new Fault(
            "OnIdle throws",
            Fault.Everywhere.Where(static cell => cell.Moment is Moment.FirstOfBatch or Moment.RingEmpty or Moment.AtTheWrap), IdleAsync),
        new Fault(
            "OnUnprocessed throws",
            Fault.Over(Driven.Caller, Moment.FirstOfBatch, Moment.AtTheWrap)
                .Concat(Fault.Over(Driven.Thread, Moment.FirstOfBatch, Moment.AtTheWrap))
                .Concat(Fault.Over(Driven.Pool, Moment.FirstOfBatch)),
            OfferAsync),
        new Fault(
            "stage's thread starts late",
            s_driven.Where(static cell => cell.Moment != Moment.RingEmpty), static cell => StartLateAsync(cell, halts: false)),
        new Fault(
            "halted before the stage's thread has run",
            s_driven.Where(static cell => cell.Moment != Moment.RingEmpty && !cell.IsEnding),
            static cell => StartLateAsync(cell, halts: true)),
        new Fault(
            "halted before the start",
            Fault.Over(Driven.Caller, Moment.FirstOfBatch, Moment.RingFull)
                .Concat(Fault.Over(Driven.Thread, Moment.FirstOfBatch, Moment.RingFull)),
            NeverStartAsync),
        new Fault(
            "callback of the halt token throws",
            Fault.Over(Driven.Caller, Moment.FirstOfBatch, Moment.AtTheWrap).Concat(Fault.Over(Driven.Thread, Moment.MiddleOfBatch)),
            CallbackAsync),
        new Fault(
            "pool fails to take a buffer back, while running",
            WithPayloads().Where(static cell => cell.Moment is not Moment.RingFull && !cell.IsEnding
                && (cell.Moment != Moment.RingEmpty || cell.Driven == Driven.Caller)),
            static cell => FailReturnAsync(cell, keepLength: 0)),
        new Fault(
            "pool fails to take a buffer back, at the end",
            WithPayloads().Where(static cell => cell.Moment is not Moment.RingFull && !cell.IsEnding),
            static cell => FailReturnAsync(cell, keepLength: 64)),
        new Fault(
            "retry is pending when the ring is halted",
            Fault.Everywhere.Where(static cell => !cell.IsEnding), RetryPendingAsync),
    ];

    private static IEnumerable<Cell> BeforeTheStart() =>
        Fault.Over(Driven.Caller, Moment.FirstOfBatch, Moment.RingFull, Moment.WhileDraining, Moment.WhileDisposing)
            .Concat(Fault.Over(Driven.Thread, Moment.FirstOfBatch, Moment.RingFull, Moment.WhileDraining))
            .Concat(Fault.Over(Driven.Pool, Moment.FirstOfBatch, Moment.RingFull));

    private static IEnumerable<Cell> WithPayloads() =>
        Fault.Everywhere.Where(static cell => cell.Kind != ProducerKind.Sharded);

    private static async Task<Seen> FailToStartAsync(Cell cell, Place place)
    {
        var world = new World(cell, new Setting { Place = place, WhenStarted = static _ => throw new FormatException() });
        await world.PublishBatchAsync();
        if (cell.Driven == Driven.Caller) await world.StartAsync();
        else if (!cell.IsEnding) await Assert.ThrowsAsync<FormatException>(world.StartAsync);
        else await Assert.ThrowsAnyAsync<Exception>(world.StartAsync);
        return await world.FinishAsync();
    }

    private static async Task<Seen> IdleAsync(Cell cell)
    {
        var world = new World(cell, new Setting
        {
            IdleTimeout = TimeSpan.FromMilliseconds(5),
            WhenIdle = static own =>
            {
                if (own.Spot.Items.Contains(own.Target)) throw new FormatException();
            },
        });
        await world.StartAsync();
        await world.WarmAsync();
        await world.PublishBatchAsync();
        world.OpenGate();
        await world.UntilAsync(() => world.Ring.Completion.IsCompleted);
        return await world.FinishAsync();
    }

    private static async Task<Seen> OfferAsync(Cell cell)
    {
        var world = new World(cell, new Setting { WhenOffered = static _ => throw new FormatException() });
        await world.StartAsync();
        await world.WarmAsync();
        long first = world.NextId(0);
        await world.PublishBatchAsync();
        // The only one that is offered: nothing is handed on to who has failed.
        world.Target = first;
        _ = world.Ring.HaltAsync();
        return await world.FinishAsync();
    }

    private static async Task<Seen> StartLateAsync(Cell cell, bool halts)
    {
        var world = new World(cell, new Setting { WhenStarted = static own => own.AwaitGate() });
        Task start = world.Ring.StartAsync();
        await world.PublishBatchAsync();
        if (halts) _ = world.Ring.HaltAsync();
        world.OpenGate();
        await Watchdog.Await(start, world.Ring);
        return await world.FinishAsync();
    }

    private static async Task<Seen> NeverStartAsync(Cell cell)
    {
        var world = new World(cell, new Setting());
        await world.PublishBatchAsync();
        _ = world.Ring.HaltAsync();
        Seen seen = await world.FinishAsync();
        Assert.Equal(0, world.Spot.Starts);
        await Assert.ThrowsAsync<InvalidOperationException>(world.StartAsync);
        return seen;
    }

    private static async Task<Seen> CallbackAsync(Cell cell)
    {
        bool called = false;
        var world = new World(cell, new Setting
        {
            Form = Form.AsyncLater,
            Later = (_, _, token) =>
            {
                token.Register(() =>
                {
                    called = true;
                    throw new FormatException();
                });
                return Task.CompletedTask;
            },
        });
        await world.StartAsync();
        await world.WarmAsync();
        await world.PublishBatchAsync();
        world.OpenGate();
        await world.SettleAsync();
        _ = world.Ring.HaltAsync();
        Seen seen = await world.FinishAsync();
        Assert.True(called);
        return seen;
    }

    private static async Task<Seen> FailReturnAsync(Cell cell, int keepLength)
    {
        var world = new World(cell, new Setting { KeepLength = keepLength });
        await world.StartAsync();
        await world.WarmAsync();
        await world.PublishBatchAsync();
        world.Pool.FailingReturns = 1;
        world.OpenGate();
        if (keepLength == 0) await world.UntilAsync(() => world.Ring.Completion.IsCompleted);
        else await world.SettleAsync();
        if (keepLength != 0) _ = world.Ring.HaltAsync();
        return await world.FinishAsync();
    }

    private static async Task<Seen> RetryPendingAsync(Cell cell)
    {
        var world = new World(cell, new Setting
        {
            Policy = static _ => FaultPolicy.Retry(1, TimeSpan.FromHours(1)),
            Happens = static (_, _) => throw new FormatException(),
        });
        await world.StartAsync();
        await world.WarmAsync();
        await world.PublishBatchAsync();
        world.OpenGate();
        await world.UntilAsync(() => world.Spot.Stage.GetStatistics().Retries == 1);
        _ = world.Ring.HaltAsync();
        return await world.FinishAsync();
    }
}
