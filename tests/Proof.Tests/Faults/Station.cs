namespace Raceway.Proof.Tests.Faults;

/// <summary>How a station's handler is called, and what it says of its progress.</summary>
internal enum Form
{
    Event,
    Batch,
    MarkedBatch,

    /// <summary>Marks all of its batch, and meets the fault after that.</summary>
    WhollyMarkedBatch,
    AsyncThrows,
    AsyncFaulted,
    AsyncLater,
}

/// <summary>A stage's handler: meets what its world has in store for an item, and keeps what it has handled.</summary>
/// <remarks>Without marks a batch counts once it is done, as the ring counts it: what is run again is not handled twice.</remarks>
internal sealed class Station(World world, string name, Form form)
    : IEventHandler<Parcel>, IBatchHandler<Parcel>, IAsyncBatchHandler<Parcel>, IStageLifetime, IIdleHandler
{
    private readonly List<Thread> _threads = [];
    private int _starts;
    private int _stops;

    public string Name => name;

    /// <summary>The stage over it.</summary>
    public Stage Stage { get; private set; } = null!;

    /// <summary>What was handled. Read it when the ring has ended, or from the thread that steps.</summary>
    public List<long> Items { get; } = [];

    /// <summary>Items that the handler threw for, handled later on or not.</summary>
    public HashSet<long> Thrown { get; } = [];

    public int Starts => Volatile.Read(ref _starts);

    public int Stops => Volatile.Read(ref _stops);

    /// <summary>Threads of its own that it was started on.</summary>
    public IReadOnlyList<Thread> Threads => _threads;

    public Action? WhenStarted { get; init; }

    public Action? WhenStopped { get; init; }

    public Action? WhenIdle { get; init; }

    public void Attach(RingBuffer<Parcel> ring, StageOptions options) =>
        Stage = form switch
        {
            Form.Event => ring.Subscribe((IEventHandler<Parcel>)this, options),
            Form.Batch or Form.MarkedBatch or Form.WhollyMarkedBatch => ring.Subscribe((IBatchHandler<Parcel>)this, options),
            _ => ring.Subscribe((IAsyncBatchHandler<Parcel>)this, options),
        };

    public void OnEvent(ref Parcel item, long sequence, bool endOfBatch)
    {
        Meet(ref item);
        Items.Add(item.Id);
    }

    public void OnBatch(Batch<Parcel> batch)
    {
        List<long> done = [];
        foreach (ref Parcel item in batch)
        {
            if (form == Form.WhollyMarkedBatch) world.CheckContent(ref item);
            else Meet(ref item);
            done.Add(item.Id);
            if (form != Form.MarkedBatch) continue;
            Items.Add(item.Id);
            batch.Complete(done.Count);
        }

        if (form == Form.MarkedBatch) return;
        Items.AddRange(done);
        if (form == Form.Batch) return;
        batch.Complete(batch.Count);
        // The slots may be the next ones' by now.
        foreach (long id in done) Meet(id);
    }

    public ValueTask OnBatchAsync(AsyncBatch<Parcel> batch, CancellationToken cancellation)
    {
        if (form == Form.AsyncLater) return HandleLaterAsync(batch, cancellation);
        try
        {
            HandleAll(batch);
            return default;
        }
        catch (Exception fault) when (form == Form.AsyncFaulted)
        {
            return ValueTask.FromException(fault);
        }
    }

    public void OnStart()
    {
        if (world.Cell.Driven == Driven.Thread) _threads.Add(Thread.CurrentThread);
        WhenStarted?.Invoke();
        Interlocked.Increment(ref _starts);
    }

    public void OnStop()
    {
        Interlocked.Increment(ref _stops);
        WhenStopped?.Invoke();
    }

    public void OnIdle() => WhenIdle?.Invoke();

    private async ValueTask HandleLaterAsync(AsyncBatch<Parcel> batch, CancellationToken cancellation)
    {
        if (world.Setting.Later is { } later) await later(world, batch, cancellation);
        else await Task.Yield();
        HandleAll(batch);
    }

    private void HandleAll(AsyncBatch<Parcel> batch)
    {
        List<long> done = [];
        for (int i = 0; i < batch.Count; i++)
        {
            Meet(ref batch[i]);
            done.Add(batch[i].Id);
        }

        Items.AddRange(done);
    }

    private void Meet(ref Parcel item)
    {
        world.CheckContent(ref item);
        Meet(item.Id);
    }

    private void Meet(long id)
    {
        try
        {
            world.Meet(this, id);
        }
        catch
        {
            Thrown.Add(id);
            throw;
        }
    }
}
