using System.CommandLine;
using Raceway.Interop.Journal;

namespace Raceway.Lab.Cli.Journals;

/// <summary><c>raceway journal dump</c>: the items of a journal.</summary>
internal sealed class DumpCommand : JournalPathCommand
{
    private readonly Option<long?> _from = CommonOptions.Number<long>(
        "--from", "the sequence of an item, 0 or more", static from => from >= 0, "The first item to show. Default: the oldest.");

    private readonly Option<long?> _count = CommonOptions.Number<long>(
        "--count", "a number of items, 1 or more", static count => count >= 1, "How many items to show. Default: all.");

    /// <summary>Creates the command.</summary>
    public DumpCommand(ToolConsole console)
        : base("dump", "Prints items: sequence, length and bytes in hexadecimal. Ends with 1 at a damage. Changes nothing.", console)
    {
        Add(_from);
        Add(_count);
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway journal dump data/orders --from 1000 --count 10", "ten items"),
        ("raceway journal dump data/orders --json items.json", "all items, also as JSON"),
    ];

    /// <inheritdoc/>
    protected override int Execute(string path, ParseResult options, CommandRun run, Action<object> write)
    {
        List<DumpedItem> items = [];
        long left = options.GetValue(_count) ?? long.MaxValue;
        bool keeps = options.GetResult("--json") is not null;
        foreach (StoredItem item in JournalFolder.Read(path, options.GetValue(_from)))
        {
            run.Cancellation.ThrowIfCancellationRequested();
            if (left-- == 0) break;
            var dumped = new DumpedItem(item.Sequence, $"{item.Schema}", Convert.ToHexStringLower(item.Bytes.Span));
            Console.Out.WriteLine($"{dumped.Sequence} {item.Bytes.Length} {dumped.Bytes}");
            if (keeps) items.Add(dumped);
        }

        write(items);
        return ExitCode.Done;
    }

    private sealed record DumpedItem(long Sequence, string Schema, string Bytes);
}
