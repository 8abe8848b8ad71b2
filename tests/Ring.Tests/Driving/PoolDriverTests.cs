namespace Raceway.Rings.Tests;

/// <summary>An activation gives its thread back, whatever its unit does.</summary>
public sealed class PoolDriverTests
{
    private static readonly long s_slice = Clock.Ticks(TimeSpan.FromMicroseconds(50));
    private static readonly TimeSpan s_work = TimeSpan.FromMilliseconds(2);

    [Fact]
    public async Task Activate_HandlerThatTakesNothing_EndsWithItsSlice()
    {
        RingBuffer<long> ring = Make.Ring();
        Stage stage = ring.Subscribe(new TakesNothing(), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        producer.Publish(1);
        var driver = new PoolDriver(stage, s_slice);

        PoolThread thread = await Watchdog.Await(Watchdog.Run(() => Activated(driver)), ring);

        Assert.Same(driver, thread.Again);
        Assert.Equal(-1, stage.Position);
    }

    // The item is in the cache of this thread, and no other needs to be woken.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Activate_EndOfAStepMakesAnotherReady_TheThreadGoesOnWithThatOne(bool single)
    {
        RingBuffer<long> ring = Make.Ring();
        StageOptions options = Make.Stepped(single ? Dispatch.Single : null);
        Stage head = ring.Subscribe(new Recorder(), options);
        Stage tail = ring.Subscribe(new Recorder(), options with { After = [head] });
        Producer<long> producer = Make.Producer(ring);
        PoolDriver first = new(head, s_slice), second = new(tail, s_slice);

        PoolThread thread = await Watchdog.Await(
            Watchdog.Run(() =>
            {
                // Finds nothing, and is armed on what the first one reports.
                Activated(second);
                producer.Publish(1);
                return Activated(first);
            }),
            ring);

        Assert.Same(second, thread.Next);
        Assert.Same(first, thread.Again);
        Assert.Equal((0, -1), (head.Position, tail.Position));
    }

    // What is armed is signalled and comes back by the queue: that takes longer than some steps that find nothing.
    [Theory]
    [InlineData(true, Staying.MostSteps)]
    [InlineData(false, 0)]
    public async Task Activate_NextItemCameSoon_StaysReadyForSomeSteps(bool soon, int expected)
    {
        var ready = new ReadyQueue(Clock.Machine, soon ? TimeSpan.FromHours(1) : default);
        RingBuffer<long> ring = Make.Ring();
        Stage head = ring.Subscribe(new Recorder(), Make.Stepped());
        Stage tail = ring.Subscribe(new Recorder(), Make.Stepped(after: [head]));
        Producer<long> producer = Make.Producer(ring);
        PoolDriver first = new(head, s_slice, ready: ready), second = new(tail, s_slice, ready: ready);

        int stayed = await Watchdog.Await(
            Watchdog.Run(() =>
            {
                Assert.Null(Activated(second).Again);
                producer.Publish(1);
                Assert.Same(second, Activated(first).Next);
                int steps = 0;
                // It is stepped again as well where its first slice was over before it had looked.
                while (Activated(second).Again == second)
                    if (second.IsStaying) steps++;
                return steps;
            }),
            ring);

        Assert.Equal(expected, stayed);
        Assert.Equal(0, tail.Position);
    }

    [Fact]
    public async Task Cost_OfAHandlerThatAwaits_IsWhatItsCallTook()
    {
        RingBuffer<long> ring = Make.Ring();
        var handler = new AwaitsBehindWork();
        Stage stage = ring.Subscribe(handler, Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        producer.Publish(1);
        var driver = new PoolDriver(stage, s_slice);

        await Watchdog.Await(Watchdog.Run(() => Activated(driver)), ring);

        Assert.InRange(driver.Cost, Clock.Ticks(s_work), long.MaxValue);
        handler.Completes.SetResult();
    }

    // Its start hook or its first call may block, however short its slice is.
    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    [InlineData(50)]
    public void Cost_OfAUnitThatWasNotStepped_IsLong(int microseconds)
    {
        Stage stage = Make.Ring().Subscribe(new Recorder(), Make.Stepped());

        var driver = new PoolDriver(stage, Clock.Ticks(TimeSpan.FromMicroseconds(microseconds)));

        Assert.InRange(driver.Cost, ReadyQueue.WakeUp + 1, long.MaxValue);
    }

    [Fact]
    public async Task Cost_OfAnIdleHook_IsWhatItsCallTook()
    {
        var time = new WatchedTime();
        RingBuffer<long> ring = Make.Ring(time: time);
        Stage stage = ring.Subscribe(new WorksWhenIdle(), Make.Stepped() with { IdleTimeout = TimeSpan.FromSeconds(1) });
        var driver = new PoolDriver(stage, s_slice);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
        time.Advance(TimeSpan.FromSeconds(1));

        await Watchdog.Await(Watchdog.Run(() => Activated(driver)), ring);

        Assert.InRange(driver.Cost, Clock.Ticks(s_work), long.MaxValue);
    }

    // Of two stages behind each other on one thread, or of two pipelines.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Activate_HandlerThatChangesItsContext_LeavesTheThreadAsItWas(bool awaits)
    {
        var local = new AsyncLocal<string>();
        RingBuffer<long> ring = Make.Ring();
        Stage stage = awaits
            ? ring.Subscribe(new AsyncLambda<long>((_, _) => { Change(); return ValueTask.CompletedTask; }), Make.Stepped())
            : ring.Subscribe(new BatchLambda<long>(_ => Change()), Make.Stepped());
        Make.Producer(ring).Publish(1);
        var driver = new PoolDriver(stage, s_slice);

        (string? Local, SynchronizationContext? Place) left = await Watchdog.Await(
            Watchdog.Run(() =>
            {
                Activated(driver);
                return (local.Value, SynchronizationContext.Current);
            }),
            ring);

        Assert.Equal(0, stage.Position);
        Assert.Equal((null, null), left);

        void Change()
        {
            local.Value = "of the first unit";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
        }
    }

    // As the helper that completes a call, and has the next call to look for.
    [Fact]
    public async Task Activate_StepMakesAnotherReady_AndThereIsMoreToDo_TheOtherComesFirst()
    {
        var ready = new ReadyQueue(Clock.Machine, default);
        RingBuffer<long> ring = Make.Ring();
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped());
        var unit = new Wakes(ring, Make.Producer(ring));
        PoolDriver first = new(unit, Clock.Ticks(TimeSpan.FromHours(1)), ready: ready), second = new(stage, s_slice, ready: ready);

        await Watchdog.Await(Watchdog.Run(() => Activated(second)), ring);
        PoolThread thread = await Watchdog.Await(Watchdog.Run(() => Activated(first)), ring);

        Assert.Equal((1, second, first), (unit.Steps, thread.Next, thread.Again));
    }

    private static PoolThread Activated(PoolDriver driver)
    {
        PoolThread thread = PoolThread.Begin();
        thread.Now = MachineClock.Now;
        thread.Stepped = driver;
        driver.Activate(thread, until: thread.Now + driver.Slice);
        thread.Stepped = null;
        thread.End();
        return thread;
    }

    // A unit that is given fewer items at a time than its driver allows would have taken them: its calls take long all the same.
    [Fact]
    public async Task Activate_FullStepsThatTakeLong_OfAUnitWithALimitOfItsOwn_AreAllowedMore()
    {
        var unit = new Limited(Make.Ring());
        var driver = new PoolDriver(unit, s_slice, cuts: false);

        for (int i = 0; i < 16; i++) await Watchdog.Run(() => Activated(driver)).OrHang();

        Assert.InRange(unit.Asked, Quantum.Most * 2, int.MaxValue);
    }

    // A slice of an hour: no step is long, on any machine.
    [Theory]
    [InlineData(4096, 1024)]
    [InlineData(16_384, 4096)]
    public async Task Activate_ShortFullSteps_GrowToAQuarterOfTheRing(int capacity, int most)
    {
        RingBuffer<long> ring = Make.Ring(capacity);
        List<int> batches = [];
        Stage stage = ring.Subscribe(new Sizes(batches), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        var driver = new PoolDriver(stage, Clock.Ticks(TimeSpan.FromHours(1)), cuts: false);

        for (int i = 0; i < capacity; i++) producer.Publish(i);
        // It ends before all is done only where units of other tests are ready.
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                while (stage.Position < capacity - 1) Activated(driver);
            }),
            ring);

