namespace Raceway.Pipelines;

/// <summary>Texts of errors of publishers: rule, value, remedy.</summary>
internal static class PublishingErrors
{
    public static InvalidOperationException Nested() =>
        new(
            "A writer fills its slot, and publishes nothing else by the same publisher: the slot is open. Publish before or after, "
            + "or in a handler.");
}
