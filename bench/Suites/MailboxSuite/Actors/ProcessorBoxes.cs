using Raceway.Suites.FSharp;

namespace Raceway.Suites.MailboxSuite.Actors;

/// <summary>F#'s <c>MailboxProcessor</c>, with its loop written in F#.</summary>
internal readonly struct ProcessorBoxes : IBoxes<ProcessorActor>
{
    public static ProcessorActor Start(Actor actor, int? bound) => new(actor.Take);

    public static void Post(ProcessorActor box, int message) => box.Post(message);

    public static ValueTask PostAsync(ProcessorActor box, int message)
    {
        box.Post(message);
        return default;
    }

    public static void End(ProcessorActor box) => box.Post(-1);
}