        Assert.Equal((64, most), (batches[0], batches.Max()));
    }

    private sealed class Sizes(List<int> batches) : IBatchHandler<long>
    {
        public void OnBatch(Batch<long> batch) => batches.Add(batch.Count);
    }

    private sealed class Limited(Ring ring) : Steppable
    {
        public int Asked { get; private set; }

        internal override IUnitOwner Owner => ring;

        internal override bool LeadsChain => true;

        internal override int MostOf(int quantum) => quantum > Quantum.Most ? quantum : 256;

        internal override WaitTarget NextTarget() => throw new InvalidOperationException("There is always something to do.");

        internal override StepResult StepOnce(int quantum = int.MaxValue)
        {
            Asked = quantum;
            Work();
            return new StepResult(StepKind.Progressed, MostOf(quantum), More: true);
        }
    }

    // Its first step publishes, and time is up at once.
    private sealed class Wakes(Ring ring, Producer<long> producer) : Steppable
    {
        public int Steps { get; private set; }

        internal override IUnitOwner Owner => ring;

        internal override bool LeadsChain => true;

        internal override bool Settles => true;

        internal override WaitTarget NextTarget() =>
            new(ring.Sequencer.Cursor, Progress.Never, MachineClock.Now, ring.Control, ring.Control.Word);

        internal override StepResult StepOnce(int quantum = int.MaxValue)
        {
            if (++Steps > 1) return StepResult.Stopped;
            producer.Publish(1);
            return StepResult.Pending;
        }
    }

    private sealed class TakesNothing : IOutcomeHandler<long>
    {
        public BatchOutcome OnBatch(Batch<long> batch) => BatchOutcome.Consumed(0);
    }

    private static void Work()
    {
        for (long until = MachineClock.In(s_work); MachineClock.Now < until;) Thread.SpinWait(10);
    }

    private sealed class AwaitsBehindWork : IAsyncBatchHandler<long>
    {
        public TaskCompletionSource Completes { get; } = new();

        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
        {
            Work();
            await Completes.Task;
        }
    }

    private sealed class WorksWhenIdle : IBatchHandler<long>, IIdleHandler
    {
        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnIdle() => Work();
    }
}
