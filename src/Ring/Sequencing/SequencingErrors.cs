namespace Raceway.Rings;

/// <summary>Errors of sequences: rule, value, remedy. Out of line, so that the methods that check stay small.</summary>
internal static class SequencingErrors
{
    public static ArgumentException TooFarApart(int capacity, int stride) =>
        new(
            $"Slots and stamps must fit an array: capacity={capacity}, stride={stride}. Use a smaller ring, SlotStride 0, or Stamps "
            + "Separate.",
            nameof(capacity));
}
