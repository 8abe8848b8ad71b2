using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>The texts of a mailbox's errors: rule, value, remedy.</summary>
internal static class MailboxErrors
{
    public static ArgumentOutOfRangeException Bound(int bound) =>
        new(nameof(bound), bound, $"A mailbox's bound must be at least 1: bound={bound}. Use null for a mailbox without a bound.");

    public static ArgumentOutOfRangeException MaxBatch(int most) =>
        new(nameof(MailboxOptions<>.MaxBatch), most, $"A mailbox's batch must hold at least one message: maxBatch={most}. Use 1 or more.");

    public static ArgumentOutOfRangeException Timeout(string name, TimeSpan timeout) =>
        new(name, timeout, $"A timeout must not be negative, unless infinite: {name}={timeout}.");

    public static ArgumentException PolicyType(string mailbox, Type message) =>
        new(
            $"A fault policy's delegates must take the mailbox's messages: mailbox='{mailbox}', message={message.Name}. "
            + $"Use DeadLetter<{message.Name}> or Decide<{message.Name}>.",
            "options");

    public static ArgumentException Detach(string mailbox) =>
        new(
            $"A mailbox has no side branches to take out: mailbox='{mailbox}', onFault=Detach. Use Stop, Skip, Retry, DeadLetter or Decide.",
            "options");

    public static InvalidOperationException DeciderAnswer(FaultAction answer) =>
        new($"A mailbox's decider must answer Stop, Skip or Retry: answer={answer}. Keep the message in the decider, and answer Skip.");

    public static ReentrantMailboxException Full(string mailbox, long bound) =>
        new(
            $"A handler waited for room in its own mailbox, which only it can make: mailbox='{mailbox}', bound={bound}. Use TryPost, "
            + "a larger bound, or post to another mailbox.");

    public static ReentrantMailboxException OwnAnswer(string mailbox) =>
        new(
            $"A handler asked its own mailbox, which cannot answer before the handler has returned: mailbox='{mailbox}'. Call the "
            + "method itself, or post a message.");

    public static TimeoutException NoAnswer(string mailbox, TimeSpan timeout) =>
        new($"The mailbox has not answered in time: mailbox='{mailbox}', timeout={timeout}.");
}
