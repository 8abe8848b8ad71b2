using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Rings;

namespace Raceway.Interop.Journal;

/// <summary>Codecs for the usual items.</summary>
public static class JournalCodec
{
    /// <summary>Items without references, as they lie in memory. The fingerprint is made of the struct's name, its size, and the
    /// names, types and places of its fields, of nested structs too.</summary>
    /// <param name="version">Counted by you, if the fields stay the same and mean something else.</param>
    /// <typeparam name="T">The item type.</typeparam>
    public static IJournalCodec<T> Unmanaged<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)] T>(
        int version = 1)
        where T : unmanaged => new UnmanagedCodec<T>(new JournalSchema(LayoutFingerprint.Of(typeof(T), Unsafe.SizeOf<T>()), version));

    /// <summary>Items without references, as they lie in memory, under a name that you give: it stays when the type is renamed.</summary>
    /// <param name="name">The name of the form. The fingerprint is made of it and of the size.</param>
    /// <param name="version">Counted by you, if the fields change.</param>
    /// <typeparam name="T">The item type.</typeparam>
    public static IJournalCodec<T> Unmanaged<T>(string name, int version = 1)
        where T : unmanaged
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return new UnmanagedCodec<T>(new JournalSchema(LayoutFingerprint.Of($"{name}:{Unsafe.SizeOf<T>()}"), version));
    }

    /// <summary>Arrays of bytes. A slot's array is used again where its length is the same.</summary>
    public static IJournalCodec<byte[]> Bytes { get; } = new BytesCodec();

    /// <summary>
    /// Items that are their payload (<see cref="RingOptions{T}"/>): the bytes go into the slot's pooled buffer. Other fields of
    /// the item are not stored.
    /// </summary>
    /// <param name="accessor">The payload of a slot, as the ring is told.</param>
    /// <typeparam name="T">The item type.</typeparam>
    public static IJournalCodec<T> Payload<T>(PayloadAccessor<T> accessor)
    {
        ArgumentNullException.ThrowIfNull(accessor);
        return new PayloadCodec<T>(accessor);
    }

    private sealed class UnmanagedCodec<T>(JournalSchema schema) : IJournalCodec<T>, IRawCodec
        where T : unmanaged
    {
        public JournalSchema Schema => schema;

        public void Write(ref readonly T item, IBufferWriter<byte> output)
        {
            MemoryMarshal.Write(output.GetSpan(Unsafe.SizeOf<T>()), in item);
            output.Advance(Unsafe.SizeOf<T>());
        }

        public void Read(ReadOnlySpan<byte> bytes, JournalSchema stored, ref T item)
        {
            if (bytes.Length != Unsafe.SizeOf<T>()) throw JournalErrors.ItemLength(bytes.Length, Unsafe.SizeOf<T>(), typeof(T));
            item = MemoryMarshal.Read<T>(bytes);
        }
    }

    private sealed class BytesCodec : IJournalCodec<byte[]>, IMemoryCodec<byte[]>
    {
        public JournalSchema Schema { get; } = new(LayoutFingerprint.Of("byte[]"), 1);

        public void Write(ref readonly byte[] item, IBufferWriter<byte> output) => output.Write(item);

        public ReadOnlyMemory<byte> BytesOf(ref byte[] item) => item;

        public void Read(ReadOnlySpan<byte> bytes, JournalSchema stored, ref byte[] item)
        {
            if (item?.Length != bytes.Length) item = new byte[bytes.Length];
            bytes.CopyTo(item);
        }
    }

    private sealed class PayloadCodec<T>(PayloadAccessor<T> accessor) : IJournalCodec<T>, IMemoryCodec<T>
    {
        public JournalSchema Schema { get; } = new(LayoutFingerprint.Of("payload"), 1);

        public void Write(ref readonly T item, IBufferWriter<byte> output) =>
            output.Write(accessor(ref Unsafe.AsRef(in item)).Span);

        public ReadOnlyMemory<byte> BytesOf(ref T item) => accessor(ref item).Memory;

        public void Read(ReadOnlySpan<byte> bytes, JournalSchema stored, ref T item) => accessor(ref item).Write(bytes);
    }
}

/// <summary>A codec that writes items as they lie in memory: the journal may copy them without calling it.</summary>
internal interface IRawCodec;

/// <summary>A codec of items that have their bytes in memory: the journal may write them from there, without a copy.</summary>
internal interface IMemoryCodec<T>
{
    /// <summary>What <see cref="IJournalCodec{T}.Write"/> would write; valid until the handler returns.</summary>
    ReadOnlyMemory<byte> BytesOf(ref T item);
}
