using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Handlers that await, and stages that hold no thread.</summary>
internal static class AsyncBodies
{
    private static readonly TimeSpan s_ample = TimeSpan.FromSeconds(5);

    public static IEnumerable<Body> All
    {
        get
        {
            foreach ((string name, Wait wait) in new[] { ("thread", Wait.Park()), ("pool", Wait.Async()) })
            {
                yield return new Body($"async/now-{name}", world => Handle(world, wait, static _ => ValueTask.CompletedTask));
                yield return new Body($"async/later-{name}", world => Handle(world, wait, static _ => new ValueTask(Task.Run(static () => { }))));
                yield return new Body($"async/resume-halt-{name}", world => ResumeAgainstHalt(world, wait));
                yield return new Body($"async/timeout-heeded-{name}", world => TimeoutHeeded(world, wait));
                yield return new Body($"async/timeout-ignored-{name}", world => TimeoutIgnored(world, wait));
                yield return new Body($"async/dispose-awaited-{name}", world => DisposeAwaited(world, wait));
            }

            yield return new Body("async/fault-later", FaultLater);
            yield return new Body("async/stepped-halt", SteppedAgainstHalt);
            yield return new Body("async/pool-publish", PoolAgainstPublish);
            yield return new Body("async/timer-against-signal", TimerAgainstSignal) { Weight = 6 };
        }
    }

