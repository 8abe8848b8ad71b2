namespace Raceway.Rings;

/// <content>Stages that are stepped, and how they are called.</content>
internal static partial class Throw
{
    public static InvalidOperationException NotTheDriver(string stage) =>
        new(
            $"Only its driver steps a stage, or items would be handled twice: stage='{stage}', drive=OwnThread. Leave it to its "
            + "thread, group or the pool, or attach it with Drive.Caller (in a pipeline: Plan.Manual, or a poller).");

    public static ArgumentException NotOfCaller(string stage) =>
        new(
            $"A manual driver steps stages that their caller drives: stage='{stage}', drive=OwnThread. Attach it with Drive.Caller.",
            "stages");
}
