using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>The ways in which a producer of ours publishes its items.</summary>
internal static class RacewayPublishing
{
    /// <summary>One at a time, with the producer's state in registers.</summary>
    public static void Open<TSlot>(RingBuffer<TSlot> ring, Feed feed)
        where TSlot : struct, ISlot<TSlot>
    {
        using OpenProducer<TSlot> producer = ring.CreateProducer().Open();

        // What fits into a register is copied into its slot, anything else is written there.
        if (Unsafe.SizeOf<TSlot>() == sizeof(long))
        {
            while (feed.MoveNext()) producer.Publish(Slot.Of<TSlot>(feed.Current));
            return;
        }

        while (feed.MoveNext())
        {
            TSlot.Write(ref producer.Claim(), feed.Current);
            producer.Commit();
        }
    }

    /// <summary>Some at a time.</summary>
    public static void Groups<TSlot>(RingBuffer<TSlot> ring, Feed feed, int group)
        where TSlot : struct, ISlot<TSlot>
    {
        using OpenProducer<TSlot> producer = ring.CreateProducer().Open();
        while (true)
        {
            int filled = 0;
            foreach (ref TSlot slot in producer.Claim(group))
            {
                if (!feed.MoveNext())
                {
                    producer.Commit(filled);
                    return;
                }

                TSlot.Write(ref slot, feed.Current);
                filled++;
            }

            producer.Commit();
        }
    }

    /// <summary>One at a time, beside other producers.</summary>
    public static void Multi<TSlot>(RingBuffer<TSlot> ring, Feed feed)
        where TSlot : struct, ISlot<TSlot>
    {
        using MultiProducer<TSlot> producer = ring.CreateMultiProducer();
        while (feed.MoveNext()) producer.Publish(Slot.Of<TSlot>(feed.Current));
    }
}
