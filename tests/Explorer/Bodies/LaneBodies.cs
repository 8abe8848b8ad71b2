using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Lanes that reach together what somebody waits for.</summary>
internal static class LaneBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("lane/two-reach-together", Together);
        }
    }

    // Each lane has one item, two are awaited: whoever counts last must have counted both.
    private static void Together(World world)
    {
        RingBuffer<Item> ring = Parts.Ring(4, ProducerKind.Sharded);
        ring.Slots.Subscribe(new Reader(new Log()), Parts.Stepped());
        ring.Start();
        var sleeper = new Sleeping();
        ring.Sequencer.Cursor.Arm(sleeper, 1);
        for (int p = 0; p < 2; p++)
        {
            Producer<Item> producer = Parts.Producer(ring);
            int own = p;
            world.Thread($"producer {p}", () => producer.Put(own));
        }

        world.AtEnd(() => World.Equal(1, sleeper.Signals, "signals"));
    }

    private sealed class Sleeping : Waiter
    {
        public int Signals { get; private set; }

        internal override void Signal() => Signals++;
    }
}
