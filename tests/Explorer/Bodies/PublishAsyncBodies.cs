using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Publishing that waits for room without a thread, by one waiter used again and again.</summary>
internal static class PublishAsyncBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
            {
                yield return new Body($"publish-async/waits-{kind}", world => Waits(world, kind));
                yield return new Body($"publish-async/cancelled-{kind}", world => Cancelled(world, kind)) { Weight = 2 };
                yield return new Body($"publish-async/completed-{kind}", world => Completed(world, kind));
            }
        }
    }

    private static (RingBuffer<Item> Ring, Stage Stage, Log Log, Producer<Item> Producer) Full(ProducerKind kind)
    {
        RingBuffer<Item> ring = Parts.Ring(2, kind, maxProducers: 1);
        var log = new Log();
        Stage stage = ring.Slots.Subscribe(new Reader(log), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        producer.Put(0);
        producer.Put(1);
        return (ring, stage, log, producer);
    }

    // The slot is written on a thread of the pool, which the model cannot be told of: World.Wrote in the writer does it.
    private static ValueTask Put(Producer<Item> producer, long value, CancellationToken cancellation = default) =>
        producer.PublishAsync(
            value,
            static (ref Item slot, long value) =>
            {
                World.Wrote(in slot);
                slot.Value = value;
            },
            cancellation);

    private static void Waits(World world, ProducerKind kind)
    {
        (_, Stage stage, Log log, Producer<Item> producer) = Full(kind);
        world.Thread("producer", async () =>
        {
            for (int n = 2; n < 5; n++) await Put(producer, n).ConfigureAwait(false);
        });
        world.Thread("stage", () => Parts.StepUntil(stage, log, 5));
        world.AtEnd(() => log.IsExactly(0, 1, 2, 3, 4));
    }

    // A wait that is cancelled and signalled at once leaves nothing behind for the next one.
    private static void Cancelled(World world, ProducerKind kind)
    {
        (_, Stage stage, Log log, Producer<Item> producer) = Full(kind);
        var source = new CancellationTokenSource();
        bool published = false;
        world.Thread("producer", async () =>
        {
            try
            {
                await Put(producer, 2, source.Token).ConfigureAwait(false);
                published = true;
            }
            catch (System.OperationCanceledException)
            {
            }

            await Put(producer, 3).ConfigureAwait(false);
            await Put(producer, 4).ConfigureAwait(false);
        });
        world.Thread("cancels", source.Cancel);
        world.Thread("stage", () =>
        {
            while (log.Values is not [.., 4])
                if (stage.Step(1).Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
        });
        world.AtEnd(() =>
        {
            if (published) log.IsExactly(0, 1, 2, 3, 4);
            else log.IsExactly(0, 1, 3, 4);
        });
    }

    private static void Completed(World world, ProducerKind kind)
    {
        (RingBuffer<Item> ring, Stage stage, Log log, Producer<Item> producer) = Full(kind);
        bool published = false;
        world.Thread("producer", async () =>
        {
            try
            {
                await Put(producer, 2).ConfigureAwait(false);
                published = true;
            }
            catch (RingStoppedException)
            {
            }
        });
        world.Thread("closer", ring.Complete);
        world.Thread("stage", () => stage.Step(1));
        world.AtEnd(() =>
        {
            Parts.StepTo(stage, published ? 2 : 1);
            World.Equal(published ? 3 : 2, log.Count, "items");
        });
    }
}
