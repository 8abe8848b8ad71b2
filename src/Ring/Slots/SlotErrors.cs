namespace Raceway.Rings;

/// <summary>Errors of slots: rule, value, remedy. Out of line, so that the methods that check stay small.</summary>
internal static class SlotErrors
{
    public static ArgumentException StrideOfReferences(Type item) =>
        new(
            $"Slots can only lie apart, or hold stamps, where an item has no references: item={item.Name}. "
            + "Leave SlotStride 0 and Stamps Separate, or publish a struct without references.",
            nameof(RingOptions.SlotStride));

    public static ArgumentException Stride(int stride, int size) =>
        new(
            $"A slot's stride must be the size of an item times a power of two: stride={stride}, size={size}. "
            + $"Use 0 for slots side by side, or {2 * size}, {4 * size}, …",
            nameof(RingOptions.SlotStride));

    public static ArgumentException StrideForStamps(int stride, int size) =>
        new(
            $"Stamps in the slots need four aligned bytes behind each item, and a stride that is a power of two: stride={stride}, "
            + $"size={size}. Give the item a size that is a power of two and use SlotStride {Math.Max(8, 2 * size)} or more, or "
            + "Stamps Separate.",
            nameof(RingOptions.SlotStride));

    public static ArgumentException ForeignColumn() =>
        new("The results must be a column of the same ring. Use ring.AddColumn().", "results");
}
