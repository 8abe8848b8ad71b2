using System.CommandLine;
using System.Text;
using Raceway.Lab.Reporting;
using Raceway.Scenarios.Measuring;

namespace Raceway.Lab.Cli;

/// <summary><c>raceway report</c>: result files as a page for a reader.</summary>
internal sealed class ReportCommand : ToolCommand
{
    private readonly Argument<string[]> _files = new("FILE")
    {
        Description = "Result files, as --json writes them; the page has them in this order.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<string?> _markdown = CommonOptions.File("--markdown", "Write the page to FILE as Markdown.");

    /// <summary>Creates the command.</summary>
    public ReportCommand(ToolConsole console)
        : base(
            "report",
            "Makes a page of result files: machine, commands, claims with wins and losses, a table for each case. "
            + "Prints it where no file is named.",
            console)
    {
        Add(_files);
        Add(_markdown);
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway report ring.json", "prints the page"),
        ("raceway report ring.json run.json --markdown docs/benchmarks.md", "writes it, from two runs"),
    ];

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CancellationToken cancellation)
    {
        string[] names = options.GetRequiredValue(_files);
        string? markdown = options.GetValue(_markdown);
        OutputGuard.RefuseInput(names, markdown);
        (string, ResultFile)[] files = [.. names.Select(static name => (Path.GetFileName(name), ResultInput.Read(name)))];
        using OutputFile? page = OutputFile.Open("--markdown", markdown);
        cancellation.ThrowIfCancellationRequested();

        Report report = ResultsReport.Of(files);
        if (page is null)
        {
            ConsoleReport.Write(report, Console);
            return ExitCode.Done;
        }

        page.Commit(stream => stream.Write(Encoding.UTF8.GetBytes(MarkdownReport.Of(report))));
        Console.Out.WriteLine($"Wrote '{markdown}'.");
        return ExitCode.Done;
    }
}
