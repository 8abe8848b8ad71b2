using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

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
