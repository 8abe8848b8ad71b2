using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Handlers that throw while others wait for them.</summary>
internal static class FaultBodies
{
    private static readonly TimeSpan s_ample = TimeSpan.FromSeconds(5);

    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("fault/stop-producer-blocked", StopWithAll);
            yield return new Body("fault/skip-producer-blocked", world => PassOver(world, FaultPolicy.Skip, 0));
            yield return new Body("fault/retry-backoff", world => PassOver(world, FaultPolicy.Retry(1, TimeSpan.FromMilliseconds(2), FaultPolicy.Skip), 1));
            yield return new Body("fault/retry-at-once-pool", world => PassOver(world, FaultPolicy.Retry(1, TimeSpan.Zero, FaultPolicy.Skip), 1, Wait.Async()));
            yield return new Body("fault/retry-backoff-pool", world => PassOver(world, FaultPolicy.Retry(1, TimeSpan.FromMilliseconds(2), FaultPolicy.Skip), 1, Wait.Async()));
            yield return new Body("fault/skip-unmarked-batch", world => SkipUnmarked(world, Wait.Park()));
            yield return new Body("fault/skip-unmarked-batch-pool", world => SkipUnmarked(world, Wait.Async()));
            yield return new Body("fault/dead-letter", DeadLetter);
            yield return new Body("fault/decide", Decide);
            yield return new Body("fault/claim-timeout", ClaimTimeout);
            yield return new Body("fault/interrupt-stage", InterruptStage);
            yield return new Body("fault/two-at-once", TwoAtOnce);
        }
    }

    private static void StopWithAll(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        Stage first = ring.Subscribe(new Failing(ledger.Handled, 1));
        var passed = new Log();
        ring.Subscribe(new Hooked(passed), new StageOptions { After = [first] });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 5 && ledger.Put(producer, n); n++)
            {
            }

            World.Check(ledger.Refusals.Count == 1, "published beyond what a dead stage holds");
            var fault = (RingFaultedException)ledger.Refusals[0];
            World.Check(fault is { InnerException: NotSupportedException, Stage: "stage-1" }, fault.Message);
            Fault(ring);
        });
        world.AtEnd(() =>
        {
            ledger.Handled.IsExactly(0);
            World.Equal(ledger.Accepted, passed.Count + ledger.Left, "handled by both, and left over");
            World.Equal(ledger.Left, ring.Unprocessed, "unprocessed");
        });
    }

    // 1 fails, twice where it is retried; the others are handled, and the producer that waits for its slot goes on.
    private static void PassOver(World world, FaultPolicy policy, int retries, Wait? wait = null)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: wait ?? Wait.Park(), take: ledger.Take);
        Stage stage = ring.Subscribe(new Failing(ledger.Handled, 1), new StageOptions { OnFault = policy, Dispatch = Dispatch.Each() });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 4; n++) ledger.Put(producer, n);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            ledger.Handled.IsExactly(0, 2, 3);
            StageStatistics done = stage.GetStatistics();
            World.Equal(1, done.Skipped, "skipped");
            World.Equal(retries, done.Retries, "retries");
        });
    }

    // A batch without marks is run again in halves. The handler does all of a call or nothing: each item that does not fail is
    // handled once, whatever its batches were.
    private static void SkipUnmarked(World world, Wait wait)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(4, wait: wait, take: ledger.Take);
        Stage stage = ring.Subscribe(new FailingWhole(ledger.Handled, 1), new StageOptions { OnFault = FaultPolicy.Skip });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 4; n++) ledger.Put(producer, n);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            ledger.Handled.IsExactly(0, 2, 3);
            World.Equal(1, stage.GetStatistics().Skipped, "skipped");
        });
    }

    private static void DeadLetter(World world)
    {
        var ledger = new Ledger();
        var letters = new Log();
        RingBuffer<Item> ring = Parts.Ring(4, ProducerKind.Multi, Wait.Park(), take: ledger.Take);
        FaultPolicy policy = FaultPolicy.DeadLetter((ref Item item, in FaultContext _) => letters.Add(in item));
        Stage stage = ring.Subscribe(new Failing(ledger.Handled, 1), Parts.Stepped(Dispatch.Each()) with { OnFault = policy });
        ring.Start();
        foreach (long from in new[] { 0L, 100L })
        {
            Producer<Item> producer = Parts.Producer(ring);
            world.Thread($"producer {from}", () =>
            {
                ledger.Put(producer, from);
                ledger.Put(producer, from + 1);
            });
        }

        world.Thread("stage", () =>
        {
            while (ledger.Handled.Count + letters.Count < 4)
                if (stage.Step().Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
        });
        world.AtEnd(() =>
        {
            letters.IsExactly(1);
            World.Check(ledger.Handled.Values.Order().SequenceEqual([0, 100, 101]), "not every other was handled once");
        });
    }

    private static void Decide(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        FaultPolicy policy = FaultPolicy.Decide(
            (ref Item item, in FaultContext context) => context.Attempt == 1 ? FaultAction.Retry : item.Value == 0 ? FaultAction.Skip : FaultAction.Stop,
            TimeSpan.FromMilliseconds(1));
        ring.Subscribe(new Failing(ledger.Handled, 0, 1), new StageOptions { OnFault = policy, Dispatch = Dispatch.Each() });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 5 && ledger.Put(producer, n); n++)
            {
            }

            ledger.AreRefusals<RingFaultedException>();
            Fault(ring);
        });
        world.AtEnd(() =>
        {
            ledger.Handled.IsExactly();
            World.Equal(ledger.Accepted - 1, ledger.Left, "left over behind the one passed over");
        });
    }

    private static void ClaimTimeout(World world)
    {
        var ledger = new Ledger();
        var ring = new RingBuffer<Item>(4, new RingOptions<Item>
        {
            Producers = ProducerKind.Multi,
            MaxProducers = 2,
            Wait = Wait.Park(),
            ProducerWait = Wait.Park(),
            CheckProducer = false,
            ClaimTimeout = TimeSpan.FromMilliseconds(5),
            OnUnprocessed = ledger.Take,
        });
        ring.Subscribe(new Hooked(ledger.Handled));
        Producer<Item> loses = Parts.Producer(ring);
        Producer<Item> other = Parts.Producer(ring);
        world.Thread("loses", () =>
        {
            ring.StartAsync().Wait();
            _ = loses.Claim();
        });
        world.Thread("other", () =>
        {
            for (int n = 0; n < 6 && ledger.Put(other, n); n++)
            {
            }

            Fault(ring);
        });
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            ledger.AreRefusals<RingFaultedException>();
            World.Check(ledger.Refusals.TrueForAll(refusal => refusal.InnerException is TimeoutException), "of another cause");
        });
    }

    // Swallowed where it sleeps, whatever it meets.
    private static void InterruptStage(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        var handler = new Naming(ledger.Handled);
        ring.Subscribe(handler);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            ledger.Put(producer, 0);
            ledger.Put(producer, 1);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.Thread("other", () =>
        {
            World.Until(() => handler.Thread is not null, "for the stage's thread");
            handler.Thread!.Interrupt();
        });
        world.AtEnd(() => ledger.Handled.IsExactly(0, 1));
    }

    // Two stages die at once: the ring tells of one, and ends once.
    private static void TwoAtOnce(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        Stage[] stages = [.. Enumerable.Range(0, 2).Select(_ => ring.Subscribe(new Failing(new Log(), 0), Parts.Stepped()))];
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        foreach (Stage stage in stages) world.Thread("stage", () => stage.Step());
        world.Thread("owner", () =>
        {
            Fault(ring);
            ledger.Put(producer, 1);
        });
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            ledger.AreRefusals<RingFaultedException>();
        });
    }

    private static void Fault(Ring ring)
    {
        try
        {
            ring.Completion.Wait();
            World.Check(false, "the ring has not faulted");
        }
        catch (RingFaultedException)
        {
            World.Equal(RingState.Faulted, ring.State, "state");
        }
    }

    private sealed class Naming(Log log) : Hooked(log)
    {
        public Modelled.Thread? Thread { get; private set; }

        public override void OnStart()
        {
            base.OnStart();
            Thread = Modelled.Thread.CurrentThread;
        }
    }
}
