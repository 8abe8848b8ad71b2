using Raceway.Interop.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>How a world is laid out.</summary>
/// <param name="Items">What there is to do.</param>
/// <param name="Keys">Of how many keys.</param>
/// <param name="Positions">Whether workers keep positions with what they write.</param>
/// <param name="Reorders">Whether frames may overtake each other (positions are needed then).</param>
/// <param name="MaxQueueBytes">How much of it a partition takes.</param>
/// <param name="DeliveryLimit">How many workers may end with a frame.</param>
/// <param name="Crashes">Whether processes may die at any time.</param>
/// <param name="Poison">The item that ends the worker that handles it.</param>
/// <param name="Fencing">Whether the sink takes an item with its partition's newest term only.</param>
internal sealed record WorldOptions(
    int Items = 160, int Keys = 10, bool Positions = false, bool Reorders = false, long MaxQueueBytes = 900,
    int DeliveryLimit = int.MaxValue, bool Crashes = true, int? Poison = null,
    bool Fencing = false);

/// <summary>
/// One sending process and two workers over a stepped broker, on one thread: the same seed, the same run. A process that
/// crashes keeps what it has acknowledged, and nothing else; another one begins in its place.
/// </summary>
internal sealed class World : IDisposable
{
    public const int Partitions = 3;
    private const int Capacity = 32;
    private static readonly LinkAddress s_link = new("test.by-key", Partitions);

    private readonly Random _random;
    private readonly WorldOptions _options;
    private readonly InMemoryBroker _broker;
    private readonly Worker?[] _workers = new Worker?[2];
    private readonly List<Sending> _succeeded = [];
    private Sending? _sending;
    private ulong _epoch;
    private int _confirmed;

    public World(int seed, WorldOptions options)
    {
        // Under the context of a test what awaits would go on by the thread pool, whenever that comes to it.
        SynchronizationContext.SetSynchronizationContext(null);
        _random = new Random(seed);
        _options = options;
        _broker = new InMemoryBroker(new InMemoryBrokerOptions
        {
            IsStepped = true, MaxQueueBytes = options.MaxQueueBytes, DeliveryLimit = options.DeliveryLimit,
        });
        Sink = new Sink(options.Keys);
        StartSending();
        for (int i = 0; i < _workers.Length; i++) StartWorker(i);
    }

    public Sink Sink { get; }

    public int Steps { get; private set; }

    public int Faults { get; private set; }

    /// <summary>A number that two runs share only where they were the same.</summary>
    public long Trace { get; private set; }

    public long MostBytes => _broker.MostBytes;

    public int MostPending { get; private set; }

    public long MostBuffered { get; private set; }

    /// <summary>Workers that the poison has ended.</summary>
    public int Ended { get; private set; }

    /// <summary>What workers have told of.</summary>
    public List<LinkEvent> Events { get; } = [];

    public IReadOnlyList<byte[]> Parked => _broker.ParkedOf(s_link);

    private Keyed? Poison => _options.Poison is { } index ? Keyed.At(index, _options.Keys) : null;

    private bool IsDone => _confirmed >= _options.Items && _broker.Stored == 0 && _broker.Movable == 0 && _workers.All(one => one is { IsIdle: true });

    /// <summary>Runs to the end, with a fault every now and then until there were <paramref name="faults"/>.</summary>
    public void Run(int faults, double chance)
    {
        while (!IsDone)
        {
            bool fault = Faults < faults && _random.NextDouble() < chance;
            if (!(fault && TryFault((FaultKind)_random.Next(9)))) Step();
            // A run that goes on for ever is one that hangs.
            if (++Steps > 400_000) throw new InvalidOperationException($"Hangs: {Describe()}");
        }
    }

    /// <summary>Runs to the end with one fault, at step <paramref name="at"/>; false where the run is over before it. What cannot happen there does not.</summary>
    public bool RunWith(FaultKind kind, int at)
    {
        while (!IsDone)
        {
            if (Steps == at) TryFault(kind);
            Step();
            if (++Steps > 100_000) throw new InvalidOperationException($"Hangs: {Describe()}");
        }

        return Steps > at;
    }

    /// <summary>Runs to the end with a fault of one kind every so many steps.</summary>
    public void RunWithMany(FaultKind kind, int every)
    {
        while (!IsDone)
        {
            if (Steps % every == every - 1) TryFault(kind);
            Step();
            if (++Steps > 400_000) throw new InvalidOperationException($"Hangs: {Describe()}");
        }
    }

