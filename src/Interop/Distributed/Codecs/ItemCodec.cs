using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Rings;

namespace Raceway.Interop.Distributed;

/// <summary>Codecs for the usual items.</summary>
public static class ItemCodec
{
    /// <summary>Items without references, as they lie in memory: both sides must have the same type and byte order.</summary>
    /// <typeparam name="T">The item type.</typeparam>
    public static IItemCodec<T> Unmanaged<T>()
        where T : unmanaged => new UnmanagedCodec<T>();

    /// <summary>Arrays of bytes. A slot's array is used again where its length is the same.</summary>
    public static IItemCodec<byte[]> Bytes { get; } = new BytesCodec();

    /// <summary>
    /// Items that are their payload (<see cref="RingOptions{T}"/>): the bytes go into the slot's pooled buffer. Other fields of
    /// the item are not carried.
    /// </summary>
    /// <param name="accessor">The payload of a slot, as the ring is told.</param>
    /// <typeparam name="T">The item type.</typeparam>
    public static IItemCodec<T> Payload<T>(PayloadAccessor<T> accessor)
    {
        ArgumentNullException.ThrowIfNull(accessor);
        return new PayloadCodec<T>(accessor);
    }

    private sealed class UnmanagedCodec<T> : IItemCodec<T>
        where T : unmanaged
    {
        public int FixedLength => Unsafe.SizeOf<T>();

        public void Write(ref readonly T item, IBufferWriter<byte> output)
        {
            MemoryMarshal.Write(output.GetSpan(Unsafe.SizeOf<T>()), in item);
            output.Advance(Unsafe.SizeOf<T>());
        }

        public void Read(ReadOnlySpan<byte> bytes, ref T item) => item = MemoryMarshal.Read<T>(bytes);
    }

    private sealed class BytesCodec : IItemCodec<byte[]>
    {
        public void Write(ref readonly byte[] item, IBufferWriter<byte> output) => output.Write(item);

        public void Read(ReadOnlySpan<byte> bytes, ref byte[] item)
        {
            if (item?.Length != bytes.Length) item = new byte[bytes.Length];
            bytes.CopyTo(item);
        }
    }

    private sealed class PayloadCodec<T>(PayloadAccessor<T> accessor) : IItemCodec<T>
    {
        public void Write(ref readonly T item, IBufferWriter<byte> output) =>
            output.Write(accessor(ref Unsafe.AsRef(in item)).Span);

        public void Read(ReadOnlySpan<byte> bytes, ref T item) => accessor(ref item).Write(bytes);
    }
}
