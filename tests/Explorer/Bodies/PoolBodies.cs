using System.Runtime.CompilerServices;
using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Stages on the thread pool: what makes the next one ready goes on with it, and nobody waits for a handler that blocks.</summary>
internal static class PoolBodies
{
    private static readonly TimeSpan s_ample = TimeSpan.FromSeconds(5);
    private static readonly long s_slice = Clock.Ticks(TimeSpan.FromMicroseconds(50));

    public static IEnumerable<Body> All
    {
        get
        {
            yield return Of("pool/chain", static world => Chain(world));
            yield return Of("pool/two-follow", static world => TwoFollow(world));
            yield return Of("pool/chain-each-step-takes-a-slice", static world => Chain(world, takes: s_slice));
            yield return Of("pool/goes-on-while-another-waits", GoesOnWhileAnotherWaits);
            yield return Of("pool/stays-ready", world => StaysReady(world, static other => TwoFollow(other)));
            yield return Of("pool/stays-ready-while-another-blocks", world => StaysReady(world, static other => HandlerBlocks(other)));
            yield return Of("pool/handler-blocks", static world => HandlerBlocks(world));
            yield return Of("pool/handler-blocks-in-its-step", static world => HandlerBlocksInItsStep(world));
            yield return Of("pool/handler-waits-for-another-ring", HandlerWaitsForAnotherRing);
            yield return Of("pool/start-hook-is-no-step", StartHookIsNoStep);
            yield return Of("pool/together/chain", world => Chain(world, together: true));
            yield return Of("pool/together/two-follow", world => TwoFollow(world, together: true));
            yield return Of("pool/together/handler-blocks", world => HandlerBlocks(world, together: true));
            yield return Of("pool/together/handler-blocks-in-its-step", world => HandlerBlocksInItsStep(world, together: true));
            yield return Of("pool/together/handler-waits-for-what-an-earlier-stage-made-ready", HandlerWaitsForAStageApart);
            yield return Of("pool/together/stage-leaves", StageLeaves);
            yield return Of("pool/together/parts-and-joins", PartsAndJoins);
        }
    }

    // What the queue counts never goes below nothing.
    private static Body Of(string name, Action<World> body) => new(name, world =>
    {
        world.Invariant(static () =>
        {
            (long work, int soon) = (Work(ReadyQueue.Shared), BackSoon(ReadyQueue.Shared));
            return work < 0 || soon < 0 ? $"units that are ready may take {work}, and {soon} threads are back soon" : null;
        });
        body(world);
    });

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_work")]
    private static extern ref long Work(ReadyQueue queue);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_backSoon")]
    private static extern ref int BackSoon(ReadyQueue queue);

