namespace Raceway.Rings;

/// <summary>Errors of payloads: rule, value, remedy. Out of line, so that the methods that check stay small.</summary>
internal static class PayloadErrors
{
    public static ArgumentOutOfRangeException Payload(int length, int max) =>
        new(
            nameof(length),
            length,
            $"A payload must fit the ring's maximum: length={length}, max={max}. Raise PayloadOptions.MaxLength, or split it.");

    public static ObjectDisposedException PayloadReleased(long sequence) =>
        new(
            "Payload",
            $"The payload's slot has been released by the last stage: sequence={sequence}. Retain() or copy what you keep.");

    public static InvalidOperationException NoPayloads() =>
        new("This ring has no payloads. Give RingOptions.Payload the place of the Payload in an item.");

    public static ObjectDisposedException RetainedTwice() =>
        new("RetainedPayload", "The retained payload has been given back already.");
}
