namespace Raceway.Proof.Tests.Faults;

/// <content>How a world comes to the moment of its fault, and past it.</content>
internal sealed partial class World
{
    private Task<DrainResult>? _drain;
    private Task? _disposal;

    /// <summary>Which item of the batch of three the fault is about.</summary>
    public static int IndexOf(Moment moment) => moment switch
    {
        Moment.FirstOfBatch or Moment.RingEmpty => 0,
        Moment.LastOfBatch => 2,
        _ => 1,
    };

    public Task<DrainResult> Drain(TimeSpan? timeout = null) =>
        _drain ??= Ring.DrainAsync(timeout ?? Timeout.InfiniteTimeSpan);

    /// <summary>Brings the ring to where the next three items of the first producer are the batch of the cell.</summary>
    public async Task WarmAsync()
    {
        if (Producers.Length > 1) await PublishAndRunAsync(1, 1);
        int before = Cell.Moment == Moment.AtTheWrap
            ? Lane - 2 - (Cell.Kind == ProducerKind.Multi ? 1 : 0)
            : 0;
        for (int i = 0; i < before; i++) await PublishAndRunAsync(0, 1);
        if (Cell.Moment == Moment.RingEmpty)
        {
            await PublishAndRunAsync(0, 1);
            Progress awaited = Spot.Stage.Upstream.Count == 0 ? Ring.Sequencer.Cursor : Spot.Stage.Upstream[0].Done;
            if (!IsCallerDriven) await Watchdog.UntilAsync(() => Peek.IsArmed(awaited), Ring);
            return;
        }

        // The stage is held in its call for this one, so that the batch behind it is closed whole.
        Volatile.Write(ref _gateId, NextId(0));
        if (IsCallerDriven)
        {
            await PublishAndRunAsync(0, 1);
            return;
        }

        Publish(0);
        await Watchdog.Await(_entered.Task, Ring);
    }

    /// <summary>Publishes the batch of the cell, its target in it, and does what belongs to the moment.</summary>
    public async Task PublishBatchAsync()
    {
        Target = NextId(0) + IndexOf(Cell.Moment);
        Publish(0, 3);
        if (Cell.Moment == Moment.RingFull) await FillAsync();
        BeginEnding();
    }

    /// <summary>Fills what is left, and lets every producer block in a thread of its own.</summary>
    public async Task FillAsync()
    {
        for (int producer = 0; producer < Producers.Length; producer++)
            if (producer == 0 || Cell.Kind == ProducerKind.Sharded) while (TryPublish(producer)) { }
        for (int producer = 0; producer < Producers.Length; producer++)
        {
            int own = producer;
            // More than the items before the target can make room for.
            Block(() =>
            {
                for (int i = 0; i <= 2 * Capacity || Setting.RefusesLate; i++) Publish(own);
            });
        }

        await Watchdog.UntilAsync(() => Peek.IsProducerAsleep(Ring), Ring);
    }

    /// <summary>Runs a producer that is going to wait; how it ends is compared with what later publishes get.</summary>
    public void Block(Action publish) => _blocked.Add(Watchdog.RunThread(publish).Ended);

    public void BeginEnding()
    {
        if (Cell.Moment == Moment.WhileDraining) Drain();
        if (Cell.Moment == Moment.WhileDisposing) BeginDisposal();
    }

    public void BeginDisposal() => _disposal ??= Ring.DisposeAsync().AsTask();

    public void OpenGate() => _gate.Set();

    public void AwaitGate() => _gate.Wait();

    public async Task PublishAndRunAsync(int producer, int count)
    {
        Publish(producer, count);
        await SettleAsync();
    }

    /// <summary>Steps, where that is the caller's business, until <paramref name="condition"/> holds.</summary>
    public Task UntilAsync(Func<bool> condition) => Watchdog.UntilAsync(
        () =>
        {
            if (IsCallerDriven) foreach (Station station in Stations) station.Stage.Step();
            return condition();
        },
        Ring);

    /// <summary>Until everything published is handled or nothing will be any more, and nobody blocks.</summary>
    public Task SettleAsync() => UntilAsync(() =>
    {
        // First what has been passed: a disposal that a handler began by then is seen behind it.
        bool isPassed = IsPassed();
        bool ends = Ring.Control.IsHalted || _disposal is not null;
        return (ends ? Ring.Completion.IsCompleted : isPassed) && _blocked.TrueForAll(task => task.IsCompleted);
    });

    public async Task StartAsync()
    {
        await Watchdog.Await(Ring.StartAsync(), Ring);
    }

    private bool IsPassed()
    {
        long published = Ring.Sequencer.PublishedThrough();
        return Ring.Stages.All(stage => stage.Position >= published);
    }
}
