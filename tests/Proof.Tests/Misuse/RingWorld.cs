namespace Raceway.Proof.Tests.Misuse;

/// <summary>A ring, its stages and its handles.</summary>
internal sealed partial class RingWorld<T, TShape> : ProducerWorld<T, TShape>
    where TShape : struct, IShape<T>
{
    private readonly RingBuffer<T> _ring;
    private readonly List<Keeper<T, TShape>> _keepers = [];
    private readonly List<Stage> _core = [];
    private readonly PoisonPool _pool = new();
    private readonly Player[] _within;
    private readonly Publisher<T>? _publisher;
    private int _joined;
    private int _left;

    public RingWorld(Setting setting)
        : base(setting)
    {
        Dice dice = setting.Dice;
        _ring = new RingBuffer<T>(setting.Capacity, Setting.Configure<T, TShape>(
            new RingOptions<T> { OnUnprocessed = (ref slot) => Ledger.Came(Ledger.Left, TShape.Read(ref slot)) }, setting, _pool));
        _within = [.. Enumerable.Range(0, setting.Stages).Select(i => new Player(setting.Threads + i, Ledger, () => HasEnded))];
        for (int i = 0; i < setting.Stages; i++)
        {
            Player within = _within[i];
            var keeper = new Keeper<T, TShape>(Ledger, i, (uint)dice.Next(int.MaxValue), IsChecked ? own => Within(within, own) : null);
            _keepers.Add(keeper);
            _core.Add(Subscribe(keeper, dice.Next(4), new StageOptions
            {
                Name = $"core-{i}",
                Drive = dice.OneIn(3) ? Drive.Caller : Drive.OwnThread,
                Dispatch = Setting.AnyDispatch(ref dice),
                After = i > 0 && dice.OneIn(2) ? [_core[^1]] : [],
                IdleTimeout = dice.OneIn(4) ? TimeSpan.FromMilliseconds(1) : Timeout.InfiniteTimeSpan,
            }));
        }

        if (setting.HasPublisher) _publisher = _ring.GetPublisher();
        FillHandles();
        AddLife();
        AddStages();
        if (!dice.OneIn(4)) _ring.Start();
    }

    public override bool HasEnded => _ring.State is not (RingState.Created or RingState.Running);

    protected override RingBuffer<T> First => _ring;

    protected override Publisher<T> Publisher => _publisher!;

    protected override Producer<T> Create(bool multi) => multi ? _ring.CreateMultiProducer() : _ring.CreateProducer();

    public override void Rescue() => _ = _ring.HaltAsync();

    public override string Describe() =>
        $"{_ring.Options}\n{string.Join('\n', _ring.Stages.Select(stage => $"{stage.Name}: {stage.Options}"))}\n{Watchdog.Dump(_ring)}";

    /// <summary>Whether all its items must be accounted for: not where the threads broke rules that were not checked.</summary>
    public override async Task EndAsync(Dice dice)
    {
        if (_ring.State == RingState.Created && dice.OneIn(2)) Quietly(_ring.Start);
        Task<DrainResult> drain = _ring.DrainAsync(TimeSpan.FromMilliseconds(dice.OneIn(8) ? 0 : 15));
        while (!drain.IsCompleted)
        {
            foreach (Stage stage in _ring.Stages)
                if (stage.Options.Drive == Drive.Caller) Quietly(() => stage.Step());
            await Task.WhenAny(drain, Task.Delay(1));
        }

        Look(await drain);
        await _ring.HaltAsync();
        await _ring.DisposeAsync();
        await Task.WhenAny(_ring.Completion);
        if (_ring.State is not (RingState.Stopped or RingState.Faulted)) Ledger.Fault($"disposed, and {_ring.State}");
        if (_pool.Misuses > 0 || !_pool.QuarantineIsIntact()) Ledger.Fault($"payloads: {_pool.Census()}");
        if (!IsChecked) return;
        if (_pool.Outstanding > 0 && !Forgotten) Ledger.Fault($"payloads: {_pool.Census()}");
        if (_ring.Unprocessed != Ledger.LeftOver) Ledger.Fault($"Unprocessed is {_ring.Unprocessed}, and {Ledger.LeftOver} were offered");
        // What a later stage has not done yet is unprocessed, though the first one has handled it.
        bool strictly = _joined == 0 && !HadMorePollers && _left == 0 && _core.Count == 1;
        for (int i = 0; i < _core.Count; i++)
            if (_left == 0) Ledger.Check(i, strictly);
    }

    private Stage Subscribe(Keeper<T, TShape> keeper, int way, StageOptions options) => way switch
    {
        0 => _ring.Subscribe((IBatchHandler<T>)keeper, options),
        1 => _ring.Subscribe((IEventHandler<T>)keeper, options),
        2 => _ring.Subscribe((IAsyncBatchHandler<T>)keeper, options),
        _ => _ring.Subscribe(keeper.Take, options),
    };

    /// <summary>A result of a drain that says that all is over means that.</summary>
    private void Look(DrainResult result)
    {
        if (result.Status == DrainStatus.TimedOut) return;
        if (result.Status == DrainStatus.Drained && _ring.Unprocessed > 0) Ledger.Fault($"drained, and {_ring.Unprocessed} unprocessed");
        if (result.IsDrained != (result.Status == DrainStatus.Drained) || result.ToString().Length == 0) Ledger.Fault($"{result}");
        if (_ring.State is not (RingState.Stopped or RingState.Faulted)) Ledger.Fault($"a drain says {result.Status}, the state {_ring.State}");
        Ledger.EndedBy ??= $"a drain has said {result.Status}";
    }

    // What a handler may do, right or wrong, on its own stage and its own ring.
    private void Within(Player player, Dice dice)
    {
        int column = player.Index - _within[0].Index;
        player.Begin("within a handler", false, (uint)dice.Next(int.MaxValue));
        May may = May.Publish | May.Reentrant;
        try
        {
            switch (dice.Next(5))
            {
                case 0: _ = _core[column].Step(); break;
                case 1: _core[column].Dispatch = Setting.AnyDispatch(ref dice); break;
                case 2: _ = _core[column].GetStatistics().ToString(); break;
                case 3 when Handles is [{ } handle, ..]:
                    Items items = player.Make(1);
                    player.Told(items, handle.TryPublish(TShape.Make(items.First)));
                    break;
                case 4 when dice.OneIn(8): _ = _ring.DisposeAsync().AsTask(); break;
            }
        }
        catch (Exception fault)
        {
            player.Threw(fault, may, isGroup: false);
        }
    }

    private static void Quietly(Action call)
    {
        try
        {
            call();
        }
        catch (InvalidOperationException)
        {
        }
    }

    private static void Quietly(Func<StepResult> call) => Quietly(() => { _ = call(); });
}
