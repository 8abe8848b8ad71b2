using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Interop.Journal;

namespace Raceway.Suites.JournalSuite;

/// <summary>How the slots of our ring hold an item of some length.</summary>
/// <typeparam name="T">The type of the slots.</typeparam>
internal interface ILoggedForm<T>
{
    static abstract int Length { get; }

    static abstract IJournalCodec<T> Codec { get; }

    /// <summary>Makes what a slot begins with.</summary>
    static abstract T Create();

    /// <summary>The bytes of a slot.</summary>
    static abstract Span<byte> Of(ref T slot);
}

/// <summary>Structs, stored as they lie in memory.</summary>
internal sealed class StructForm<T> : ILoggedForm<T>
    where T : unmanaged
{
    public static int Length => Unsafe.SizeOf<T>();

    public static IJournalCodec<T> Codec { get; } = JournalCodec.Unmanaged<T>("logged");

    public static T Create() => default;

    public static Span<byte> Of(ref T slot) => MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref slot, 1));
}

/// <summary>Arrays of 64 KB, which stay with their slots; they are written from there.</summary>
internal sealed class ArrayForm : ILoggedForm<byte[]>
{
    public static int Length => Logged.MostLength;

    public static IJournalCodec<byte[]> Codec => JournalCodec.Bytes;

    public static byte[] Create() => new byte[Length];

    public static Span<byte> Of(ref byte[] slot) => slot;
}

/// <summary>128 bytes.</summary>
[InlineArray(16)]
internal struct Bytes128
{
    private long _first;
}

/// <summary>1,024 bytes.</summary>
[InlineArray(128)]
internal struct Bytes1K
{
    private long _first;
}
