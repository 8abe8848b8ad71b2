namespace Raceway.Rings;

/// <content>Stages that are stepped, and how they are called.</content>
internal static partial class Throw
{
    public static ArgumentException AgeOfNothing(TimeSpan maxAge) =>
        new(
            "A batch's maximum age bounds the wait for its minimum, and without one nothing waits: min=1, "
            + $"maxAge={maxAge}. Leave maxAge out to hand over what is there at once, or give a min of 2 or more.",
            nameof(maxAge));

    public static InvalidOperationException MarkedByTwo() =>
        new("A batch is marked by one thread at a time: another one is inside Complete. Count what is done, and mark it by one.");

    public static InvalidOperationException NotTheDriver(string stage) =>
        new(
            $"Only its driver steps a stage, or items would be handled twice: stage='{stage}', drive=OwnThread. Leave it to its "
            + "thread, group or the pool, or attach it with Drive.Caller (in a pipeline: Plan.Manual, or a poller).");

    public static ArgumentException NotOfCaller(string stage) =>
        new(
            $"A manual driver steps stages that their caller drives: stage='{stage}', drive=OwnThread. Attach it with Drive.Caller.",
            "stages");
}
