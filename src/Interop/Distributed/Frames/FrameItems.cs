using System.Buffers.Binary;

namespace Raceway.Interop.Distributed;

/// <summary>Walks the items of a frame that <see cref="FrameHeader.Open"/> has found right.</summary>
internal static class FrameItems
{
    /// <summary>The item at <paramref name="at"/>, which moves behind it. Not to be called more often than the frame's count.</summary>
    public static ReadOnlySpan<byte> Next(ReadOnlySpan<byte> frame, int itemLength, ref int at)
    {
        int length = itemLength;
        if (length == 0)
        {
            length = BinaryPrimitives.ReadInt32LittleEndian(frame[at..]);
            at += sizeof(int);
        }

        ReadOnlySpan<byte> item = frame.Slice(at, length);
        at += length;
        return item;
    }

    /// <summary>Whether <paramref name="items"/> are exactly <paramref name="count"/> items.</summary>
    public static bool Fit(ReadOnlySpan<byte> items, int count, int itemLength)
    {
        if (itemLength != 0) return (long)count * itemLength == items.Length;
        // A count that cannot be is found before it is counted.
        if ((long)count * sizeof(int) > items.Length) return false;
        for (int i = 0; i < count; i++)
        {
            if (items.Length < sizeof(int)) return false;
            int length = BinaryPrimitives.ReadInt32LittleEndian(items);
            if ((uint)length > (uint)(items.Length - sizeof(int))) return false;
            items = items[(sizeof(int) + length)..];
        }

        return items.IsEmpty;
    }
}
