using System.Collections.Concurrent;

namespace Raceway.Proof.Tests.Faults;

/// <summary>A ring in which one thing goes wrong: its stages, its producers, and what becomes of each item.</summary>
internal sealed partial class World
{
    public const int Capacity = 16;
    private const int ProducerSpan = 1_000_000;

    private readonly int[] _next;
    private readonly long[] _first;
    private readonly ConcurrentDictionary<long, bool> _published = new();
    private readonly ConcurrentDictionary<long, bool> _committing = new();
    private readonly List<Task<Exception?>> _blocked = [];
    private readonly ManualResetEventSlim _gate = new();
    private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<string> _broken = [];
    private long _gateId = -1;
    private int _attempts;

    public World(Cell cell, Setting setting)
    {
        Cell = cell;
        Setting = setting;
        bool payloads = cell.Kind != ProducerKind.Sharded;
        Ring = new RingBuffer<Parcel>(Capacity, new RingOptions<Parcel>
        {
            Producers = cell.Kind,
            MaxProducers = 2,
            // A slice that nothing fills: the pool cuts batches by what their items cost, and the table speaks of whole ones.
            Wait = cell.Driven == Driven.Pool ? Wait.Async(TimeSpan.FromSeconds(1)) : Wait.Park(),
            ProducerWait = Wait.Park(),
            // Publishing goes on wherever an await has led to.
            CheckProducer = false,
            ClaimTimeout = setting.ClaimTimeout,
            DrainTimeout = setting.DrainTimeout,
            Payload = payloads ? Parcel.BodyOf : null,
            PayloadOptions = new PayloadOptions { Pool = Pool, MaxLength = 64, KeepLength = setting.KeepLength },
            OnUnprocessed = Offer,
        });
        Spot = new Station(this, "spot", setting.Form)
        {
            WhenStarted = Bound(setting.WhenStarted),
            WhenStopped = Bound(setting.WhenStopped),
            WhenIdle = Bound(setting.WhenIdle),
        };
        Build();
        int producers = cell.Kind == ProducerKind.Single ? 1 : 2;
        _next = new int[producers];
        _first = [.. Enumerable.Range(0, producers).Select(static producer => (long)producer * ProducerSpan)];
        Producers = [.. Enumerable.Range(0, producers).Select(_ => NewProducer())];
    }

    public Cell Cell { get; }

    public Setting Setting { get; }

    public RingBuffer<Parcel> Ring { get; }

    public FaultyPool Pool { get; } = new();

    /// <summary>The handler in question.</summary>
    public Station Spot { get; }

    public List<Station> Stations { get; } = [];

    public Producer<Parcel>[] Producers { get; }

    /// <summary>The item in question.</summary>
    public long Target { get; set; } = -1;

    public List<long> Letters { get; } = [];

    public List<long> Offered { get; } = [];

    public ICollection<long> Published => _published.Keys;

    /// <summary>Whether its commit was called, and so may have been met by the end of the ring in the middle.</summary>
    public bool WasCommitting(long id) => _committing.ContainsKey(id);

    /// <summary>Random faults instead of the one of the setting.</summary>
    public Action<Station, long>? Meeting { get; init; }

    /// <summary>Slots that a producer has of its own.</summary>
    public int Lane => Cell.Kind == ProducerKind.Sharded ? Capacity / 2 : Capacity;

    private bool IsCallerDriven => Cell.Driven == Driven.Caller;

    public void Meet(Station station, long id)
    {
        if (Meeting is not null)
        {
            Meeting(station, id);
            return;
        }

        if (station != Spot) return;
        if (id == Volatile.Read(ref _gateId) && !IsCallerDriven)
        {
            _entered.TrySetResult();
            _gate.Wait();
        }

        if (id == Target) Setting.Happens?.Invoke(this, ++_attempts);
    }

