using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Rings that start while they end: each start hook has its stop hook, and what was published is handled or counted.</summary>
internal static class StartBodies
{
    private static readonly TimeSpan s_ample = TimeSpan.FromSeconds(5);

    public static IEnumerable<Body> All
    {
        get
        {
            foreach ((string name, Wait wait) in new[] { ("thread", Wait.Park()), ("pool", Wait.Async()) })
            {
                yield return new Body($"start/halt-{name}", world => Race(world, wait, static ring => ring.HaltAsync().Wait()));
                yield return new Body($"start/dispose-{name}", world => Race(world, wait, static ring => ring.DisposeAsync().AsTask().Wait()));
                yield return new Body($"start/drain-{name}", world => DrainBefore(world, wait));
                yield return new Body($"start/hook-throws-{name}", world => HookThrows(world, wait));
            }

            yield return new Body("start/never-dispose", NeverStarted);
            yield return new Body("start/twice", Twice);
            yield return new Body("start/stop-hook-throws", StopHookThrows);
            yield return new Body("start/attach-halt", AttachAgainstHalt);
            yield return new Body("start/stepped-hook-once", SteppedHook);
        }
    }

    private static void Race(World world, Wait wait, Action<Ring> close)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: wait, take: ledger.Take);
        Hooked[] handlers = [new(ledger.Handled), new(new Log())];
        foreach (Hooked handler in handlers) ring.Subscribe(handler);
        ledger.Put(Parts.Producer(ring), 1);
        world.Thread("starter", () => TryStart(ring));
        world.Thread("closer", () =>
        {
            close(ring);
            foreach (Hooked handler in handlers) handler.HasEnded();
        });
        world.AtEnd(() =>
        {
            ledger.BalanceGated(ring);
            foreach (Hooked handler in handlers) handler.HasEnded();
            World.Equal(RingState.Stopped, ring.State, "state");
        });
    }

    // A drain waits for stages that have not been started yet.
    private static void DrainBefore(World world, Wait wait)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: wait, take: ledger.Take);
        var handler = new Hooked(ledger.Handled);
        ring.Subscribe(handler);
        ledger.Put(Parts.Producer(ring), 1);
        world.Thread("closer", () => World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained"));
        world.Thread("starter", () => ring.StartAsync().Wait());
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            ledger.Handled.IsExactly(1);
            handler.HasEnded();
        });
    }

    private static void HookThrows(World world, Wait wait)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: wait, take: ledger.Take);
        var good = new Hooked(ledger.Handled);
        ring.Subscribe(good);
        ring.Subscribe(new Refusing());
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("starter", () =>
        {
            try
            {
                ring.StartAsync().Wait();
                World.Check(false, "the start hook's exception was lost");
            }
            catch (NotSupportedException)
            {
                good.HasEnded();
                World.Equal(1, good.Stops, "stop hooks");
            }

            World.Equal(RingState.Faulted, ring.State, "state");
        });
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 3 && ledger.Put(producer, n); n++)
            {
            }
        });
        world.AtEnd(() => ledger.AreRefusals<RingFaultedException>());
    }

    private static void NeverStarted(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take, drainMilliseconds: 30);
        var handler = new Hooked(ledger.Handled);
        ring.Subscribe(handler);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 3 && ledger.Put(producer, n); n++)
            {
            }
        });
        world.Thread("closer", () => ring.DisposeAsync().AsTask().Wait());
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            World.Equal(0, handler.Starts, "start hooks");
            ledger.AreRefusals<ObjectDisposedException>();
        });
    }

    private static void Twice(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park());
        var handler = new Hooked(new Log());
        ring.Subscribe(handler);
        int started = 0;
        for (int i = 0; i < 2; i++)
        {
            world.Thread("starter", () =>
            {
                if (TryStart(ring)) started++;
            });
        }

        world.AtEnd(() =>
        {
            World.Equal(1, started, "starts");
            World.Equal(1, handler.Starts, "start hooks");
        });
    }

    private static void StopHookThrows(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park());
        var bad = new BadStop();
        var good = new Hooked(new Log());
        ring.Subscribe(bad);
        ring.Subscribe(good);
        Producer<Item> producer = Parts.Producer(ring);
        var ledger = new Ledger();
        world.Thread("owner", () =>
        {
            ring.StartAsync().Wait();
            ring.HaltAsync().Wait();
            World.Equal(RingState.Faulted, ring.State, "state");
            World.Check(ring.Completion.IsFaulted, "the stop hook's exception was lost");
            good.HasEnded();
            World.Equal(1, bad.Stops, "stop hooks");
        });
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 3 && ledger.Put(producer, n); n++)
            {
            }
        });
    }

    // Attached while it ends: refused, or ended with the ring.
    private static void AttachAgainstHalt(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park());
        var handler = new Hooked(new Log());
        world.Thread("owner", () =>
        {
            ring.StartAsync().Wait();
            ring.HaltAsync().Wait();
            handler.HasEnded();
        });
        world.Thread("joiner", () =>
        {
            try
            {
                ring.Subscribe(handler);
            }
            catch (InvalidOperationException refusal)
            {
                World.Equal(0, handler.Starts, refusal.Message);
            }
        });
        world.AtEnd(handler.HasEnded);
    }

    // The start hook of a stepped stage runs in its first step, also while the ring is halted.
    private static void SteppedHook(World world)
    {
        RingBuffer<Item> ring = Parts.Ring();
        var handler = new Hooked(new Log());
        Stage stage = ring.Subscribe(handler, Parts.Stepped());
        ring.Start();
        world.Thread("stage", () => stage.Step());
        world.Thread("closer", () =>
        {
            ring.HaltAsync().Wait();
            handler.HasEnded();
        });
        world.AtEnd(handler.HasEnded);
    }

    private static bool TryStart(Ring ring)
    {
        try
        {
            ring.StartAsync().Wait();
            return true;
        }
        catch (InvalidOperationException)
        {
            // Ended, or started, before it could.
            return false;
        }
    }

    private sealed class Refusing() : Hooked(new Log())
    {
        public override void OnStart() => throw new NotSupportedException();
    }

    private sealed class BadStop() : Hooked(new Log())
    {
        public override void OnStop()
        {
            base.OnStop();
            throw new NotSupportedException();
        }
    }
}
