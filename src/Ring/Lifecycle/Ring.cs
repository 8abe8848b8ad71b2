using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>A ring without its slots' type: its stages, their drivers, and its one life.</summary>
/// <remarks>
/// <para><see cref="RingState.Created"/> → <see cref="RingState.Running"/> → <see cref="RingState.Draining"/> →
/// <see cref="RingState.Stopped"/>; <see cref="RingState.Faulted"/> from any of the first three. There is no restart.</para>
/// <para><b>Threads</b>: every member by any thread.</para>
/// <para><b>Errors</b>: a stage that fails for good makes the ring faulted: producers throw
/// <see cref="RingFaultedException"/>, the other stages end after their current call, <see cref="Completion"/> faults.</para>
/// </remarks>
/// <example>
/// <code>
/// ring.Start();
/// producer.Publish(order);
/// DrainResult result = await ring.DrainAsync(TimeSpan.FromSeconds(30));
/// if (!result.IsDrained) Console.WriteLine(result);  // names the stages that are behind
/// </code>
/// </example>
[DebuggerDisplay("{State}: {Stages.Count} stages, capacity {Capacity}")]
public abstract partial class Ring : IAsyncDisposable, IUnitOwner, IClaimOwner
{
    private readonly object _gate = new();
    private readonly StageRoster _roster;
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _halt = new();
    private readonly RingOptions _options;
    private RingState _state;
    private bool _started;
    private bool _finishing;
    private bool _disposed;
    private RingFaultedException? _fault;
    private Task? _disposal;
    private int _hasMinimum;
    private int _blocked;

    // The options are checked, and the stamps of a multi-producer ring placed, where the type of the slots is known.
    private protected Ring(int capacity, RingOptions options, RingMemory memory, Availability? stamps)
    {
        _options = options;
        Capacity = capacity;
        Clock = Clock.Of(options.Time);
        Sequencer = new Sequencer(memory, capacity, options.StartSequence, stamps);
        Claims = Claims.Of(this, Sequencer, options);
        _roster = new StageRoster(this, _gate);
    }

    /// <summary>Number of slots.</summary>
    public int Capacity { get; }

    /// <summary>Where it is in its life.</summary>
    public RingState State
    {
        get
        {
            using Gate.Held held = Gate.Hold(_gate);
            return _state;
        }
    }

    /// <summary>Its stages, in the order they were attached.</summary>
    public IReadOnlyList<Stage> Stages => [.. _roster.Stages];

    /// <summary>Whether it lets no new claim in, for good: a look at one word, and no more than that.</summary>
    public bool IsClosed => Control.IsClosed;

    /// <summary>Completes when every stage has ended; faults with <see cref="RingFaultedException"/> where one failed.</summary>
    public Task Completion => _completion.Task;

    /// <summary>Items published that not every last stage has passed: a snapshot, clamped to 0..capacity.</summary>
    public long Backlog =>
        Math.Clamp(Sequencer.PublishedThrough() - Sequencer.ReleasedThrough(), 0, Capacity);

    /// <summary>After a halt or fault: published items that not every last stage had passed.</summary>
    public long Unprocessed { get; private set; }

    internal Sequencer Sequencer { get; }

    internal Claims Claims { get; }

    internal Control Control => Sequencer.Control;

    /// <summary>What it was built from.</summary>
    public RingOptions Options => _options;

    /// <summary>The clock of its limits, and of those of its stages and producers.</summary>
    internal Clock Clock { get; }

    internal TimeSpan ClaimTimeout => _options.ClaimTimeout;

    /// <summary>Why it has faulted, where it has.</summary>
    internal RingFaultedException? Fault => _fault;

    /// <summary>What stands for all rings that items are passed on between: a handler of one must not wait for another.</summary>
    internal object Family { get => field ?? this; set; }

    /// <summary>Signalled on halt and fault.</summary>
    internal CancellationToken HaltToken => _halt.Token;

    /// <summary>Starts every stage; completes when all start hooks have returned.</summary>
    /// <remarks>Where a hook throws, the stages already started are stopped in reverse order, the ring is faulted, and the exception
    /// is thrown.</remarks>
    /// <exception cref="InvalidOperationException">It has been started, stopped or faulted already.</exception>
    public Task StartAsync() => StartAsync(null);

