using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>A ring without its slots' type: its stages, who drives them, and its one life.</summary>
/// <remarks>
/// <para><see cref="RingState.Created"/> → <see cref="RingState.Running"/> → <see cref="RingState.Draining"/> →
/// <see cref="RingState.Stopped"/>; <see cref="RingState.Faulted"/> from any of the first three. There is no restart.
/// docs/semantics.md says what every call does in every state.</para>
/// <para><b>Threads</b>: every member by any thread.</para>
/// <para><b>Errors</b>: a stage that fails for good makes the ring faulted: producers throw
/// <see cref="RingFaultedException"/>, the other stages end after their current call, <see cref="Completion"/> faults.</para>
/// </remarks>
[DebuggerDisplay("{State}: {Stages.Count} stages, capacity {Capacity}")]
public abstract partial class Ring : IAsyncDisposable, IUnitOwner, IClaimOwner
{
    private readonly object _gate = new();
    private readonly List<Stage> _stages = [];
    private readonly List<Driver> _drivers = [];
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _halt = new();
    private readonly RingOptions _options;
    private RingState _state;
    private bool _started;
    private bool _finishing;
    private bool _disposed;
    private RingFaultedException? _fault;
    private Task? _disposal;

    // The options are checked, and the stamps of a multi-producer ring placed, where the type of the slots is known.
    private protected Ring(int capacity, RingOptions options, RingMemory memory, Availability? stamps)
    {
        _options = options;
        Capacity = capacity;
        Clock = Clock.Of(options.Time);
        Sequencer = new Sequencer(memory, capacity, options.StartSequence, stamps);
        Claims = Claims.Of(this, Sequencer, options);
    }

    /// <summary>Number of slots.</summary>
    public int Capacity { get; }

    /// <summary>Where it is in its life.</summary>
    public RingState State
    {
        get
        {
            Gate.Enter(_gate);
            RingState state = _state;
            Gate.Exit(_gate);
            return state;
        }
    }

    /// <summary>Its stages, in the order they were attached.</summary>
    public IReadOnlyList<Stage> Stages
    {
        get
        {
            Gate.Enter(_gate);
            Stage[] stages = [.. _stages];
            Gate.Exit(_gate);
            return stages;
        }
    }

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

    internal RingOptions Options => _options;

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
    /// <remarks>
    /// Where a hook throws, the stages already started are stopped in reverse order, the ring is faulted, and the exception
    /// is thrown.
    /// </remarks>
    /// <exception cref="InvalidOperationException">It has been started, stopped or faulted already.</exception>
    public Task StartAsync() => StartAsync(null);

    /// <inheritdoc cref="StartAsync()"/>
    /// <param name="stopOthers">Where a hook throws: stops what was started before this ring.</param>
    internal async Task StartAsync(Func<Task>? stopOthers)
    {
        Driver[] drivers;
        Gate.Enter(_gate);
        try
        {
            if (_started || _state is RingState.Stopped or RingState.Faulted || _finishing)
                throw RingErrors.NotNow("Start", _state, "A ring starts once; build a new one.");
            _started = true;
            if (_state == RingState.Created) _state = RingState.Running;
            drivers = [.. _drivers];
        }
        finally
        {
            Gate.Exit(_gate);
        }

        for (int i = 0; i < drivers.Length; i++)
        {
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
                await StopInReverseAsync(drivers.AsMemory(0, i)).ConfigureAwait(false);
                if (stopOthers is not null) await stopOthers().ConfigureAwait(false);
                Fail(fault, null);
                throw;
            }
        }
    }

    /// <summary><see cref="StartAsync()"/>, waiting for it.</summary>
    public void Start() => StartAsync().GetAwaiter().GetResult();

    /// <summary>
    /// Lets no new claim in; claims already open may finish. Blocked producers get <see cref="RingStoppedException"/>.
    /// Idempotent.
    /// </summary>
    public void Complete()
    {
        Gate.Enter(_gate);
        if (_state is RingState.Created or RingState.Running)
        {
            _state = RingState.Draining;
            Control.Change(Control.Closed);
            // ORDER: pairs with producers, which announce a claim and then look whether the ring is closed, by plain store
            // and load: after this either they see it closed, or we see their claim.
            Interlocked.MemoryBarrierProcessWide();
        }

        Gate.Exit(_gate);
        WakeEverybody();
    }

    /// <summary>
    /// Ends every stage after its current call (event handlers look every 64 items; a pending async handler has its token
    /// signalled, and is waited for). What was published and not handled is counted and offered to
    /// <see cref="RingOptions{T}.OnUnprocessed"/>. Completes when every stage has ended. Idempotent.
    /// </summary>
    /// <remarks>From a handler of this ring: do not wait for the task there, it completes after the handler returns.</remarks>
    public async Task HaltAsync()
    {
        Close(disposed: false);
        await Task.WhenAny(_completion.Task).ConfigureAwait(false);
    }

    /// <summary>
    /// <see cref="DrainAsync"/> for at most <see cref="RingOptions.DrainTimeout"/>, then <see cref="HaltAsync"/>. Blocked
    /// producers get <see cref="ObjectDisposedException"/>. Idempotent. From a handler of this ring it begins, and returns.
    /// </summary>
    public ValueTask DisposeAsync()
    {
        Gate.Enter(_gate);
        _disposed = true;
        // On the pool: whoever disposes from a handler must not run the drain itself.
        Task disposal = _disposal ??= Task.Run(DisposeCoreAsync);
        Gate.Exit(_gate);
        GC.SuppressFinalize(this);
        return Reentrancy.IsHandlerOf(Family) ? ValueTask.CompletedTask : new ValueTask(disposal);
    }

    /// <summary>Why a claim is refused.</summary>
    internal Exception Refusal()
    {
        if (_fault is { } fault) return new RingFaultedException(fault.Stage, fault.InnerException!);
        if (Volatile.Read(ref _disposed)) return new ObjectDisposedException(GetType().Name, "The ring has been disposed.");
        return new RingStoppedException("The ring takes no more items: it is draining or has stopped.");
    }

    /// <summary>Makes everybody who sleeps look again.</summary>
    internal void Nudge()
    {
        Gate.Enter(_gate);
        Control.Change(0);
        Gate.Exit(_gate);
        WakeEverybody();
    }

    object IUnitOwner.Family => Family;

    void IUnitOwner.Fail(Exception fault) => Fail(fault, null);

    WaitContext IUnitOwner.WaitContext(bool leadsChain) => WaitContext(leadsChain);

    internal WaitContext WaitContext(bool leadsChain, bool isProducer = false) =>
        new(leadsChain, Capacity, Claims.HasHoles, isProducer);

    /// <summary>Stops every stage, the last started first.</summary>
    internal Task StopInReverseAsync()
    {
        Gate.Enter(_gate);
        Driver[] drivers = [.. _drivers];
        Gate.Exit(_gate);
        return StopInReverseAsync(drivers);
    }

    private async Task StopInReverseAsync(ReadOnlyMemory<Driver> started)
    {
        for (int i = started.Length - 1; i >= 0; i--)
        {
            Driver driver = started.Span[i];
            driver.Unit.LeaveAll();
            Nudge();
            await driver.Ended.ConfigureAwait(false);
        }
    }

    private void WakeEverybody()
    {
        Sequencer.WakeProducers();
        foreach (Stage stage in Stages) stage.WakeWaiters();
    }
}