    public void CheckContent(ref Parcel parcel)
    {
        bool right = parcel.Check == ~parcel.Id;
        if (Cell.Kind != ProducerKind.Sharded)
            right &= parcel.Body.Length == Length(parcel.Id) && parcel.Body.Span.IndexOfAnyExcept((byte)parcel.Id) < 0;
        if (!right) Breaks($"a handler has seen item {parcel.Id} damaged");
    }

    /// <summary>Notes what is wrong; thrown there it would be a fault of the handler, which policies may pass over.</summary>
    public void Breaks(string what)
    {
        lock (_broken) _broken.Add(what);
    }

    public static int Length(long id) => (int)(id % 40) + 1;

    public void Write(ref Parcel parcel, long id)
    {
        parcel.Id = id;
        parcel.Check = ~id;
        if (Cell.Kind == ProducerKind.Sharded) return;
        parcel.Body.Reserve(Length(id)).Fill((byte)id);
    }

    public long NextId(int producer) => _first[producer] + _next[producer];

    /// <summary>Another handle instead of this one. What it publishes has an order of its own.</summary>
    public void Renew(int producer)
    {
        Producers[producer].Dispose();
        Producers[producer] = NewProducer();
        _first[producer] += (long)Producers.Length * ProducerSpan;
    }

    /// <summary>Publishes <paramref name="count"/> items in one claim, of which the first <paramref name="commits"/> count.</summary>
    public void Publish(int producer, int count = 1, int? commits = null)
    {
        using Claim<Parcel> claim = Producers[producer].Claim(count);
        Fill(producer, claim);
        for (int i = 0; i < count; i++) _committing[NextId(producer) + i] = true;
        claim.Commit(commits ?? count);
        Accept(producer, commits ?? count);
    }

    public bool TryPublish(int producer)
    {
        if (Producers[producer].TryClaim(1, out Claim<Parcel> claim) != ClaimStatus.Done) return false;
        Fill(producer, claim);
        claim.Commit();
        Accept(producer, 1);
        return true;
    }

    /// <summary>Whose order it is part of.</summary>
    public static long HandleOf(long id) => id / ProducerSpan;

    /// <summary>Writes the next items of a producer into a claim.</summary>
    public void Fill(int producer, Claim<Parcel> claim)
    {
        long id = NextId(producer);
        foreach (ref Parcel parcel in claim) Write(ref parcel, id++);
    }

    /// <summary>Notes the next items of a producer as published.</summary>
    public void Accept(int producer, int count)
    {
        for (; count > 0; count--, _next[producer]++) _published[NextId(producer)] = true;
    }

    private Producer<Parcel> NewProducer() =>
        Cell.Kind == ProducerKind.Multi ? Ring.CreateMultiProducer() : Ring.CreateProducer();

    private Action? Bound(Action<World>? hook) => hook is null ? null : () => hook(this);

    private void Offer(ref Parcel parcel)
    {
        CheckContent(ref parcel);
        Offered.Add(parcel.Id);
        Setting.WhenOffered?.Invoke(this);
    }

    private void Build()
    {
        if (Setting.Place is Place.Second or Place.Branch) Attach(new Station(this, "other", Form.Event), []);
        Attach(Spot, Setting.Place == Place.Second ? [Stations[0].Stage] : []);
        if (Setting.Place == Place.First) Attach(new Station(this, "other", Form.Event), [Spot.Stage]);
    }

    private void Attach(Station station, Stage[] after)
    {
        station.Attach(Ring, new StageOptions
        {
            Name = station.Name,
            After = after,
            OnFault = station == Spot ? Setting.Policy(this) : FaultPolicy.Stop,
            IdleTimeout = station == Spot ? Setting.IdleTimeout : Timeout.InfiniteTimeSpan,
            HandlerTimeout = station == Spot ? Setting.HandlerTimeout : Timeout.InfiniteTimeSpan,
            Drive = IsCallerDriven ? Drive.Caller : Drive.OwnThread,
        });
        Stations.Add(station);
    }
}