    /// <inheritdoc cref="StartAsync()"/>
    /// <param name="stopOthers">Where a hook throws: stops what was started before this ring.</param>
    internal async Task StartAsync(Func<Task>? stopOthers)
    {
        Driver[] drivers;
        using (Gate.Hold(_gate))
        {
            if (_started || _state is RingState.Stopped or RingState.Faulted || _finishing)
                throw RingErrors.NotNow("Start", _state, "A ring starts once; build a new one.");
            _started = true;
            if (_state == RingState.Created) _state = RingState.Running;
            drivers = _roster.Drivers;
        }

        for (int i = 0; i < drivers.Length; i++)
        {
            // While the start hooks before it ran.
            if (Control.IsHalted) throw Refusal();
            drivers[i].Launch();
            try
            {
                await drivers[i].Started.ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (drivers[i].Started.IsCanceled)
            {
                // Halted meanwhile: this one was never launched.
                throw Refusal();
            }
            catch (Exception fault)
            {
                await _roster.StopInReverseAsync(drivers.AsMemory(0, i)).ConfigureAwait(false);
                if (stopOthers is not null) await stopOthers().ConfigureAwait(false);
                Fail(fault, null);
                throw;
            }
        }
    }

    /// <summary><see cref="StartAsync()"/>, waiting for it.</summary>
    public void Start() => StartAsync().GetAwaiter().GetResult();

    /// <summary>
    /// Takes a stage out of the ring, which goes on without it: it ends after its current call, holds no slot back any
    /// more, and completes when it has ended.
    /// </summary>
    /// <remarks>If its handler's task never ends (<see cref="StageOptions.HandlerTimeout"/>), the ring faults, and the slots stay
    /// the task's.</remarks>
    /// <exception cref="ArgumentException">It is no stage of this ring, or has left it.</exception>
    /// <exception cref="InvalidOperationException">Other stages follow it, or the ring is draining or has ended.</exception>
    public Task DetachAsync(Stage stage) => _roster.DetachAsync(stage);

    /// <summary>
    /// <see cref="Complete()"/>, then waits until every last stage has passed everything that was claimed, and the ring has
    /// ended: every stage with its stop hook, and <see cref="RingOptions{T}.OnUnprocessed"/> after a halt or fault.
    /// </summary>
    /// <remarks>
    /// Never throws for time. If the ring is halted or faults meanwhile, the result says so once the ring has ended; if the
    /// time is up before that, the result is <see cref="DrainStatus.TimedOut"/>, with the fault where there is one. Stages
    /// that are not running yet are waited for; without any stage, what was published is never handled, and the time runs
    /// out. In a handler of this ring the time runs out as well: its stage ends when the handler has returned.
    /// </remarks>
    /// <param name="timeout">For the whole call; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="cancellation">Ends the waiting, not the drain.</param>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public Task<DrainResult> DrainAsync(TimeSpan timeout, CancellationToken cancellation = default) =>
        new RingDrain(this).RunAsync(timeout, cancellation);

    /// <summary>A snapshot of how full it is, and how its producers have waited.</summary>
    public RingStatistics GetStatistics()
    {
        RoomWaits sum = Claims.RoomWaits;
        return new RingStatistics
        {
            Capacity = Capacity,
            Backlog = Backlog,
            Waits = sum.Waits,
            Parks = sum.Parks,
            Blocked = Clock.Span(sum.Blocked),
            Waking = Clock.Span(sum.Waking),
        };
    }

    /// <summary>The last sequence that every stage has to pass before a drain is done, as far as is known.</summary>
    internal long Target => Math.Min(Claims.ClaimedThrough, Sequencer.Final);

    /// <summary>Whether its threads have been told to begin.</summary>
    internal bool IsStarted
    {
        get
        {
            using Gate.Held held = Gate.Hold(_gate);
            return _started;
        }
    }

    /// <summary>Names of the stages that may still call their handler or its stop hook.</summary>
    internal IEnumerable<string> NotEnded => _roster.All.Where(static stage => !stage.Ended.IsCompleted).Select(static stage => stage.Name);

    /// <summary>Where it is in its life, read under its gate.</summary>
    internal RingState LifeSoFar => _state;

    /// <summary>Whether its threads have been told to begin, read under its gate.</summary>
    internal bool HasStarted => _started;

    /// <summary>Whether stages may join, read under its gate.</summary>
    internal bool TakesStages => _state is RingState.Created or RingState.Running && !_finishing;

    /// <summary>What its source has failed with, see <see cref="EndWith"/>.</summary>
    internal Exception? EndsWith => Volatile.Read(ref _endsWith);

    /// <inheritdoc cref="StageRoster.Attach"/>
    internal TStage Attach<TStage>(Func<string, TStage> create, StageOptions options)
        where TStage : Stage => _roster.Attach(create, options);

    /// <inheritdoc cref="StageRoster.DriveTogether"/>
    internal void DriveTogether(Steppable unit, Wait? wait, string name) => _roster.DriveTogether(unit, wait, name);

    /// <inheritdoc cref="StageRoster.StepTogether"/>
    internal PoolGroup? StepTogether(IReadOnlyList<Stage> stages) => _roster.StepTogether(stages);

    /// <inheritdoc cref="StageRoster.KeepApart"/>
    internal void KeepApart(Stage stage) => _roster.KeepApart(stage);

    /// <inheritdoc cref="StageRoster.DetachFaulted"/>
    internal void DetachFaulted(Stage stage, Exception cause) => _roster.DetachFaulted(stage, cause);

    /// <summary>Whether a producer waits for room: then no stage holds items back for a minimum.</summary>
    internal bool HasBlockedProducers => Volatile.Read(ref _blocked) != 0;

    /// <summary>A stage is called as <paramref name="dispatch"/> says from now on.</summary>
    internal void Note(Dispatch dispatch)
    {
        if (dispatch.Min > 1) Volatile.Write(ref _hasMinimum, 1);
    }

    /// <summary>Makes all that sleep look again.</summary>
    internal void Nudge()
    {
        Gate.Enter(_gate);
        Control.Change(0);
        Gate.Exit(_gate);
        WakeAll();
    }

    Clock IClaimOwner.Clock => Clock;

    bool IClaimOwner.IsHandling => Reentrancy.IsHandlerOf(Family);

    Exception IClaimOwner.Refusal() => Refusal();

    void IClaimOwner.Nudge() => Nudge();

    void IClaimOwner.EndLate(Claimer claimer, long first, int count, int published) => EndLate(claimer, first, count, published);

    void IClaimOwner.BlocksHere() => _roster.Queue?.ProducerBlocks();

    long IClaimOwner.BeginBlocked() => BeginBlocked();

    void IClaimOwner.EndBlocked() => EndBlocked();

    object IUnitOwner.Family => Family;

    void IUnitOwner.Fail(Exception fault) => Fail(fault, null);

    WaitContext IUnitOwner.WaitContext(bool leadsChain) => WaitContext(leadsChain);

    internal WaitContext WaitContext(bool leadsChain, bool isProducer = false) =>
        new(leadsChain, Capacity, Claims.HasHoles, isProducer);

    /// <summary>Stops every stage, the last started first.</summary>
    internal Task StopInReverseAsync() => _roster.StopInReverseAsync(_roster.Drivers);

    /// <summary>Wakes all that sleep at a cell of the ring.</summary>
    internal void WakeAll()
    {
        Sequencer.WakeProducers();
        foreach (Stage stage in _roster.Stages) stage.WakeWaiters();
    }

    /// <summary>A producer begins to wait; returns the control word to wait with.</summary>
    internal long BeginBlocked()
    {
        // ORDER: full; pairs with the nudge's change, after which every stage looks again.
        Interlocked.Increment(ref _blocked);
        if (Volatile.Read(ref _hasMinimum) != 0) Nudge();
        return Control.Word;
    }

    /// <summary>It has room, or has given up.</summary>
    internal void EndBlocked() => Interlocked.Decrement(ref _blocked);

    /// <inheritdoc cref="IClaimOwner.EndLate"/>
    internal abstract void EndLate(Claimer claimer, long first, int count, int published);
}
