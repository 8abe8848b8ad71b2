namespace Raceway.Pipelines;

/// <summary>Texts of errors of publishers: rule, value, remedy.</summary>
internal static class PublishingErrors
{
    public static InvalidOperationException Nested() =>
        new(
            "A writer fills its slot, and publishes nothing else by the same publisher: the slot is open. Publish before or after, "
            + "or in a handler.");

    public static InvalidOperationException FindsItself() =>
        new("What finds the ring of a publisher must not use that publisher: it has no ring before. Return the ring.");

    public static InvalidOperationException FindsNothing() =>
        new("The function that finds the ring of a publisher has returned null. Return the ring, or throw why there is none.");
}
