using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>
/// Several producers at a full ring, whose clock runs by a quantum at each look: turns are taken, refused, left and ended at
/// every moment. Nothing is lost, nothing is overwritten, and every producer that stays gets its room.
/// </summary>
internal static class TurnBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            foreach (Wait wait in (Wait[])[Wait.Park(), Wait.Adaptive(), Wait.Yield()])
                yield return new Body($"turns/two-{wait.Name}", world => Competing(world, wait, 2));
            yield return new Body("turns/three-park", world => Competing(world, Wait.Park(), 3)) { Preemptions = 1 };
            yield return new Body("turns/large-claim", LargeClaim);
            yield return new Body("turns/cancelled", Cancelled) { Weight = 2 };
            yield return new Body("turns/timed-out", TimedOut);
            yield return new Body("turns/async", Async);
            yield return new Body("turns/closed", Closed);
            yield return new Body("turns/disposed", Disposed);
        }
    }

    private static void Competing(World world, Wait wait, int producers)
    {
        (_, Stage stage, Log log, Producer<Item>[] all) = Full(wait, producers);
        for (int p = 0; p < producers; p++)
        {
            int own = p;
            world.Thread($"producer {p}", () =>
            {
                all[own].Put(own * 100);
                all[own].Put(own * 100 + 1);
            });
        }

        world.Thread("stage", () => StepUntil(stage, log, 4 + 2 * producers));
        world.AtEnd(() => IsOfEach(log, producers, 2));
    }

    // It fits only into the empty ring, and the other takes each slot as it comes.
    private static void LargeClaim(World world)
    {
        (_, Stage stage, Log log, Producer<Item>[] all) = Full(Wait.Park(), 2);
        world.Thread("large", () => Parts.PutMany(all[0], 0, all[0].MaxClaim, all[0].MaxClaim));
        world.Thread("small", () =>
        {
            for (int n = 0; n < 3; n++) all[1].Put(100 + n);
        });
        world.Thread("stage", () => StepUntil(stage, log, 4 + all[0].MaxClaim + 3));
        world.AtEnd(() =>
        {
            for (int n = 0; n < all[0].MaxClaim; n++) World.Check(log.Values.Contains(n), $"{n} is lost");
            for (int n = 0; n < 3; n++) World.Check(log.Values.Contains(100 + n), $"{100 + n} is lost");
        });
    }

    private static void Cancelled(World world)
    {
        (_, Stage stage, Log log, Producer<Item>[] all) = Full(Wait.Park(), 2);
        var source = new CancellationTokenSource();
        bool claimed = false;
        bool ended = false;
        world.Thread("leaves", () =>
        {
            try
            {
                Claim<Item> claim = all[0].Claim(2, source.Token);
                foreach (ref Item item in claim) World.Wrote(in item);
                claim.Commit(0);
                claimed = true;
            }
            catch (System.OperationCanceledException)
            {
            }

            ended = true;
        });
        world.Thread("cancels", source.Cancel);
        world.Thread("stays", () => all[1].Put(100));
        world.Thread("stage", () =>
        {
            while (!ended || !log.Values.Contains(100))
                if (stage.Step(1).Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
        });
        world.AtEnd(() => World.Check(claimed || source.IsCancellationRequested, "left without a cancellation"));
    }

    private static void TimedOut(World world)
    {
        (_, Stage stage, Log log, Producer<Item>[] all) = Full(Wait.Park(), 2);
        bool ended = false;
        world.Thread("leaves", () =>
        {
            if (all[0].TryClaim(1, TimeSpan.FromMilliseconds(2), out Claim<Item> claim) == ClaimStatus.Done) claim.Commit(0);
            ended = true;
        });
        world.Thread("stays", () => all[1].Put(100));
        world.Thread("stage", () =>
        {
            Parts.Pause(2_000_000);
            while (!ended || !log.Values.Contains(100))
                if (stage.Step(1).Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
        });
        world.AtEnd(() => World.Check(log.Values.Contains(100), "100 is lost"));
    }

    private static void Async(World world)
    {
        (_, Stage stage, Log log, Producer<Item>[] all) = Full(Wait.Park(), 2);
        world.Thread("waits", async () =>
        {
            World.Check(await all[0].WaitForRoomAsync(2), "the ring is closed");
            Parts.PutMany(all[0], 0, 2, 2);
        });
        world.Thread("puts", () =>
        {
            all[1].Put(100);
            all[1].Put(101);
        });
        world.Thread("stage", () => StepUntil(stage, log, 8));
        world.AtEnd(() => IsOfEach(log, 2, 2));
    }

    // Closed while one has the turn: both are told.
    private static void Closed(World world)
    {
        (RingBuffer<Item> ring, _, _, Producer<Item>[] all) = Full(Wait.Park(), 2);
        int told = 0;
        foreach (Producer<Item> producer in all)
        {
            world.Thread("producer", () =>
            {
                try
                {
                    producer.Put(1);
                }
                catch (RingStoppedException)
                {
                    told++;
                }
            });
        }

        world.Thread("closer", () =>
        {
            Parts.AfterPolls(Wait.Park(), 2);
            ring.Complete();
        });
        world.AtEnd(() => World.Equal(2, told, "refusals"));
    }

    // The producer that has the turn is disposed: the other needs no clock to go on.
    private static void Disposed(World world)
    {
        (_, Stage stage, Log log, Producer<Item>[] all) = Full(Wait.Park(), 2);
        world.Thread("leaves", () =>
        {
            all[0].Put(0);
            all[0].Dispose();
        });
        world.Thread("stays", () =>
        {
            all[1].Put(100);
            all[1].Put(101);
        });
        world.Thread("stage", () => StepUntil(stage, log, 7));
        world.AtEnd(() => World.Equal(7, log.Count, "items"));
    }

    private static (RingBuffer<Item> Ring, Stage Stage, Log Log, Producer<Item>[] All) Full(Wait wait, int producers)
    {
        RingBuffer<Item> ring = Parts.Ring(4, ProducerKind.Multi, wait, maxProducers: producers);
        long now = 0;
        ((MultiClaims)ring.Claims).Turns.Time = () => now += Turns.Quantum;
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped(Dispatch.Single));
        ring.Start();
        Producer<Item>[] all = [.. Enumerable.Range(0, producers).Select(_ => Parts.Producer(ring))];
        for (int n = 0; n < 4; n++) all[n % producers].Put(900 + n);
        return (ring, stage, log, all);
    }

    private static void StepUntil(Stage stage, Log log, int count)
    {
        while (log.Count < count)
            if (stage.Step(1).Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
    }

    private static void IsOfEach(Log log, int producers, int each)
    {
        for (int p = 0; p < producers; p++)
        {
            long[] mine = [.. log.Values.Where(value => value / 100 == p)];
            World.Check(
                mine.SequenceEqual(Enumerable.Range(0, each).Select(n => p * 100L + n)),
                $"of producer {p} [{string.Join(", ", mine)}]");
        }
    }
}
