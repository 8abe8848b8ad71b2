using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Stages that share a thread, and handlers of single items.</summary>
internal static class GroupBodies
{
    private static readonly TimeSpan s_ample = TimeSpan.FromSeconds(5);

    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("group/publish", world => Together(world, Wait.Park(), leaves: false));
            yield return new Body("group/publish-pool", world => Together(world, Wait.Async(), leaves: false));
            yield return new Body("group/one-leaves", world => Together(world, Wait.Park(), leaves: true));
            yield return new Body("group/start-halt", StartAgainstHalt);
            yield return new Body("group/hook-throws", HookThrows);
            yield return new Body("group/events-single", world => Events(world, Dispatch.Single));
            yield return new Body("group/events-each", world => Events(world, Dispatch.Each(progressInterval: 1)));
            yield return new Body("group/events-halt", EventsAgainstHalt);
            yield return new Body("group/spin-and-yield", SpinAndYield);
        }
    }

    // The second follows the first on the same thread; with a failing second one the first goes on alone.
    private static void Together(World world, Wait wait, bool leaves)
    {
        var first = new Log();
        var second = new Log();
        RingBuffer<Item> ring = Parts.Ring(wait: wait, producerWait: Wait.Park());
        var options = new StageOptions { InGroup = true };
        Stage head = ring.Subscribe(new Reader(first), options);
        Stage tail = ring.Subscribe(
            (ref Item item) =>
            {
                if (leaves) throw new NotSupportedException();
                second.Add(in item);
            },
            options with { After = [head], OnFault = FaultPolicy.Detach });
        ring.DriveTogether(new FusedStages([head, tail]), wait, "both");
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 3; n++) producer.Put(n);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            first.IsExactly(0, 1, 2);
            if (!leaves) second.IsExactly(0, 1, 2);
            World.Equal(leaves, tail.Fault is not null, "left by its policy");
        });
    }

    private static void StartAgainstHalt(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park());
        Hooked[] handlers = [new(new Log()), new(new Log())];
        Stage[] stages = [.. handlers.Select(handler => ring.Subscribe(handler, new StageOptions { InGroup = true }))];
        ring.DriveTogether(new FusedStages(stages), Wait.Park(), "both");
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
        world.AtEnd(() =>
        {
            foreach (Hooked handler in handlers) handler.HasEnded();
        });
    }

    private static void HookThrows(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.Park());
        var good = new Hooked(new Log());
        Stage[] stages =
        [
            ring.Subscribe(good, new StageOptions { InGroup = true }),
            ring.Subscribe(new Refusing(), new StageOptions { InGroup = true }),
        ];
        ring.DriveTogether(new FusedStages(stages), Wait.Park(), "both");
        var ledger = new Ledger();
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
                World.Equal(1, good.Stops, "stop hooks");
            }
        });
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 3; n++) ledger.Put(producer, n);
            ledger.AreRefusals<RingFaultedException>();
        });
    }

    private static void Events(World world, Dispatch dispatch)
    {
        var first = new Log();
        var second = new Log();
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Park());
        Stage head = ring.Subscribe(new Each(first), Parts.Stepped(dispatch));
        Stage tail = ring.Slots.SubscribeEvents(new EachAsStruct(second), Parts.Stepped(dispatch) with { After = [head] });
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 6; n++) producer.Put(n);
        });
        world.Thread("head", () => Parts.StepUntil(head, first, 6));
        world.Thread("tail", () => Parts.StepUntil(tail, second, 6));
        world.AtEnd(() =>
        {
            first.IsExactly(0, 1, 2, 3, 4, 5);
            second.IsExactly(0, 1, 2, 3, 4, 5);
        });
    }

    // Single items are not handled on behind the halt: what is left of the batch is counted.
    private static void EventsAgainstHalt(World world)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Park(), take: ledger.Take);
        Stage stage = ring.Subscribe(new Each(ledger.Handled), Parts.Stepped(Dispatch.Single));
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        for (int n = 0; n < 4; n++) ledger.Put(producer, n);
        world.Thread("stage", () => stage.Step());
        world.Thread("closer", () => ring.HaltAsync().Wait());
        world.AtEnd(() => ledger.Balance(ring));
    }

    private static void SpinAndYield(World world)
    {
        var first = new Log();
        var second = new Log();
        RingBuffer<Item> ring = Parts.Ring(wait: Wait.BusySpin(), producerWait: Wait.Yield());
        Stage head = ring.Subscribe(new Reader(first), new StageOptions { Wait = Wait.Yield() });
        ring.Subscribe(new Reader(second), new StageOptions { After = [head] });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 3; n++) producer.Put(n);
            World.Until(() => second.Count == 3, "for all to be handled");
        });
        world.AtEnd(() => second.IsExactly(0, 1, 2));
    }

    private sealed class Refusing() : Hooked(new Log())
    {
        public override void OnStart() => throw new NotSupportedException();
    }

    private sealed class Each(Log log) : IEventHandler<Item>
    {
        public void OnEvent(ref Item item, long sequence, bool endOfBatch)
        {
            World.Equal(sequence, item.Value, "sequence");
            log.Add(in item);
        }
    }

    private struct EachAsStruct(Log log) : IEventHandler<Item>
    {
        private long _expected;

        public void OnEvent(ref Item item, long sequence, bool endOfBatch)
        {
            World.Equal(_expected++, sequence, "a struct's state");
            log.Add(in item);
        }
    }
}
