using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>The 100 bytes that the payload case sends: one of 16 texts, with the item over its beginning.</summary>
/// <remarks>
/// The texts were written long before. A sender that builds a message in small stores and copies it at once in wide loads waits
/// until the stores before it have reached the cache, also those to lines that the other core has. That measures the sender, and
/// took half the time of this case.
/// </remarks>
internal static class Message
{
    /// <summary>Bytes of a message.</summary>
    public const int Length = 100;

    // By the upper bits of an item: its lower ones alternate, so that a slot would have the same text in every lap.
    private const int TextBits = 4;
    private static readonly byte[] s_texts = MakeTexts();

    /// <summary>Copies the message of an item to wherever the queue keeps it.</summary>
    public static void Write(Span<byte> bytes, long item)
    {
        TextOf(item).CopyTo(bytes);
        MemoryMarshal.Write(bytes, item);
    }

    /// <summary>Reads all bytes: the item, or something else where they are not a message.</summary>
    public static long Read(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length != Length) return 0;
        long item = MemoryMarshal.Read<long>(bytes);
        return bytes[sizeof(long)..].SequenceEqual(TextOf(item)[sizeof(long)..]) ? item : ~item;
    }

    private static ReadOnlySpan<byte> TextOf(long item) => s_texts.AsSpan((int)((ulong)item >> (64 - TextBits)) * Length, Length);

    private static byte[] MakeTexts()
    {
        byte[] texts = new byte[Length << TextBits];
        new Random(1).NextBytes(texts);
        return texts;
    }
}

/// <summary>A message in the pooled buffer that a slot of ours owns.</summary>
internal struct PooledBytes : ISlot<PooledBytes>
{
    // Buffers go back when a ring ends. The shared pool keeps few of them; here the next round finds them all, as rings
    // that live longer than a round do.
    private static readonly ArrayPool<byte> s_pool = ArrayPool<byte>.Create(128, RingShape.DefaultCapacity);

    private Payload _payload;

    public static void Write(ref PooledBytes slot, long item)
    {
        Message.Write(slot._payload.Reserve(Message.Length), item);
    }

    public static long Read(ref PooledBytes slot) => Message.Read(slot._payload.Span);

    public static void Work(ref PooledBytes slot, int increments) => Unchanged.Expect(increments);

    public static RingOptions<PooledBytes> Configure(RingOptions<PooledBytes> options) => options with
    {
        Payload = static (ref PooledBytes slot) => ref slot._payload,
        PayloadOptions = new PayloadOptions { Pool = s_pool },
    };

    public static void WarmUp(RingBuffer<PooledBytes> ring)
    {
        // A claim that is given up publishes nothing, but leaves each slot the buffer that it was written to.
        using SingleProducer<PooledBytes> producer = ring.CreateProducer();
        using Claim<PooledBytes> claim = producer.Claim(ring.Capacity);
        foreach (ref PooledBytes slot in claim) Write(ref slot, 0);
        claim.Abort();
    }
}

/// <summary>A message in an array that was made together with the slot.</summary>
internal struct OwnBytes : ISlot<OwnBytes>
{
    private byte[] _bytes;
    private int _length;

    public static OwnBytes Create() => new() { _bytes = new byte[128] };

    public static void Write(ref OwnBytes slot, long item)
    {
        Message.Write(slot._bytes, item);
        slot._length = Message.Length;
    }

    public static long Read(ref OwnBytes slot) => Message.Read(slot._bytes.AsSpan(0, slot._length));

    public static void Work(ref OwnBytes slot, int increments) => Unchanged.Expect(increments);
}

/// <summary>A message in a rented array, which the consumer gives back: reading it, once, does.</summary>
internal struct RentedBytes : ISlot<RentedBytes>
{
    private byte[] _bytes;
    private int _length;

    public static void Write(ref RentedBytes slot, long item)
    {
        slot._bytes = ArrayPool<byte>.Shared.Rent(Message.Length);
        Message.Write(slot._bytes, item);
        slot._length = Message.Length;
    }

    public static long Read(ref RentedBytes slot)
    {
        long item = Message.Read(slot._bytes.AsSpan(0, slot._length));
        ArrayPool<byte>.Shared.Return(slot._bytes);
        return item;
    }

    public static void Work(ref RentedBytes slot, int increments) => Unchanged.Expect(increments);
}

/// <summary>A message in the slot itself, which is 128 bytes.</summary>
[InlineArray(128)]
internal struct InlineBytes : ISlot<InlineBytes>
{
    // The length is the last byte.
    private byte _first;

    public static void Write(ref InlineBytes slot, long item)
    {
        Message.Write(slot, item);
        slot[^1] = Message.Length;
    }

    public static long Read(ref InlineBytes slot) => Message.Read(slot[..slot[^1]]);

    public static void Work(ref InlineBytes slot, int increments) => Unchanged.Expect(increments);
}

/// <summary>Messages are sent and read: no case has a stage that changes them.</summary>
internal static class Unchanged
{
    public static void Expect(int increments) => System.Diagnostics.Debug.Assert(increments == 0);
}
