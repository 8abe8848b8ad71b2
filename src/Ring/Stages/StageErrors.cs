namespace Raceway.Rings;

/// <summary>Errors of stages: rule, value, remedy. Out of line, so that the methods that check stay small.</summary>
internal static class StageErrors
{
    public static ArgumentException NotStateless(string name) => new(
        $"Only a handler that is done when it returns, and keeps nothing, can be stateless: stage='{name}', IsStateless=true. Leave it "
        + "out for a handler that awaits, returns outcomes, makes items of its own or conflates by key, and for a poller; or use a "
        + "handler of single items or of batches.");

    public static InvalidOperationException NotTheDriver(string stage) =>
        new(
            $"Only its driver steps a stage, or items would be handled twice: stage='{stage}', drive=OwnThread. Leave it to its "
            + "thread, group or the pool, or attach it with Drive.Caller (in a pipeline: Plan.Manual, or a poller).");

    public static ArgumentException NotOfCaller(string stage) =>
        new(
            $"A manual driver steps stages that their caller drives: stage='{stage}', drive=OwnThread. Attach it with Drive.Caller.",
            "stages");

    public static ArgumentException NoWeigher(string? stage) =>
        new(
            $"A stage with a maximum weight needs something that weighs its items: stage='{stage}', weigher=none. "
            + "Set StageOptions.Weigher; only items of a ring with payloads weigh their payload by themselves.",
            "options");

    public static ArgumentException WeigherType(string? stage, Type item) =>
        new(
            $"A weigher must take the stage's item type: stage='{stage}', item={item.Name}. Use Weigher.By<{item.Name}>.",
            "options");

    public static InvalidOperationException Weight(string stage, long sequence, long weight) =>
        new($"An item's weight must be 0 or more: stage='{stage}', sequence={sequence}, weight={weight}. Correct its weigher.");

    public static ArgumentException Width(string stage, int width) =>
        new(
            $"A handler's width must be 1 or more: stage='{stage}', width={width}. Return how many items it does for the price of one.",
            "handler");

    public static InvalidOperationException NoSink(string stage) =>
        new(
            $"A dead letter needs a sink: stage='{stage}', outcome=DeadLetter, sink=none. Give the stage "
            + "OnFault = FaultPolicy.DeadLetter(sink), or return Skip.");

    public static InvalidOperationException Returned(string stage, in BatchOutcome outcome) =>
        new($"The handler of stage '{stage}' returned {outcome}, and no cause with it.");

    public static TimeoutException ClaimLost(long sequence, TimeSpan timeout) =>
        new(
            $"A claimed sequence was not published within the claim timeout: sequence={sequence}, timeout={timeout}. "
            + "Its producer has lost it without Commit or Abort; use `using` around claims.");

    public static TimeoutException HandlerTimedOut(string stage, TimeSpan timeout) =>
        new(
            $"The async handler of stage '{stage}' has not completed within twice its timeout: timeout={timeout}. "
            + "Its token was signalled after the first. Raise HandlerTimeout, or let the handler end when its token is signalled.");

    public static ArgumentException NoStages() =>
        new("There must be a stage to step: stages=none. Name one or more, none of them null.", "stages");

    public static ArgumentException PolicyType(string? stage, Type item) =>
        new(
            $"A fault policy's delegates must take the stage's item type: stage='{stage}', item={item.Name}. "
            + $"Use DeadLetter<{item.Name}> or Decide<{item.Name}>.",
            "options");

    public static ArgumentException NoProcessors(string? stage) =>
        new($"A stage needs a processor to run on: stage='{stage}', processors=none. Name one, or leave Processors null.", "options");

    public static ArgumentException Processor(string? stage, int processor) =>
        new(
            $"A processor's number must be between 0 and {Affinity.Most - 1}: stage='{stage}', processor={processor}. "
            + "Use numbers as the system counts them (/proc/cpuinfo).",
            "options");

    public static InvalidOperationException DeciderAnswer(FaultAction answer) =>
        new(
            $"A decider must answer Stop, Skip, Retry or Detach: answer={answer}. There is no dead-letter sink there: keep the item in "
            + "the decider, and answer Skip.");

    public static ArgumentOutOfRangeException ZeroTimeout(string name, TimeSpan timeout) =>
        new(name, timeout, $"A timeout must be above zero, or infinite: {name}={timeout}.");

    public static ArgumentOutOfRangeException Drive(Drive drive) =>
        new(nameof(drive), drive, $"A stage is driven by OwnThread or Caller: drive={drive}.");
}