    public void Dispose()
    {
        _sending?.Crash();
        foreach (Sending one in _succeeded) one.Crash();
        foreach (Worker? worker in _workers) worker?.Crash();
    }

    private string Describe() =>
        $"sending {_sending?.State}, confirmed {_confirmed} of {_options.Items}, stored {_broker.Stored}, movable {_broker.Movable}, writes {Sink.Writes}, "
        + string.Join("; ", _workers.Select(one => one?.Source.Statistics.ToString() ?? "none"));

    private void Step()
    {
        // Frames of one epoch are not numbered on from those of the one before: where they may be overtaken, that must be over.
        if (_sending is null && (!_options.Reorders || _broker.Stored == 0)) StartSending();
        int choice = _random.Next(10);
        Trace = (Trace * 31) + choice;
        if (choice < 5 && _broker.Movable is > 0 and int movable) _broker.Move(_random.Next(movable));
        else if (choice < 7) StepSending();
        else StepWorker(choice % _workers.Length);
        MostPending = Math.Max(MostPending, _workers.Max(one => one?.Source.Statistics.Unacknowledged ?? 0));
        MostBuffered = Math.Max(MostBuffered, _sending?.Sender.Statistics.BufferBytes ?? 0);
        Trace = (Trace * 31) + Sink.Writes + _broker.Stored;
    }

    private void StepSending()
    {
        // Those that others have succeeded go on: it must do no harm.
        foreach (Sending one in _succeeded)
        {
            one.Feed(_options.Items, _options.Keys);
            one.Stage.Step(_random.Next(1, Capacity));
        }

        // Dead, and nothing left to do for another one.
        if (_sending is not { } sending) return;
        while (sending.Next < _options.Items)
        {
            if (sending.Producer.TryPublish(Keyed.At(sending.Next, _options.Keys)) != ClaimStatus.Done) break;
            sending.Next++;
            if (_random.Next(4) == 0) break;
        }

        sending.Stage.Step(_random.Next(1, Capacity));
        _confirmed = sending.Begun + (int)sending.Stage.Position + 1;
    }

    private void StepWorker(int index)
    {
        if (_workers[index] is null) StartWorker(index);
        Stage[] stages = _workers[index]!.Stages;
        stages[_random.Next(stages.Length)].Step(_random.Next(1, 8));
        if (_workers[index]!.State != RingState.Faulted) return;
        Ended++;
        Crash(ref _workers[index]);
    }

    private bool TryFault(FaultKind kind)
    {
        Trace = (Trace * 31) + (int)kind;
        bool happened = kind switch
        {
            FaultKind.CrashSending or FaultKind.CrashWorker when !_options.Crashes => false,
            FaultKind.CrashSending => Crash(ref _sending),
            FaultKind.SucceedSending => Succeed(),
            FaultKind.CrashWorker => Crash(ref _workers[_random.Next(_workers.Length)]),
            FaultKind.DisconnectSending => Disconnect(_sending?.Transport),
            FaultKind.DisconnectWorker => Disconnect(_workers[_random.Next(_workers.Length)]?.Transport),
            FaultKind.Reorder when !_options.Reorders => false,
            _ => _broker.Movable is > 0 and int movable && _broker.Move(_random.Next(movable), WireFaultOf(kind)),
        };
        if (happened) Faults++;
        return happened;
    }

    /// <summary>How many senders have failed, as others had their streams.</summary>
    public int Fenced => _succeeded.Count(static one => one.State == RingState.Faulted);

    // Another sending process begins while the one before it lives.
    private bool Succeed()
    {
        if (_sending is null || _confirmed >= _options.Items) return false;
        _succeeded.Add(_sending);
        StartSending();
        return true;
    }

    private static WireFault WireFaultOf(FaultKind kind) => kind switch
    {
        FaultKind.Drop or FaultKind.DropToo => WireFault.Drop,
        FaultKind.ArriveAndDisconnect => WireFault.Disconnect,
        FaultKind.Duplicate => WireFault.Duplicate,
        _ => WireFault.Reorder,
    };

    private static bool Disconnect(InMemoryTransport? transport)
    {
        transport?.Disconnect();
        return transport is not null;
    }

    private static bool Crash<TProcess>(ref TProcess? process)
        where TProcess : Process
    {
        if (process is null) return false;
        process.Crash();
        process = null;
        return true;
    }

