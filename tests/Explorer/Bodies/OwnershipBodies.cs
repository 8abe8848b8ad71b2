using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>One handle and two threads, with checks: who may use it, and its end under a call.</summary>
internal static class OwnershipBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
            {
                yield return new Body($"ownership/taken-once-{kind}", world => TakenOnce(world, kind));
                yield return new Body($"ownership/disposed-under-a-call-{kind}", world => DisposedUnderACall(world, kind)) { Weight = 2 };
                yield return new Body($"ownership/async-by-two-{kind}", world => AsyncByTwo(world, kind));
            }
        }
    }

    private static (RingBuffer<Item> Ring, Stage Stage, Log Log) With(ProducerKind kind, int capacity)
    {
        var ring = new RingBuffer<Item>(capacity, new RingOptions<Item>
        {
            Producers = kind,
            MaxProducers = 1,
            Wait = Wait.BusySpin(),
            ProducerWait = Wait.BusySpin(),
            CheckProducer = true,
        });
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        return (ring, stage, log);
    }

    // Both call at once: one owns the handle, the other one is refused and has published nothing.
    private static void TakenOnce(World world, ProducerKind kind)
    {
        (_, Stage stage, Log log) = With(kind, capacity: 4);
        Producer<Item> producer = Parts.Producer((RingBuffer<Item>)stage.Owner);
        List<long> accepted = [];
        for (int user = 0; user < 2; user++)
        {
            long value = user;
            world.Thread("user", () =>
            {
                try
                {
                    producer.Put(value);
                    accepted.Add(value);
                }
                catch (InvalidOperationException)
                {
                }
            });
        }

        world.AtEnd(() =>
        {
            while (stage.Step().Kind == StepKind.Progressed)
            {
            }

            World.Equal(1, accepted.Count, "accepted");
            log.IsExactly([.. accepted]);
        });
    }

    // The handle is disposed, and another one made in its place as soon as there is one, while a call is under way.
    private static void DisposedUnderACall(World world, ProducerKind kind)
    {
        (RingBuffer<Item> ring, Stage stage, Log log) = With(kind, capacity: 4);
        Producer<Item> producer = Parts.Producer(ring);
        bool published = false;
        world.Thread("user", () =>
        {
            try
            {
                producer.Put(0);
                published = true;
            }
            catch (ObjectDisposedException)
            {
            }
        });
        world.Thread("disposer", () =>
        {
            producer.Dispose();
            try
            {
                Parts.Producer(ring).Put(1);
            }
            catch (InvalidOperationException)
            {
                // The first call is still under way: its handle is the one until it returns.
            }
        });
        world.AtEnd(() =>
        {
            while (stage.Step().Kind == StepKind.Progressed)
            {
            }

            // By now there is room for a further handle in any case, unless the second thread has it.
            bool second = log.Values.Contains(1);
            Producer<Item>? third = null;
            if (!second) third = Parts.Producer(ring);
            third?.Put(2);
            stage.Step();
            World.Equal((published ? 1 : 0) + 1, log.Count, "items");
            World.Equal(log.Count - 1L, ring.Sequencer.PublishedThrough(), "published");
        });
    }

    private static void AsyncByTwo(World world, ProducerKind kind)
    {
        (RingBuffer<Item> ring, Stage stage, Log log) = With(kind, capacity: 2);
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(0);
        producer.Put(1);
        producer.ReleaseThread();
        List<long> accepted = [0, 1];
        int over = 0;
        for (int user = 0; user < 2; user++)
        {
            long value = 2 + user;
            world.Thread("user", async () =>
            {
                try
                {
                    await producer.PublishAsync(
                        value,
                        static (ref Item slot, long value) =>
                        {
                            World.Wrote(in slot);
                            slot.Value = value;
                        }).ConfigureAwait(false);
                    accepted.Add(value);
                }
                catch (InvalidOperationException)
                {
                }

                over++;
            });
        }

        world.Thread("stage", () =>
        {
            while (over < 2 || log.Count < accepted.Count)
                if (stage.Step(1).Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
        });
        world.AtEnd(() =>
        {
            World.Check(accepted.Count > 2, "nothing was accepted");
            // Who is told first says nothing about the order.
            World.Check(log.Values.Order().SequenceEqual(accepted.Order()), $"seen [{string.Join(", ", log.Values)}]");
        });
    }
}
