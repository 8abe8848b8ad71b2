using System.Buffers.Binary;
using System.Numerics;

namespace Raceway.Interop.Checksums;

/// <summary>CRC-32C (Castagnoli) by the processor's instruction, continued over several pieces.</summary>
internal static class Crc32C
{
    /// <summary>The state before the first byte.</summary>
    public const uint Start = uint.MaxValue;

    /// <summary>The state after <paramref name="bytes"/>.</summary>
    public static uint Add(uint state, ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length >= sizeof(ulong))
        {
            state = BitOperations.Crc32C(state, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
            bytes = bytes[sizeof(ulong)..];
        }

        foreach (byte one in bytes) state = BitOperations.Crc32C(state, one);
        return state;
    }

    /// <summary>The state after a number.</summary>
    public static uint Add(uint state, ulong number) => BitOperations.Crc32C(state, number);

    /// <summary>The checksum that a state stands for.</summary>
    public static uint End(uint state) => ~state;

    /// <summary>The checksum of <paramref name="bytes"/> alone.</summary>
    public static uint Of(ReadOnlySpan<byte> bytes) => End(Add(Start, bytes));
}
