using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>How an item lies in memory: contestants are generic over it, so that all sizes run the same code.</summary>
/// <remarks>Implemented by structs alone: their code is compiled for each, and the calls are inlined.</remarks>
/// <typeparam name="TSelf">The slot type itself.</typeparam>
public interface ISlot<TSelf>
    where TSelf : struct, ISlot<TSelf>
{
    /// <summary>Writes an item, and with it all bytes of the slot.</summary>
    static abstract void Write(ref TSelf slot, long item);

    /// <summary>Reads all bytes of the slot: the item, or something else where they do not belong together.</summary>
    static abstract long Read(ref TSelf slot);

    /// <summary>What a stage does with an item that it changes.</summary>
    static abstract void Work(ref TSelf slot, int increments);

    /// <summary>A slot of a ring that is built with its slots; not timed.</summary>
    static virtual TSelf Create() => default;

    /// <summary>Brings a Raceway ring of such slots into the state that it has after its first lap; not timed.</summary>
    static virtual void WarmUp(RingBuffer<TSelf> ring)
    {
    }

    /// <summary>What a Raceway ring of such slots needs to be told.</summary>
    static virtual RingOptions<TSelf> Configure(RingOptions<TSelf> options) => options;
}

/// <summary>Slots that are not in a ring.</summary>
internal static class Slot
{
    /// <summary>An item as a value of its own, for queues that copy.</summary>
    public static TSlot Of<TSlot>(long item)
        where TSlot : struct, ISlot<TSlot>
    {
        TSlot slot = default;
        TSlot.Write(ref slot, item);
        return slot;
    }
}
