using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>A commit of several while the ring is sealed: all of it is in time, or nothing.</summary>
internal static class SealBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
                yield return new Body($"seal/step-{kind.ToString().ToLowerInvariant()}", world => Step(world, kind));
            yield return new Body("seal/several-single", world => Several(world, ProducerKind.Single, StampLayout.Separate, disposes: false));
            yield return new Body("seal/several-multi", world => Several(world, ProducerKind.Multi, StampLayout.Separate, disposes: false)) { Weight = 2 };
            yield return new Body("seal/several-multi-disposed", world => Several(world, ProducerKind.Multi, StampLayout.Separate, disposes: true));
            yield return new Body("seal/several-in-slots", world => Several(world, ProducerKind.Single, StampLayout.InSlot, disposes: false)) { Weight = 2 };
            yield return new Body("seal/several-in-slots-disposed", world => Several(world, ProducerKind.Single, StampLayout.InSlot, disposes: true));
            yield return new Body("seal/several-sharded", world => Several(world, ProducerKind.Sharded, StampLayout.Separate, disposes: false));
        }
    }

    /// <summary>A stage looks while the ring is sealed and an item comes too late: the stage does not handle it.</summary>
    private static void Step(World world, ProducerKind kind)
    {
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(8, kind);
        Stage stage = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        ledger.Put(producer, 0);
        stage.Step();
        world.Thread("stage", () => stage.Step());
        world.Thread("producer", () =>
        {
            ring.Seal();
            World.Check(!ledger.Put(producer, 1), "accepted behind the seal");
        });
        world.AtEnd(() =>
        {
            stage.Step();
            World.Equal(0, ledger.Handled.Values.Single(), "the item in time, and no other");
        });
    }

    private static void Several(World world, ProducerKind kind, StampLayout stamps, bool disposes)
    {
        const int Count = 3;
        var ledger = new Ledger();
        RingBuffer<Item> ring = Parts.Ring(
            8, kind, Wait.Park(), stamps: stamps, slotStride: stamps == StampLayout.InSlot ? 16 : 0, take: ledger.Take, drainMilliseconds: 0);
        Stage stage = ring.Subscribe(new Hooked(ledger.Handled), Parts.Stepped());
        ring.Start();
        Producer<Item> producer = Parts.Producer(ring);
        world.Thread("producer", () =>
        {
            bool committed = false;
            try
            {
                using Claim<Item> claim = producer.Claim(Count);
                if (disposes) producer.Dispose();
                for (int n = 0; n < Count; n++) Ledger.Write(ref claim[n], n);
                claim.Commit();
                committed = true;
            }
            catch (InvalidOperationException)
            {
                // Late: all of it.
            }

            for (int n = 0; n < Count && committed; n++) ledger.Book(n, static () => { });
        });
        world.Thread("stage", () => stage.Step());
        world.Thread("closer", () => ring.HaltAsync().Wait());
        world.AtEnd(() =>
        {
            ledger.Balance(ring);
            World.Check(ring.Completion.IsCompleted, "not completed");
        });
    }
}
