namespace Raceway.Proof.Tests.Misuse;

/// <summary>The kinds of worlds, by name.</summary>
internal static class Worlds
{
    /// <summary>Those in which every rule is checked: nothing is lost, nothing comes twice.</summary>
    public static IReadOnlyList<string> Checked { get; } = ["rings", "pipelines", "channels", "mailboxes", "executors", "scopes"];

    /// <summary>Thread checks are off, and several threads use one single producer: no abort, memory intact, no hang.</summary>
    public const string Unchecked = "unchecked";

    public static World Make(string kind, Ledger ledger, Dice dice, int threads) => kind switch
    {
        "rings" => Ring(Setting.Draw(ledger, dice, threads, isChecked: true)),
        "pipelines" => Pipeline(Setting.Draw(ledger, dice, threads, isChecked: true)),
        "channels" => new ChannelWorld(Setting.Draw(ledger, dice, threads, isChecked: true)),
        "mailboxes" => new MailboxWorld(Setting.Draw(ledger, dice, threads, isChecked: true)),
        "executors" => new ExecutorWorld(Setting.Draw(ledger, dice, threads, isChecked: true)),
        "scopes" => new ScopeWorld(Setting.Draw(ledger, dice, threads, isChecked: true)),
        Unchecked => Ring(Setting.Draw(ledger, dice, threads, isChecked: false)),
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "There is no such world."),
    };

    private static World Ring(Setting setting) => setting.Item switch
    {
        ItemKind.Letter => new RingWorld<Letter, LetterShape>(setting),
        ItemKind.Node => new RingWorld<Node, NodeShape>(setting),
        _ => new RingWorld<Plain, PlainShape>(setting),
    };

    private static World Pipeline(Setting setting) => setting.Item switch
    {
        ItemKind.Letter => new PipelineWorld<Letter, LetterShape>(setting),
        ItemKind.Node => new PipelineWorld<Node, NodeShape>(setting),
        _ => new PipelineWorld<Plain, PlainShape>(setting),
    };
}