    private static void Handle(World world, Wait wait, Func<CancellationToken, ValueTask> then)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: wait, take: ledger.Take);
        ring.Subscribe(new Awaiting(ledger.Handled, then));
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 3; n++) ledger.Put(producer, n);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() => ledger.Handled.IsExactly(0, 1, 2));
    }

    // The halt waits for the task; what it completes is handled, what is behind it is left over.
    private static void ResumeAgainstHalt(World world, Wait wait)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: wait, take: ledger.Take);
        var go = new TaskCompletionSource();
        var handler = new Awaiting(ledger.Handled, _ => new ValueTask(go.Task));
        ring.Subscribe(handler, new StageOptions { Dispatch = Dispatch.Each() });
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        ledger.Put(producer, 1);
        world.Thread("closer", () =>
        {
            ring.StartAsync().Wait();
            ring.HaltAsync().Wait();
            World.Equal(0, handler.Inside, "handlers that run after the halt");
        });
        world.Thread("resumer", () => go.TrySetResult());
        world.AtEnd(() => ledger.Balance(ring));
    }

    private static void SteppedAgainstHalt(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        var go = new TaskCompletionSource();
        var handler = new Awaiting(ledger.Handled, _ => new ValueTask(go.Task));
        Stage stage = ring.Subscribe(handler, Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        world.Thread("stage", () =>
        {
            stage.Step();
            stage.Step();
        });
        world.Thread("resumer", () => go.TrySetResult());
        world.Thread("closer", () =>
        {
            ring.HaltAsync().Wait();
            World.Equal(0, handler.Inside, "handlers that run after the halt");
        });
        world.AtEnd(() => ledger.Balance(ring));
    }

    // First the token: a batch that gives up by it is a fault of that batch alone.
    private static void TimeoutHeeded(World world, Wait wait)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: wait, take: ledger.Take);
        int calls = 0;
        var handler = new Awaiting(
            ledger.Handled,
            token => new ValueTask(++calls == 1 ? Task.Delay(Modelled.Timeout.InfiniteTimeSpan, token) : Task.CompletedTask));
        Stage stage = ring.Subscribe(handler, new StageOptions
        {
            HandlerTimeout = TimeSpan.FromMilliseconds(5),
            OnFault = FaultPolicy.Skip,
            Dispatch = Dispatch.Each(),
        });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 3; n++) ledger.Put(producer, n);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            ledger.Handled.IsExactly(1, 2);
            World.Equal(1, stage.GetStatistics().Skipped, "skipped");
        });
    }

    // Then the ring: nothing waits for a handler that never returns, and its slots are never taken back.
    private static void TimeoutIgnored(World world, Wait wait)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: wait, take: ledger.Take);
        var never = new TaskCompletionSource();
        var handler = new Awaiting(ledger.Handled, _ => new ValueTask(never.Task));
        ring.Subscribe(handler, new StageOptions { HandlerTimeout = TimeSpan.FromMilliseconds(5) });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 4 && ledger.Put(producer, n); n++)
            {
            }

            ledger.AreRefusals<RingFaultedException>();
            World.Check(ledger.Refusals[0].InnerException is TimeoutException, "of another cause");
        });
        world.AtEnd(() =>
        {
            World.Equal(0, ledger.Left, "taken back from a handler that may still run");
            World.Check(handler.Token.IsCancellationRequested, "its token was never signalled");
        });
    }

    private static void DisposeAwaited(World world, Wait wait)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: wait, take: ledger.Take);
        ring.Subscribe(new Awaiting(ledger.Handled, _ => Later(ring)));
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        world.Thread("owner", () =>
        {
            ring.StartAsync().Wait();
            ring.Completion.Wait();
        });
        world.AtEnd(() =>
        {
            ledger.Handled.IsExactly(0);
            World.Equal(0, ledger.Left, "left over");
        });

        static async ValueTask Later(Ring ring)
        {
            await Task.Run(static () => { });
            await ring.DisposeAsync();
        }
    }

    private static void FaultLater(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Async(), take: ledger.Take);
        int calls = 0;
        var handler = new Awaiting(
            ledger.Handled, _ => new ValueTask(++calls == 1 ? Task.Run(static void () => throw new NotSupportedException()) : Task.CompletedTask));
        Stage stage = ring.Subscribe(handler, new StageOptions { OnFault = FaultPolicy.Retry(1, TimeSpan.FromMilliseconds(1)) });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 3; n++) ledger.Put(producer, n);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            ledger.Handled.IsExactly(0, 1, 2);
            World.Equal(1, stage.GetStatistics().Retries, "retries");
        });
    }

    // An activation that ends armed is queued again by the very next item, whenever that comes.
    private static void PoolAgainstPublish(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(4, ProducerKind.Multi, Wait.Async(), take: ledger.Take);
        ring.Subscribe(new Hooked(ledger.Handled));
        foreach (long own in new[] { 0L, 100L })
        {
            Producer<Item> producer = Parts.Producer(ring);
            world.Thread($"producer {own}", () =>
            {
                ledger.Put(producer, own);
                ledger.Put(producer, own + 1);
            });
        }

        world.Thread("owner", () =>
        {
            ring.StartAsync().Wait();
            World.Until(() => ledger.Handled.Count == 4, "for all to be handled");
        });
        world.AtEnd(() => ledger.Handled.IsOfEach(2, 2));
    }

    // A batch below its minimum is due by age when the item comes that completes it: either takes it, and nobody twice.
    private static void TimerAgainstSignal(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async(), take: ledger.Take);
        ring.Subscribe(
            new Hooked(ledger.Handled),
            new StageOptions { Dispatch = Dispatch.Batch(min: 2, maxAge: TimeSpan.FromMilliseconds(3)) });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            ledger.Put(producer, 0);
            World.Until(static () => true, "a moment");
            ledger.Put(producer, 1);
            ledger.Put(producer, 2);
            World.Until(() => ledger.Handled.Count == 3, "for all to be handled");
        });
        world.AtEnd(() => ledger.Handled.IsExactly(0, 1, 2));
    }

    /// <summary>Logs a batch once its task has completed.</summary>
    private sealed class Awaiting(Log log, Func<CancellationToken, ValueTask> then) : IAsyncBatchHandler<Item>
    {
        public int Inside { get; private set; }

        public CancellationToken Token { get; private set; }

        public async ValueTask OnBatchAsync(AsyncBatch<Item> batch, CancellationToken cancellation)
        {
            Token = cancellation;
            World.Equal(1, ++Inside, "batches at a time");
            try
            {
                await then(cancellation).ConfigureAwait(false);
                for (int i = 0; i < batch.Count; i++) log.Add(in batch[i]);
            }
            finally
            {
                Inside--;
            }
        }
    }
}
