namespace Raceway.Proof.Tests.Misuse;

/// <summary>A pipeline under any plan, with keyed lanes and a poller.</summary>
internal sealed partial class PipelineWorld<T, TShape> : ProducerWorld<T, TShape>
    where TShape : struct, IShape<T>
{
    private const int LanesColumn = 1;
    private const int PollerColumn = 2;
    private const int FirstJoined = 3;

    private readonly Pipeline<T> _pipeline;
    private readonly PoisonPool _pool = new();
    private readonly Poller<T>? _poller;
    private readonly bool _hasLanes;
    private int _joined;
    private int _left;
    private int _failed;

    public PipelineWorld(Setting setting)
        : base(setting)
    {
        Dice dice = setting.Dice;
        Plan plan = (Plan)dice.Next(6);
        PipelineBuilder<T, T> definition = Pipelines.Pipeline.Of<T>(setting.Capacity).Configure(options => Setting.Configure<T, TShape>(
            options with { OnUnprocessed = (ref slot) => Ledger.Came(Ledger.Left, TShape.Read(ref slot)) }, setting, _pool));
        if (setting.Kind == ProducerKind.Multi) definition.MultiProducer(2);
        if (setting.Kind == ProducerKind.Sharded) definition.Sharded(2);
        var first = new Keeper<T, TShape>(Ledger, 0, (uint)dice.Next(int.MaxValue), null);
        switch (dice.Next(3))
        {
            case 0: definition.Stage("first", (IBatchHandler<T>)first); break;
            case 1: definition.Stage("first", (IEventHandler<T>)first); break;
            default: definition.Stage("first", (IAsyncBatchHandler<T>)first); break;
        }

        _hasLanes = dice.OneIn(3);
        if (_hasLanes)
        {
            definition.After("first").Lanes("lanes", 2, static (ref readonly item) => KeyOf(item), lane =>
                (IBatchHandler<T>)new Keeper<T, TShape>(Ledger, LanesColumn, (uint)lane, null));
        }

        bool polls = dice.OneIn(3);
        if (polls && dice.OneIn(2)) definition.After("first");
        if (polls) definition.Poller("poller");
        _pipeline = definition.Build(plan);
        _poller = polls ? _pipeline.GetPoller<T>("poller") : null;
        if (setting.HasPublisher) _ = _pipeline.Publisher;
        FillHandles();
        AddLife();
        AddStages();
        AddPolls();
        if (!dice.OneIn(4)) _pipeline.StartAsync().GetAwaiter().GetResult();
    }

    public override bool HasEnded => _pipeline.Rings.Any(ring => ring.State is not (RingState.Created or RingState.Running));

    protected override RingBuffer<T> First => _pipeline.Ring;

    protected override Publisher<T> Publisher => _pipeline.Publisher;

    protected override Producer<T> Create(bool multi) => multi ? _pipeline.CreateMultiProducer() : _pipeline.CreateProducer();

    public override void Rescue() => _ = _pipeline.HaltAsync();

    public override string Describe() => $"{_pipeline.Plan}, {First.Options}\n{_pipeline.Dump()}\n{Watchdog.Dump(First)}";

    public override async Task EndAsync(Dice dice)
    {
        Task<DrainResult> drain = _pipeline.DrainAsync(TimeSpan.FromMilliseconds(dice.OneIn(8) ? 0 : 15));
        while (!drain.IsCompleted)
        {
            foreach (Stage stage in _pipeline.Stages)
            {
                if (stage.Caller is not null && stage != _poller?.Stage) StepQuietly(stage);
            }

            PollOnce();
            await Task.WhenAny(drain, Task.Delay(1));
        }

        Look(await drain);
        await _pipeline.HaltAsync();
        await _pipeline.DisposeAsync();
        await Task.WhenAny(_pipeline.Completion);
        if (_pipeline.State is not (RingState.Stopped or RingState.Faulted)) Ledger.Fault($"disposed, and {_pipeline.State}");
        if (_pool.Misuses > 0 || !_pool.QuarantineIsIntact()) Ledger.Fault($"payloads: {_pool.Census()}");
        if (!Forgotten && _pool.Census() is { Length: > 0 } wrong) Ledger.Fault($"payloads: {wrong}");
        if (_pipeline.Unprocessed != Ledger.LeftOver && _pipeline.Rings.Count == 1)
            Ledger.Fault($"Unprocessed is {_pipeline.Unprocessed}, and {Ledger.LeftOver} were offered");
        if (_left > 0 || _failed > 0) return;
        // What a later stage has not done yet is unprocessed, though the first one has handled it.
        bool strictly = _joined == 0 && !HadMorePollers && !_hasLanes && _poller is null;
        Ledger.Check(0, strictly);
        if (_hasLanes) Ledger.Check(LanesColumn, strictly: false);
        if (_poller is not null) Ledger.Check(PollerColumn, strictly: false);
    }

    protected override void Leave(ref Hand<T> hand)
    {
        hand.Polled.Dispose();
        base.Leave(ref hand);
    }

    private static long KeyOf(T item) => TShape.Read(ref item) & 7;

    private void Look(DrainResult result)
    {
        if (result.Status == DrainStatus.TimedOut) return;
        if (result.Status == DrainStatus.Drained && _pipeline.Unprocessed > 0)
            Ledger.Fault($"drained, and {_pipeline.Unprocessed} unprocessed");
        if (_pipeline.State is not (RingState.Stopped or RingState.Faulted))
            Ledger.Fault($"a drain says {result.Status}, the state {_pipeline.State}");
        Ledger.EndedBy ??= $"a drain has said {result.Status}";
    }

    private async Task DrainAsync(TimeSpan timeout, CancellationToken cancellation) =>
        Look(await _pipeline.DrainAsync(timeout, cancellation).ConfigureAwait(false));

    private static void StepQuietly(Stage stage)
    {
        try
        {
            stage.Step();
        }
        catch (InvalidOperationException)
        {
        }
    }

    private void PollOnce()
    {
        if (_poller is null) return;
        try
        {
            using PolledBatch<T> batch = _poller.Poll();
            foreach (ref T item in batch.Items) Ledger.Came(PollerColumn, TShape.Read(ref item));
        }
        catch (InvalidOperationException)
        {
        }
    }
}
