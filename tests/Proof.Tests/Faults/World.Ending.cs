namespace Raceway.Proof.Tests.Faults;

/// <content>How a world ends, and what is seen of it then.</content>
internal sealed partial class World
{
    private readonly List<string> _publishes = [];
    private readonly HashSet<int> _gone = [];

    /// <summary>A producer that is not there any more, or that has a claim open: it publishes nothing again.</summary>
    public void Leave(int producer) => _gone.Add(producer);

    /// <summary>Lets the fault take effect, publishes again, ends the ring, checks everything, and says what was seen.</summary>
    public async Task<Seen> FinishAsync(TimeSpan? drainTimeout = null)
    {
        OpenGate();
        if (Setting.EndsFirst) await EndAsync(drainTimeout);
        else await SettleAsync();
        RingState settled = Ring.State;
        await PublishAgainAsync();
        await SettleAsync();
        DrainStatus drain = await EndAsync(drainTimeout);
        await CloseAsync();
        Oracles.Check(this);
        AssertUnbroken();
        return new Seen(
            Cell, RingWord(settled), ItemWord(), PublishesWord(), drain.ToString(), CountersOf(Spot.Stage));
    }

    public void AssertUnbroken()
    {
        lock (_broken) Assert.True(_broken.Count == 0, string.Join('\n', _broken));
    }

    private async Task PublishAgainAsync()
    {
        foreach (Task<Exception?> blocked in _blocked) _publishes.Add(PublishWord(await blocked));
        for (int producer = 0; producer < Producers.Length; producer++)
        {
            if (_gone.Contains(producer)) continue;
            int own = producer;
            _publishes.Add(PublishWord(await Watchdog.Await(Watchdog.RunThread(() => Publish(own)).Ended, Ring)));
        }
    }

    private async Task<DrainStatus> EndAsync(TimeSpan? drainTimeout)
    {
        if (_disposal is not null) await UntilAsync(() => _disposal.IsCompleted);
        Task<DrainResult> drain = Drain(drainTimeout);
        await UntilAsync(() => drain.IsCompleted);
        return (await drain).Status;
    }

    private async Task CloseAsync()
    {
        Task halt = Ring.HaltAsync();
        await UntilAsync(() => halt.IsCompleted);
        await Watchdog.Await(Ring.DisposeAsync().AsTask(), Ring);
    }

    private string RingWord(RingState settled) => Ring.State == RingState.Faulted
        ? "faults"
        : settled switch
        {
            _ when Cell.IsEnding => "goes on",
            RingState.Running => "goes on",
            RingState.Draining => "closes",
            _ => "stops",
        };

    private string PublishWord(Exception? thrown) => thrown switch
    {
        null => "go on",
        // The cell itself ends the ring, which refuses them: see "Calls by state".
        RingStoppedException when Cell.Moment == Moment.WhileDraining => "go on",
        ObjectDisposedException when Cell.Moment == Moment.WhileDisposing => "go on",
        _ => thrown.GetType().Name,
    };

    private string ItemWord()
    {
        if (Target < 0) return "none";
        if (!_published.ContainsKey(Target)) return "not published";
        if (Spot.Items.Contains(Target)) return "handled";
        if (Letters.Contains(Target)) return "dead-lettered";
        if (Spot.Stage.IsLeaving) return "left behind";
        if (Offered.Contains(Target)) return "unprocessed";
        return Spot.Thrown.Contains(Target) ? "skipped" : "not passed";
    }

    private string PublishesWord() => _publishes.Count == 0 ? "none" : string.Join(" and ", _publishes.Distinct());

    private static Dictionary<string, long> CountersOf(Stage stage)
    {
        StageStatistics seen = stage.GetStatistics();
        return new()
        {
            ["faults"] = seen.Faults,
            ["skipped"] = seen.Skipped,
            ["dead-lettered"] = seen.DeadLettered,
            ["retries"] = seen.Retries,
            ["tombstones"] = seen.Tombstones,
            ["interrupts"] = seen.Interrupts,
        };
    }
}
