using System.Runtime.InteropServices;

namespace Raceway.Proof.Tests.Misuse;

/// <summary>How an item carries its number, and shows that nothing of it was torn or is another one's.</summary>
internal interface IShape<T>
{
    /// <summary>Makes the item of that number, to be published by copy.</summary>
    static abstract T Make(long item);

    /// <summary>Fills a claimed slot.</summary>
    static abstract void Fill(ref T slot, long item);

    /// <summary>The number of the item, or −1 where its parts do not fit together.</summary>
    static abstract long Read(ref T slot);

    /// <summary>What else a handler may do with it; false where that did not come to what is documented.</summary>
    static virtual bool Use(ref T slot) => true;
}

[StructLayout(LayoutKind.Sequential, Size = 32)]
internal struct Plain
{
    public long Number;
    public long Again;
}

internal sealed class Node
{
    public long Number;
    public long Again;
}

internal struct Letter
{
    public long Number;
    public Payload Body;
}

internal readonly struct PlainShape : IShape<Plain>
{
    public static Plain Make(long item) => new() { Number = item, Again = ~item };

    public static void Fill(ref Plain slot, long item) => slot = Make(item);

    public static long Read(ref Plain slot) => slot.Number == ~slot.Again ? slot.Number : -1;
}

internal readonly struct NodeShape : IShape<Node>
{
    public static Node Make(long item) => new() { Number = item, Again = ~item };

    public static void Fill(ref Node slot, long item)
    {
        slot.Number = item;
        slot.Again = ~item;
    }

    public static long Read(ref Node slot) => slot is not null && slot.Number == ~slot.Again ? slot.Number : -1;
}

internal readonly struct LetterShape : IShape<Letter>
{
    public const int MaxLength = 48;

    public static Letter Make(long item) => new() { Number = item };

    public static void Fill(ref Letter slot, long item)
    {
        slot.Number = item;
        int length = (int)(item % MaxLength);
        if (item % 2 == 0)
        {
            Pattern(slot.Body.Reserve(length), item);
            return;
        }

        Span<byte> bytes = stackalloc byte[length];
        Pattern(bytes, item);
        slot.Body.Write(bytes);
    }

    /// <summary>Keeps the bytes beyond the slot, and gives them back twice: the second time must be refused.</summary>
    public static bool Use(ref Letter slot)
    {
        if (slot.Body.IsReleased || slot.Body.Length == 0) return true;
        RetainedPayload kept = slot.Body.Retain();
        bool same = kept.Memory.Span.SequenceEqual(slot.Body.Memory.Span);
        kept.Dispose();
        try
        {
            kept.Dispose();
            return false;
        }
        catch (InvalidOperationException)
        {
            return same;
        }
    }

    public static long Read(ref Letter slot)
    {
        ReadOnlySpan<byte> bytes = slot.Body.Span;
        foreach (byte each in bytes)
            if (each != (byte)(slot.Number * 7)) return -1;
        return slot.Number;
    }

    public static void Pattern(Span<byte> bytes, long item) => bytes.Fill((byte)(item * 7));
}
