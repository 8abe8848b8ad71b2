namespace Raceway.Proof.Tests.Faults;

/// <summary>A ring, its producers and two faults, all drawn from a seed.</summary>
internal sealed class FaultPair
{
    private const int ItemsOfEach = 40;

    private static readonly string[] s_kinds =
    [
        "throw", "cancel itself", "halt", "complete", "dispose", "interrupt", "detach",
        "writer throws", "abort", "part", "cancelled wait", "timed wait", "pool refuses", "new producer",
        "start hook", "stop hook", "unprocessed hook", "pool return", "drain in time",
    ];

    private readonly int _seed;
    private readonly string[] _faults;
    private readonly int[] _at;
    private readonly World _world;
    private readonly int _ending;
    private int _met;

    public FaultPair(int seed)
    {
        _seed = seed;
        var random = new Random(seed);
        Cell = new Cell(Pick(Cell.Kinds), Moment.MiddleOfBatch, Pick([Driven.Caller, Driven.Caller, Driven.Thread, Driven.Pool]));
        _faults = [Pick(s_kinds), Pick(s_kinds)];
        _at = [random.Next(1, ItemsOfEach), random.Next(1, ItemsOfEach)];
        _ending = random.Next(3);
        Form form = Pick(Enum.GetValues<Form>());
        Place place = Pick(Enum.GetValues<Place>());
        int policy = random.Next(6);
        _world = new World(Cell, new Setting
        {
            Form = form,
            Place = place,
            Policy = world => Policy(world, policy),
            KeepLength = random.Next(2) * 64,
            DrainTimeout = TimeSpan.FromMilliseconds(random.Next(2) * 50),
            WhenStarted = Has("start hook") ? static _ => throw new FormatException() : null,
            WhenStopped = Has("stop hook") ? static _ => throw new FormatException() : null,
            WhenOffered = Has("unprocessed hook") ? static _ => throw new FormatException() : null,
        })
        {
            Meeting = Meet,
        };

        TItem Pick<TItem>(IReadOnlyList<TItem> items) => items[random.Next(items.Count)];
    }

    private Cell Cell { get; }

    public override string ToString() =>
        $"{Cell.Kind}, {Cell.Driven}, {_world.Setting.Form}, {_world.Setting.Place}, "
        + $"{_faults[0]} at {_at[0]} and {_faults[1]} at {_at[1]}, ending {_ending}";

    public async Task RunAsync()
    {
        RingBuffer<Parcel> ring = _world.Ring;
        if (Has("pool return")) _world.Pool.FailingReturns = 1;
        Task start = ring.StartAsync();
        Task[] publishing = [.. Enumerable.Range(0, _world.Producers.Length)
            .Select(producer => Watchdog.Run(() => PublishAll(producer, new Random(_seed + producer))))];
        await _world.UntilAsync(() => start.IsCompleted && Array.TrueForAll(publishing, static task => task.IsCompleted));
        _ = await Record.ExceptionAsync(() => start);
        foreach (Task task in publishing) await task;
        if (_ending == 0) await _world.SettleAsync();
        if (_ending == 1) await UntilDoneAsync(ring.DrainAsync(Timeout.InfiniteTimeSpan));
        await UntilDoneAsync(ring.HaltAsync());
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        Oracles.Check(_world);
        _world.AssertUnbroken();
    }

    private bool Has(string fault) => _faults.Contains(fault);

    private bool IsDue(string fault, int count) =>
        (_faults[0] == fault && _at[0] == count) || (_faults[1] == fault && _at[1] == count);

    private Task UntilDoneAsync(Task task) => _world.UntilAsync(() => task.IsCompleted);

    private static FaultPolicy Policy(World world, int which) => which switch
    {
        0 => FaultPolicy.Stop,
        1 => FaultPolicy.Detach,
        2 => FaultPolicy.Retry(1, TimeSpan.Zero),
        3 => FaultPolicy.Retry(2, TimeSpan.FromTicks(1), FaultPolicy.Skip),
        4 => FaultPolicy.DeadLetter<Parcel>((ref Parcel parcel, in FaultContext _) => world.Letters.Add(parcel.Id)),
        _ => FaultPolicy.Skip,
    };

    // Counts the calls for items, over all stages: what is met again on a retry is another one.
    private void Meet(Station station, long id)
    {
        RingBuffer<Parcel> ring = _world.Ring;
        int met = Interlocked.Increment(ref _met);
        if (IsDue("halt", met)) _ = ring.HaltAsync();
        if (IsDue("complete", met)) ring.Complete();
        if (IsDue("dispose", met)) _world.BeginDisposal();
        if (IsDue("interrupt", met) && station.Threads.Contains(Thread.CurrentThread)) Thread.CurrentThread.Interrupt();
        if (IsDue("detach", met) && _world.Setting.Place != Place.Only) _ = DetachAsync(_world.Stations[^1].Stage);
        if (IsDue("cancel itself", met)) throw new OperationCanceledException();
        if (IsDue("throw", met)) throw new FormatException();
    }

    private async Task DetachAsync(Stage stage)
    {
        try
        {
            await _world.Ring.DetachAsync(stage);
        }
        catch (InvalidOperationException)
        {
            // The ring is being ended, or the stage has left before.
        }
    }

    private void PublishAll(int producer, Random random)
    {
        for (int i = 1; i <= ItemsOfEach; i++)
        {
            try
            {
                if (!PublishFaulty(producer, i)) _world.Publish(producer, random.Next(1, 4));
            }
            catch (Exception refusal) when (refusal is RingStoppedException or RingFaultedException or ObjectDisposedException)
            {
                return;
            }
            catch (Exception fault) when (fault is FormatException or OperationCanceledException or IOException or InsufficientMemoryException)
            {
                // Its own fault, which has published nothing; the next one is tried.
            }
        }
    }

    private bool PublishFaulty(int producer, int count)
    {
        Producer<Parcel> handle = _world.Producers[producer];
        if (IsDue("drain in time", count)) _ = _world.Ring.DrainAsync(TimeSpan.Zero);
        if (IsDue("pool refuses", count)) _world.Pool.Refusals = 1;
        if (IsDue("writer throws", count)) handle.Publish(0, static (ref _, _) => throw new FormatException());
        if (IsDue("abort", count)) handle.Claim(2).Abort();
        if (IsDue("timed wait", count) && handle.TryClaim(3, TimeSpan.FromMilliseconds(1), out Claim<Parcel> claim) == ClaimStatus.Done)
            claim.Abort();
        if (IsDue("cancelled wait", count))
        {
            using var source = new CancellationTokenSource(TimeSpan.FromMilliseconds(1));
            handle.Claim(3, source.Token).Abort();
        }

        if (IsDue("new producer", count)) _world.Renew(producer);
        if (!IsDue("part", count)) return false;
        _world.Publish(producer, 3, commits: 1);
        return true;
    }
}
