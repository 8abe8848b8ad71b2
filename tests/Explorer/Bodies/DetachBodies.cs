using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Stages that leave a ring which goes on, or drains.</summary>
internal static class DetachBodies
{
    private static readonly TimeSpan s_ample = TimeSpan.FromSeconds(5);

    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("fault/detach-producer-blocked", world => Detach(world, drains: false));
            yield return new Body("fault/detach-draining", world => Detach(world, drains: true));
            yield return new Body("fault/detach-call-publish", DetachCall);
            yield return new Body("fault/detach-own-thread", DetachOwnThread);
        }
    }

    // A side branch that dies lets the producer go that waits for its slots, also while the ring drains.
    private static void Detach(World world, bool drains)
    {
        var ledger = new Ledger();
        var side = new Log();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        Stage main = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        Stage branch = ring.Subscribe(new Failing(side, 0, 1), Parts.Stepped() with { OnFault = FaultPolicy.Detach });
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        world.Thread("producer", () =>
        {
            if (drains) World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
            else for (int n = 1; n < 4; n++) ledger.Put(producer, n);
        });
        world.Thread("main", () => Parts.StepUntil(main, ledger.Handled, drains ? 1 : 4));
        world.Thread("branch", () => branch.StepToTheEnd());
        world.AtEnd(() =>
        {
            side.IsExactly();
            World.Equal(drains ? 1 : 4, ledger.Handled.Count, "handled");
            World.Check(branch.Fault is NotSupportedException, "why it has left is not told");
        });
    }

    // It ends within its call, and the producer that waits for its slots goes on.
    private static void DetachCall(World world)
    {
        var ledger = new Ledger();
        var leaving = new Hooked(new Log());
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        Stage main = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        Stage branch = ring.Subscribe(leaving, Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 4; n++) ledger.Put(producer, n);
        });
        world.Thread("main", () => Parts.StepUntil(main, ledger.Handled, 4));
        world.Thread("branch", () => branch.Step(1));
        world.Thread("owner", () =>
        {
            ring.DetachAsync(branch).Wait();
            leaving.HasEnded();
        });
        world.AtEnd(() => ledger.Handled.IsExactly(0, 1, 2, 3));
    }

    private static void DetachOwnThread(World world)
    {
        var ledger = new Ledger();
        var leaving = new Hooked(new Log());
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park(), take: ledger.Take);
        Stage main = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        Stage branch = ring.Subscribe(leaving, new StageOptions { After = [main] });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("owner", () =>
        {
            Task start = ring.StartAsync();
            ring.DetachAsync(branch).Wait();
            leaving.HasEnded();
            try
            {
                start.Wait();
            }
            catch (InvalidOperationException)
            {
                // Left before it was launched.
            }
        });
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 3; n++) ledger.Put(producer, n);
        });
        world.Thread("main", () => Parts.StepUntil(main, ledger.Handled, 3));
        world.AtEnd(() => ledger.Handled.IsExactly(0, 1, 2));
    }
}
