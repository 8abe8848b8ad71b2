using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization;
using Raceway.Interop.Journal;
using Raceway.Lab.Reporting;

namespace Raceway.Lab.Cli.Journals;

/// <summary>A command about a folder, with its result as JSON.</summary>
internal abstract class JournalPathCommand : ToolCommand
{
    private static readonly JsonSerializerOptions s_json = new()
    {
        WriteIndented = true,
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        DefaultIgnoreCondition = JsonIgnoreCondition.Never,
    };

    private readonly Argument<string> _path = new("PATH") { Description = "The folder." };
    private readonly Option<string?> _json = CommonOptions.File("--json", "Write the result to FILE as JSON.");

    protected JournalPathCommand(string name, string description, ToolConsole console)
        : base(name, description, console)
    {
        Add(_path);
        Add(_json);
        _path.Validators.Add(static result =>
        {
            if (string.IsNullOrWhiteSpace(result.Tokens.Count == 0 ? null : result.Tokens[0].Value)) result.AddError("PATH takes the name of a folder, but got an empty one.");
        });
    }

    /// <inheritdoc/>
    protected sealed override int Execute(ParseResult options, CommandRun run)
    {
        string path = options.GetValue(_path)!;
        string? json = options.GetValue(_json);
        if (Directory.Exists(path)) OutputGuard.RefuseInput(Directory.GetFiles(path), json);
        using OutputFile? output = OutputFile.Open("--json", json);
        try
        {
            return Execute(path, options, run, result => output?.Commit(stream => JsonSerializer.Serialize(stream, result, result.GetType(), s_json)));
        }
        catch (JournalDamagedException damaged)
        {
            throw new ToolException(damaged.Message, ExitCode.Failed, damaged);
        }
        catch (JournalException unusable)
        {
            throw new ToolException(unusable.Message, ExitCode.Usage, unusable);
        }
    }

    /// <summary>Does the work, and hands its result over to be written as JSON.</summary>
    protected abstract int Execute(string path, ParseResult options, CommandRun run, Action<object> write);

    /// <summary>Prints what a journal holds.</summary>
    protected void Print(JournalReport report)
    {
        List<ReportPart> parts =
        [
            new ReportText(Summary(report), IsResult: true),
            new ReportTable(
                "Segments",
                [new("file", IsFigure: false), new("first"), new("items"), new("writes"), new("bytes used"), new("of"), new("epoch"), new("schema", IsFigure: false)],
                [.. report.Segments.Select(static one => (string[])
                [
                    one.File, $"{one.First}", $"{one.Next - one.First}", $"{one.Groups}", $"{one.UsedBytes}", $"{one.Length}", $"{one.Epoch}", $"{one.Schema}",
                ])]),
        ];
        ConsoleReport.Write(new Report($"raceway journal {Name}", parts), Console);
    }

    /// <summary>What it comes to, in a few sentences.</summary>
    protected static string Summary(JournalReport report)
    {
        string items = report.Count == 0 ? "It holds no item" : $"It holds {report.Count} items, {report.First} to {report.Next - 1}";
        string state = report.Damage is { } damage
            ? $"It is damaged: {damage.Reason}, in {damage.File} at offset {damage.Offset}; items are lost from {damage.Sequence} on"
                + (damage.NextKnown is { } next && next > damage.Sequence ? $", and {next} is the next that is known" : "")
            : report.TornBytes > 0 ? $"A torn tail of {report.TornBytes} bytes, of which nothing was acknowledged, is cut by the next opening"
            : report.WasClosed ? "It was closed, and all of it is right"
            : "It was not closed, and all that was stored is right";
        return $"{items}. {state}.";
    }
}
