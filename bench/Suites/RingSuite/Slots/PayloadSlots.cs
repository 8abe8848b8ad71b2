using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>The 100 bytes that the payload case sends: the item twelve times, and its lower half once more.</summary>
[InlineArray(Length)]
internal struct Message
{
    /// <summary>Bytes of a message.</summary>
    public const int Length = 100;

    private const int Whole = Length / sizeof(long) * sizeof(long);
    private byte _first;

    /// <summary>The message of an item, as its sender has it: it is copied to wherever the queue keeps it.</summary>
    public static Message Of(long item)
    {
        Unsafe.SkipInit(out Message message);
        Span<byte> bytes = message;
        MemoryMarshal.Cast<byte, long>(bytes[..Whole]).Fill(item);
        MemoryMarshal.Write(bytes[Whole..], (int)item);
        return message;
    }

    /// <summary>Reads all bytes: the item, or something else where they are not a message.</summary>
    public static long Read(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length != Length) return 0;
        ReadOnlySpan<long> numbers = MemoryMarshal.Cast<byte, long>(bytes[..Whole]);
        long item = numbers[0];
        bool whole = !numbers.ContainsAnyExcept(item) && MemoryMarshal.Read<int>(bytes[Whole..]) == (int)item;
        return whole ? item : ~item;
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
        Message sent = Message.Of(item);
        slot._payload.Write(sent);
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
        Message sent = Message.Of(item);
        ReadOnlySpan<byte> message = sent;
        message.CopyTo(slot._bytes);
        slot._length = message.Length;
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
        Message sent = Message.Of(item);
        ReadOnlySpan<byte> message = sent;
        slot._bytes = ArrayPool<byte>.Shared.Rent(message.Length);
        message.CopyTo(slot._bytes);
        slot._length = message.Length;
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
        Message sent = Message.Of(item);
        ReadOnlySpan<byte> message = sent;
        message.CopyTo(slot);
        slot[^1] = (byte)message.Length;
    }

    public static long Read(ref InlineBytes slot) => Message.Read(slot[..slot[^1]]);

    public static void Work(ref InlineBytes slot, int increments) => Unchanged.Expect(increments);
}

/// <summary>Messages are sent and read: no case has a stage that changes them.</summary>
internal static class Unchanged
{
    public static void Expect(int increments) => System.Diagnostics.Debug.Assert(increments == 0);
}