    private static void Chain(World world, bool together = false, long takes = 0)
    {
        var first = new Log();
        var second = new Log();
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async());
        Stage head = ring.Subscribe(new Reader(first, takes));
        ring.Subscribe(new Reader(second, takes), new StageOptions { After = [head] });
        if (together) ring.StepTogether(ring.Stages);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            producer.Put(0);
            World.Until(() => second.Count == 1, "for the first item");
            producer.Put(1);
            producer.Put(2);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            first.IsExactly(0, 1, 2);
            second.IsExactly(0, 1, 2);
        });
    }

    private static void TwoFollow(World world, bool together = false)
    {
        Log[] logs = [new(), new(), new()];
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async());
        Stage head = ring.Subscribe(new Reader(logs[0]));
        for (int i = 1; i < 3; i++) ring.Subscribe(new Reader(logs[i]), new StageOptions { After = [head] });
        if (together) ring.StepTogether(ring.Stages);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 2; n++) producer.Put(n);
            World.Until(() => logs[1].Count == 2 && logs[2].Count == 2, "for both to have all");
        });
        world.AtEnd(() =>
        {
            foreach (Log log in logs) log.IsExactly(0, 1);
        });
    }

    // What finds nothing stays ready for the next item.
    private static void StaysReady(World world, Action<World> body)
    {
        ReadyQueue.Shared = new ReadyQueue(Clock.Machine, TimeSpan.FromHours(1));
        body(world);
    }

    // The last stage was quick with the first item, and blocks with the second, until the first stage has the third.
    private static void HandlerBlocks(World world, bool together = false)
    {
        var first = new Log();
        var second = new Log();
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async());
        Stage head = ring.Subscribe(new Reader(first));
        ring.Subscribe(
            (ref Item item) =>
            {
                if (item.Value == 1) World.Until(() => first.Count == 3, "for the first stage to have all");
                second.Add(in item);
            },
            new StageOptions { After = [head] });
        if (together) ring.StepTogether(ring.Stages);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            producer.Put(0);
            World.Until(() => second.Count == 1, "for the second to have one");
            producer.Put(1);
            World.Until(() => first.Count == 2, "for the first to have two");
            producer.Put(2);
            World.Until(() => second.Count == 3, "for the second to have all");
        });
        world.AtEnd(() =>
        {
            first.IsExactly(0, 1, 2);
            second.IsExactly(0, 1, 2);
        });
    }

    // The first stage has reported an item of its step, and blocks with the next one until the second stage has that.
    private static void HandlerBlocksInItsStep(World world, bool together = false)
    {
        var first = new Log();
        var second = new Log();
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async());
        Stage head = ring.Subscribe(
            (ref Item item) =>
            {
                if (item.Value > 0) World.Until(() => second.Count > 0, "for the second stage to have the first item");
                first.Add(in item);
            },
            new StageOptions { Dispatch = Dispatch.Each(progressInterval: 1) });
        ring.Subscribe(new Reader(second), new StageOptions { After = [head] });
        if (together) ring.StepTogether(ring.Stages);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 2; n++) producer.Put(n);
            World.Until(() => second.Count == 2, "for the second to have both");
        });
        world.AtEnd(() =>
        {
            first.IsExactly(0, 1);
            second.IsExactly(0, 1);
        });
    }

    // A handler hands its item to another ring, and waits until that one has handled it.
    private static void HandlerWaitsForAnotherRing(World world)
    {
        var first = new Log();
        var second = new Log();
        RingBuffer<Item> other = Parts.Ring(4, wait: Wait.Async());
        other.Subscribe(new Reader(second));
        Producer<Item> inner = Parts.Producer(other);
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async());
        ring.Subscribe((ref Item item) =>
        {
            int before = second.Count;
            inner.Put(before);
            World.Until(() => second.Count > before, "for the other ring to have it");
            first.Add(in item);
        });
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            other.StartAsync().Wait();
            ring.StartAsync().Wait();
            for (int n = 0; n < 2; n++) producer.Put(n);
            World.Until(() => first.Count == 2, "for both to be handled");
        });
        world.AtEnd(() =>
        {
            first.IsExactly(0, 1);
            second.IsExactly(0, 1);
        });
    }

    // It is short at first. Then its thread goes on with it for longer than a wake-up takes, and in the end it waits for the other ring.
    private static void GoesOnWhileAnotherWaits(World world)
    {
        var first = new Log();
        var second = new Log();
        RingBuffer<Item> other = Parts.Ring(4, wait: Wait.Async());
        other.Subscribe(new Reader(second));
        Producer<Item> inner = Parts.Producer(other);
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async());
        ring.Subscribe(
            (ref Item item) =>
            {
                World.Passes(ReadyQueue.WakeUp * 3 / 5);
                if (item.Value == 1) inner.Put(1);
                if (item.Value == 3) World.Until(() => second.Count == 2, "for the other ring to have it");
                first.Add(in item);
            },
            Dispatch.Each(max: 1));
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            other.StartAsync().Wait();
            ring.StartAsync().Wait();
            inner.Put(0);
            World.Until(() => second.Count == 1, "for the other ring to be cheap");
            producer.Put(0);
            World.Until(() => first.Count == 1, "for the first item");
            for (int n = 1; n < 4; n++) producer.Put(n);
            World.Until(() => first.Count == 4, "for all to be handled");
        });
        world.AtEnd(() =>
        {
            first.IsExactly(0, 1, 2, 3);
            second.IsExactly(0, 1);
        });
    }

    // A stage that is no part of the group follows its first one, and its last one waits for that stage in its handler.
    private static void HandlerWaitsForAStageApart(World world)
    {
        Log[] logs = [new(), new(), new()];
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async());
        Stage head = ring.Subscribe(new Reader(logs[0]));
        Stage tail = ring.Subscribe(
            (ref Item item) =>
            {
                long value = item.Value;
                World.Until(() => logs[2].Count > value, "for the stage apart to have it");
                logs[1].Add(in item);
            },
            new StageOptions { After = [head] });
        ring.Subscribe(new Reader(logs[2]), new StageOptions { After = [head] });
        ring.StepTogether([head, tail]);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 2; n++)
            {
                producer.Put(n);
                World.Until(() => logs[1].Count > n, "for the last stage to have it");
            }
        });
        world.AtEnd(() =>
        {
            foreach (Log log in logs) log.IsExactly(0, 1);
        });
    }

    // The others part, the one that leaves ends, and those that are left come together again.
    private static void StageLeaves(World world)
    {
        Log[] logs = [new(), new(), new()];
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async());
        Stage head = ring.Subscribe(new Reader(logs[0]));
        Stage side = ring.Subscribe(new Reader(logs[1]), new StageOptions { After = [head] });
        ring.Subscribe(new Reader(logs[2]), new StageOptions { After = [head] });
        ring.StepTogether(ring.Stages);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            producer.Put(0);
            ring.DetachAsync(side).Wait();
            producer.Put(1);
            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            logs[0].IsExactly(0, 1);
            logs[2].IsExactly(0, 1);
            World.Check(logs[1].Count <= 1, "a stage that has left was given an item");
        });
    }

    // A fault that is tried again parts them; the next load brings them together.
    private static void PartsAndJoins(World world)
    {
        var first = new Log();
        var second = new Log();
        bool failed = false;
        RingBuffer<Item> ring = Parts.Ring(4, wait: Wait.Async());
        Stage head = ring.Subscribe(new Reader(first));
        ring.Subscribe(
            (ref Item item) =>
            {
                if (item.Value == 1 && !failed)
                {
                    failed = true;
                    throw new InvalidOperationException("once");
                }

                second.Add(in item);
            },
            new StageOptions { After = [head], OnFault = FaultPolicy.Retry(1, TimeSpan.FromMilliseconds(1)) });
        ring.StepTogether(ring.Stages);
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            ring.StartAsync().Wait();
            for (int n = 0; n < 3; n++)
            {
                producer.Put(n);
                World.Until(() => second.Count > n, "for the second to have it");
            }

            World.Check(ring.DrainAsync(s_ample).Result.IsDrained, "not drained");
        });
        world.AtEnd(() =>
        {
            first.IsExactly(0, 1, 2);
            second.IsExactly(0, 1, 2);
        });
    }

    // What a step takes says how the next ones are cut, and what they count as: the start hook has no part in it.
    private static void StartHookIsNoStep(World world)
    {
        var log = new Log();
        world.Thread("pool", () =>
        {
            RingBuffer<Item> ring = Parts.Ring(4);
            Stage stage = ring.Subscribe(new StartsSlowly(log), Parts.Stepped());
            Parts.Producer(ring).Put(0);
            var driver = new PoolDriver(stage, s_slice);
            PoolThread thread = PoolThread.Begin();
            long began = thread.Now = MachineClock.Now;
            thread.Stepped = driver;
            driver.Activate(thread, until: long.MaxValue);
            thread.End();
            World.Check(thread.Now > began, "the start hook took no time");
            World.Equal(0, driver.Cost, "what the first step took");
        });
        world.AtEnd(() => log.IsExactly(0));
    }

    private sealed class StartsSlowly(Log log) : IBatchHandler<Item>, IStageLifetime
    {
        public void OnStart() => Modelled.Thread.Yield();

        public void OnBatch(Batch<Item> batch)
        {
            foreach (ref Item item in batch) log.Add(in item);
        }

        public void OnStop()
        {
        }
    }
}
