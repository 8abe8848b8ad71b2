namespace Raceway.Interop;

/// <summary>Texts of errors: rule, value, remedy.</summary>
internal static class BridgeErrors
{
    public static InvalidOperationException ReaderTaken() =>
        new(
            "A reader that a pump, a block or a sequence of batches reads is theirs alone meanwhile. Wait for their end, or give "
            + "each a poller of its own.");

    public static InvalidOperationException ReaderWaits() =>
        new(
            "A pump, a block or a sequence of batches needs a reader for itself, and others wait for items of this one. Give each a "
            + "poller of its own.");

    public static InvalidOperationException SecondUser() =>
        new(
            "A reader or writer that was asked for one user (singleReader, singleWriter) was used by two at the same time. Await "
            + "one call before the next, or leave singleReader and singleWriter out.");

    public static InvalidOperationException OtherKind(string stage, bool isSingle) =>
        new(
            $"All readers of a poller are for one user, or all for several: stage='{stage}', first={(isSingle ? "single" : "several")}. "
            + "Say singleReader alike, or use a poller for each.");
}
