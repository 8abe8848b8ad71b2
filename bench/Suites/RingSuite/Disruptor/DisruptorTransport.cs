#if PEER_DISRUPTOR
using Disruptor;
using Disruptor.Dsl;

namespace Raceway.Suites.RingSuite;

/// <summary>Disruptor-net with one handler a stage, each on a thread of its own.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
internal abstract class DisruptorTransport<TSlot>(RingLoad load, RoundThreads threads) : Transport<TSlot>(load, threads)
    where TSlot : struct, ISlot<TSlot>
{
    /// <summary>Where the handlers report to.</summary>
    protected DisruptorEnding Ending { get; } = new(load);

    public override void Start()
    {
        StartHandlers();
        Threads.AddAsync(() => Ending.Task);
        Threads.OnCancel(Ending.Cancel);
    }

    /// <summary>Starts the handlers; they end with the round.</summary>
    protected abstract void StartHandlers();

    /// <summary>The place of a stage's thread.</summary>
    protected int PlaceOf(int stage) => Shape.Producers + stage - 1;

    /// <summary>Adds a producer that publishes to a ring in the groups that the case asks for.</summary>
    protected void AddProducer<TRing>(TRing ring, int producer)
        where TRing : struct, IDisruptorRing<TSlot>
    {
        Feed feed = Load.FeedOf(producer);
        long items = Load.ShareOf(producer);
        Threads.Add(() =>
        {
            if (Shape.PublishGroup > 1)
                DisruptorPublishing.Groups<TSlot, TRing>(ring, feed, items, Shape.PublishGroup, Threads.Cancellation);
            else
                DisruptorPublishing.Each<TSlot, TRing>(ring, feed, Threads.Cancellation);
        });
    }
}

/// <summary>A value ring of Disruptor-net.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
internal sealed class DisruptorValueTransport<TSlot>(RingLoad load, RoundThreads threads, IWaitStrategy wait)
    : DisruptorTransport<TSlot>(load, threads)
    where TSlot : struct, ISlot<TSlot>
{
    private readonly DisruptorValueRing<TSlot> _ring = new(load.Shape, wait);

    public override void AddProducer(int producer) => AddProducer(_ring.Slots, producer);

    public override void AddSender(LatencyRound round) => Threads.Add(() => round.Send(new Sender(_ring.Slots)));

    public override void AddStage<TWork>(int stage, TWork work) =>
        _ring.Add(stage, new DisruptorValueHandler<TSlot, TWork>(Ending, stage, PlaceOf(stage), work));

    protected override void StartHandlers() => _ring.Start(Threads);

    private readonly struct Sender(DisruptorValues<TSlot> slots) : ISender
    {
        private readonly DisruptorValues<TSlot> _slots = slots;

        public void Send(long item) => DisruptorPublishing.One<TSlot, DisruptorValues<TSlot>>(_slots, item);
    }
}

/// <summary>A ring of objects of Disruptor-net, with handlers of events or of batches.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
internal sealed class DisruptorObjectTransport<TSlot>(RingLoad load, RoundThreads threads, IWaitStrategy wait, bool batches)
    : DisruptorTransport<TSlot>(load, threads)
    where TSlot : struct, ISlot<TSlot>
{
    private readonly Dictionary<int, IEventHandler> _handlers = [];
    private readonly Disruptor<DisruptorEvent<TSlot>> _disruptor = new(
        static () => new DisruptorEvent<TSlot>(), load.Shape.Capacity, TaskScheduler.Default,
        load.Shape.MultiProducer ? ProducerType.Multi : ProducerType.Single, wait);

    public override void AddProducer(int producer) => AddProducer(new DisruptorObjects<TSlot>(_disruptor.RingBuffer), producer);

    public override void AddStage<TWork>(int stage, TWork work)
    {
        if (batches)
        {
            var handler = new DisruptorBatchHandler<TSlot, TWork>(Ending, stage, PlaceOf(stage), work);
            IBatchEventHandler<DisruptorEvent<TSlot>>[] after = After<IBatchEventHandler<DisruptorEvent<TSlot>>>(stage);
            _handlers.Add(stage, handler);
            if (after.Length == 0) _disruptor.HandleEventsWith(handler);
            else _disruptor.After(after).HandleEventsWith(handler);
        }
        else
        {
            var handler = new DisruptorEventHandler<TSlot, TWork>(Ending, stage, PlaceOf(stage), work);
            IEventHandler<DisruptorEvent<TSlot>>[] after = After<IEventHandler<DisruptorEvent<TSlot>>>(stage);
            _handlers.Add(stage, handler);
            if (after.Length == 0) _disruptor.HandleEventsWith(handler);
            else _disruptor.After(after).HandleEventsWith(handler);
        }
    }

    protected override void StartHandlers()
    {
        _disruptor.Start();
        Threads.OnEnd(() =>
        {
            _disruptor.Halt().GetAwaiter().GetResult();
            _disruptor.Dispose();
        });
    }

    private THandler[] After<THandler>(int stage) => [.. Shape.After(stage).Select(one => (THandler)_handlers[one])];
}

/// <summary>A value ring of Disruptor-net, with one handler a stage, each on a thread of its own.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
internal sealed class DisruptorValueRing<TSlot>(RingShape shape, IWaitStrategy wait)
    where TSlot : struct, ISlot<TSlot>
{
    private readonly Dictionary<int, IValueEventHandler<TSlot>> _handlers = [];
    private readonly ValueDisruptor<TSlot> _disruptor = new(
        static () => TSlot.Create(), shape.Capacity, TaskScheduler.Default,
        shape.MultiProducer ? ProducerType.Multi : ProducerType.Single, wait);

    /// <summary>Where producers write to.</summary>
    public DisruptorValues<TSlot> Slots => new(_disruptor.RingBuffer);

    /// <summary>Adds the handler of a stage.</summary>
    public void Add(int stage, IValueEventHandler<TSlot> handler)
    {
        IValueEventHandler<TSlot>[] after = [.. shape.After(stage).Select(one => _handlers[one])];
        _handlers.Add(stage, handler);
        if (after.Length == 0) _disruptor.HandleEventsWith(handler);
        else _disruptor.After(after).HandleEventsWith(handler);
    }

    /// <summary>Starts the handlers; they end with the round.</summary>
    public void Start(RoundThreads threads)
    {
        _disruptor.Start();
        threads.OnEnd(() =>
        {
            _disruptor.Halt().GetAwaiter().GetResult();
            _disruptor.Dispose();
        });
    }
}

/// <summary>The end of a round: every handler that checks has seen the last item.</summary>
internal sealed class DisruptorEnding(RingLoad load)
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left = load.Shape.Checks;

    /// <summary>Completes at the end.</summary>
    public Task Task => _ended.Task;

    /// <summary>The last sequence of the round.</summary>
    public long LastSequence { get; } = load.Operations - 1;

    /// <summary>Ends it early.</summary>
    public void Cancel() => _ended.TrySetCanceled();

    /// <summary>A handler has seen the last item.</summary>
    public void Report<TSlot, TWork>(TWork work, int stage)
        where TSlot : struct, ISlot<TSlot>
        where TWork : struct, IStageWork<TSlot>
    {
        work.Report(load, stage);
        if (Interlocked.Decrement(ref _left) == 0) _ended.TrySetResult();
    }
}
#endif
