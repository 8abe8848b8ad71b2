using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Handlers that publish and close: into their own ring they never wait, into another one they do.</summary>
internal static class ReentrancyBodies
{
    private static readonly TimeSpan s_ample = TimeSpan.FromSeconds(5);

    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("reentrancy/own-ring", OwnRing);
            yield return new Body("reentrancy/own-ring-async", OwnRingAsync);
            yield return new Body("reentrancy/other-ring-full", OtherRing);
            yield return new Body("reentrancy/stop-hook-full", StopHook);
            yield return new Body("reentrancy/unprocessed-publishes", Unprocessed);
            yield return new Body("reentrancy/dispose-in-handler", DisposeInHandler);
            yield return new Body("reentrancy/drain-in-handler", DrainInHandler);
            yield return new Body("reentrancy/mark-spreads", MarkSpreads);
        }
    }

    // With a producer of its own it publishes where there is room, and is told at once where there is none.
    private static void OwnRing(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(2, ProducerKind.Multi, Wait.Park(), take: ledger.Take);
        Producer<Item> own = Parts.Producer(ring);
        Stage stage = ring.Subscribe(
            new Acting(ledger.Handled, value =>
            {
                if (value < 100) Echo(ledger, own, value);
            }),
            Parts.Stepped());
        ring.Start();
        bool published = false;
        Producer<Item> outer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 3; n++) ledger.Put(outer, n);
            published = true;
        });
        world.Thread("stage", () =>
        {
            while (!published || ledger.Handled.Count < ledger.Accepted)
                if (stage.Step().Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
        });
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            ledger.AreRefusals<ReentrantPublishException>();
        });
    }

    private static void Echo(Ledger ledger, Producer<Item> own, long value)
    {
        if (value != 1)
        {
            ledger.Put(own, value + 100);
            return;
        }

        ledger.TryPut(own, value + 100);
    }

    private static void OwnRingAsync(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(2, wait: Wait.Async(), take: ledger.Take);
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        ledger.Put(producer, 1);
        ring.Subscribe(new Late(() =>
        {
            if (ledger.Accepted == 2) ledger.Put(producer, 2);
        }));
        world.Thread("owner", () =>
        {
            ring.StartAsync().Wait();
            World.Until(() => ledger.Refusals.Count == 1, "for the refusal");
        });
        world.AtEnd(ledger.AreRefusals<ReentrantPublishException>);
    }

    private static void OtherRing(World world)
    {
        var first = new Ledger();
        var second = new Ledger();
        RingBuffer<Item> from = Parts.Ring(wait: Wait.Park(), take: first.Take);
        RingBuffer<Item> to = Parts.Ring(wait: Wait.Park(), take: second.Take);
        Producer<Item> forward = Parts.Producer(to);
        Stage sends = from.Subscribe(new Acting(first.Handled, value => second.Put(forward, value)), Parts.Stepped());
        Stage receives = to.Subscribe(new Hooked(second.Handled), Parts.Stepped());
        from.Start();
        to.Start();
        Producer<Item> producer = Parts.Producer(from);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 4; n++) first.Put(producer, n);
        });
        world.Thread("sends", () => Parts.StepUntil(sends, first.Handled, 4));
        world.Thread("receives", () => Parts.StepUntil(receives, second.Handled, 4));
        world.AtEnd(() => second.Handled.IsExactly(0, 1, 2, 3));
    }

    // A hook that waited for room would wait for the end that waits for it.
    private static void StopHook(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        Producer<Item> producer = Parts.Producer(ring);
        var handler = new Parting(new Log(), () => ledger.Put(producer, 9));
        ring.Subscribe(handler);
        world.Thread("owner", () =>
        {
            ledger.Put(producer, 0);
            ledger.Put(producer, 1);
            ring.StartAsync().Wait();
            ring.HaltAsync().Wait();
        });
        world.AtEnd(() =>
        {
            handler.HasEnded();
            World.Equal(1, ledger.Refusals.Count, "refusals");
        });
    }

    private static void Unprocessed(World world)
    {
        Producer<Item>? producer = null;
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: (ref Item item) =>
        {
            ledger.Take(ref item);
            World.Check(!ledger.TryPut(producer!, 9), "published into a ring that has ended");
        });
        ring.Subscribe(new Hooked(ledger.Handled));
        producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        ledger.Put(producer, 1);
        world.Thread("starter", () =>
        {
            try
            {
                ring.StartAsync().Wait();
            }
            catch (InvalidOperationException)
            {
                // Halted before.
            }
        });
        world.Thread("closer", () => ring.HaltAsync().Wait());
        world.AtEnd(() => ledger.Balance(ring));
    }

    // It begins, and returns: what is there is still handled.
    private static void DisposeInHandler(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        ring.Subscribe(new Acting(ledger.Handled, _ => ring.DisposeAsync().AsTask().Wait()));
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        world.Thread("owner", () =>
        {
            ring.StartAsync().Wait();
            ledger.Put(producer, 1);
            ring.Completion.Wait();
        });
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            World.Equal(0, ledger.Left, "left over");
        });
    }

    private static void DrainInHandler(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        Task<DrainResult>? drain = null;
        ring.Subscribe(new Acting(ledger.Handled, _ => drain ??= ring.DrainAsync(s_ample)));
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        world.Thread("owner", () =>
        {
            ring.StartAsync().Wait();
            ledger.Put(producer, 1);
            ring.Completion.Wait();
            World.Check(drain!.Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            World.Equal(0, ledger.Left, "left over");
        });
    }

    // The driver finds a task completed that ran on another thread. What ran there may go on with the mark of the call.
    private static void MarkSpreads(World world)
    {
        object owner = new();
        world.Thread("driver", () =>
        {
            for (int n = 0; n < 3; n++)
            {
                Reentrancy.Call call = Reentrancy.Begin(owner);
                Task elsewhere = Task.Run(static () => Task.CompletedTask);
                bool isOver = elsewhere.IsCompleted;
                call.EndAtOnce();
                Reentrancy.Call next = Reentrancy.Begin(owner);
                World.Check(!isOver || next != call, "a call that has run elsewhere shares its mark with the next one");
                World.Check(next == call || !call.IsUnderWayFor(owner), "a call that has ended is under way");
                World.Check(next.IsUnderWayFor(owner), "a call that has begun is not under way");
                next.EndAtOnce();
            }
        });
    }

    private sealed class Acting(Log log, Action<long> act) : Hooked(log)
    {
        protected override void Handle(ref Item item)
        {
            base.Handle(ref item);
            act(item.Value);
        }
    }

    private sealed class Parting(Log log, Action act) : Hooked(log)
    {
        public override void OnStop()
        {
            base.OnStop();
            act();
        }
    }

    private sealed class Late(Action act) : IAsyncBatchHandler<Item>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<Item> batch, CancellationToken cancellation)
        {
            await Task.Run(static () => { }).ConfigureAwait(false);
            act();
        }
    }
}