    private void StartSending()
    {
        if (_confirmed >= _options.Items) return;
        InMemoryTransport transport = _broker.Connect();
        var options = new LinkOptions { Producer = "feed", Epoch = ++_epoch, FrameLength = 256, MaxFrameLength = 1024 };
        LinkSender<Keyed> sender = Now(LinkSender<Keyed>.OpenAsync<int>(transport, s_link, Keyed.Codec, Keyed.KeyOf, options));
        Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(Capacity)
            .Stage("send", sender, Dispatch.Batch(max: Capacity)).Run(Plan.Manual);
        _sending = new Sending(transport, pipeline, sender, _confirmed);
    }

    private void StartWorker(int index)
    {
        InMemoryTransport transport = _broker.Connect();
        var options = new LinkOptions
        {
            Prefetch = 3, FrameLength = 256, MaxFrameLength = 1024, HeldFrames = _options.Reorders ? 2 : 0,
            PositionOf = _options.Positions ? Sink.PositionOf : null, Fencing = _options.Fencing, OnEvent = Events.Add,
        };
        var source = new LinkSource<Keyed>(s_link, Keyed.Codec, options);
        Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(1024)
            .Stage("write", _options.Fencing
                ? (IBatchHandler<Keyed>)new WriteWithTerm(Sink, () => source, _options.Positions)
                : new WriteToSink(Sink, () => _options.Positions ? source : null, Poison))
            .Stage("ack", source.Acknowledger)
            .Run(Plan.Manual);
        Now(source.StartAsync(transport, pipeline));
        Now(source.SubscribeAsync(Enumerable.Range(0, Partitions)));
        _workers[index] = new Worker(transport, pipeline, source);
    }

    private static T Now<T>(ValueTask<T> task) => task.IsCompleted ? task.Result : throw new InvalidOperationException("Waits.");

    private static void Now(ValueTask task)
    {
        if (!task.IsCompleted) throw new InvalidOperationException("Waits.");
        task.GetAwaiter().GetResult();
    }

    private abstract class Process(InMemoryTransport transport, Pipeline<Keyed> pipeline)
    {
        public InMemoryTransport Transport => transport;

        public Stage[] Stages { get; } = [.. pipeline.Stages];

        public bool IsIdle => pipeline.Backlog == 0;

        public RingState State => pipeline.State;

        public void Crash()
        {
            transport.Kill();
            _ = pipeline.HaltAsync();
        }
    }

    private sealed class Sending(InMemoryTransport transport, Pipeline<Keyed> pipeline, LinkSender<Keyed> sender, int begun)
        : Process(transport, pipeline)
    {
        public LinkSender<Keyed> Sender => sender;

        public SingleProducer<Keyed> Producer { get; } = pipeline.CreateProducer();

        public Stage Stage => Stages[0];

        public int Begun { get; } = begun;

        public int Next { get; set; } = begun;

        /// <summary>Publishes what is still to come, unless its pipeline has ended.</summary>
        public void Feed(int items, int keys)
        {
            while (Next < items && Producer.TryPublish(Keyed.At(Next, keys)) == ClaimStatus.Done) Next++;
        }
    }

    private sealed class Worker(InMemoryTransport transport, Pipeline<Keyed> pipeline, LinkSource<Keyed> source)
        : Process(transport, pipeline)
    {
        public LinkSource<Keyed> Source => source;
    }
}

/// <summary>What may happen to a world.</summary>
public enum FaultKind
{
    /// <summary>Something on its way is lost, and its connection.</summary>
    Drop,

    /// <summary>Something arrives, and the connection is lost before the answer does.</summary>
    ArriveAndDisconnect,

    /// <summary>A frame arrives now and once more later.</summary>
    Duplicate,

    /// <summary>A frame is overtaken.</summary>
    Reorder,

    /// <summary>The sending process dies.</summary>
    CrashSending,

    /// <summary>A worker dies.</summary>
    CrashWorker,

    /// <summary>The sending process loses its connections.</summary>
    DisconnectSending,

    /// <summary>A worker loses its connections.</summary>
    DisconnectWorker,

    /// <summary>As <see cref="Drop"/>: it is drawn twice as often.</summary>
    DropToo,

    /// <summary>Another sending process begins, of a newer epoch, while the one before it lives. Not drawn.</summary>
    SucceedSending,
}
