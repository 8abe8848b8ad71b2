using System.CommandLine;
using System.Text;
using Raceway.Lab.Reporting;
using Raceway.Lab.Reporting.Documents;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary><c>raceway report</c>: result files as a page for a reader.</summary>
internal sealed class ReportCommand : ToolCommand
{
    private readonly Argument<string[]> _files = new("FILE")
    {
        Description = "Result files, as --json writes them; the page has them in this order.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<string?> _html = CommonOptions.Html();
    private readonly Option<string?> _markdown = CommonOptions.File("--markdown", "Write the report to FILE as Markdown.");
    private readonly Option<string?> _json = CommonOptions.File(
        "--json", "Write the figures of all FILEs to FILE as one; they must be of one machine.");

    private readonly Option<string?> _summary = CommonOptions.File(
        "--summary", "Write what documents quote to FILE: as --json, but medians and intervals alone, a line for each.");

    private readonly Option<string[]> _pages = new("--pages")
    {
        Description = "Rewrite the figures of these Markdown pages from the result files which their markers name.",
        HelpName = "FILE",
        AllowMultipleArgumentsPerToken = true,
    };

    private readonly Option<string?> _svg = new("--svg")
    {
        Description = "Write a plot of each case to the folder DIR, as SVG: for documents.",
        HelpName = "DIR",
    };

    private readonly Option<string?> _redraw = new("--redraw")
    {
        Description = "As --svg, but only the plots that the folder DIR has already: those of documents, after another run.",
        HelpName = "DIR",
    };

    private readonly Option<string[]> _only = new("--only")
    {
        Description = "Only these contestants; tables have them in this order. 'raceway/batch/*' means all that begin so. Aims and the answer are left out then.",
        HelpName = "NAME",
        AllowMultipleArgumentsPerToken = true,
    };

    /// <summary>Creates the command.</summary>
    public ReportCommand(ToolConsole console)
        : base(
            "report",
            "Makes a page of result files: ahead, level or behind, charts and tables for each case, how it was measured, the machine. "
            + "Prints it where no file to write is named.",
            console)
    {
        Add(_files);
        Add(_html);
        Add(_markdown);
        Add(_json);
        Add(_summary);
        Add(_pages);
        Add(_svg);
        Add(_redraw);
        Add(_only);
        foreach (Option<string?> folder in new[] { _svg, _redraw })
        {
            folder.Validators.Add(result =>
            {
                if (result.Tokens is [{ Value: var name }] && string.IsNullOrWhiteSpace(name))
                {
                    result.AddError($"{folder.Name} takes the name of a folder, but got an empty one; leave the option out instead.");
                }
            });
        }
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway report ring.json", "prints the report"),
        ("raceway report ring.json --html ring.html", "a page with charts that needs nothing else, for any browser"),
        ("raceway report ring.json run.json --markdown page.md", "tables only, from two runs"),
        ("raceway report sharing.json --svg docs/plots", "a plot of each case as SVG, readable in dark and light"),
        ("raceway report docs/results/batching.json --redraw docs/plots", "the plots of documents, of the run that is stored now"),
        ("raceway report run.json --only raceway/default channel --svg docs/plots", "a plot of two contestants for a document"),
        ("raceway report ring.json --summary docs/results/ring.json --pages README.md docs/*.md", "stores the run, and its figures in the pages that quote it"),
        ("raceway report monday.json tuesday.json --json week.json", "one result file out of two"),
    ];

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CommandRun run)
    {
        CancellationToken cancellation = run.Cancellation;
        string[] names = options.GetRequiredValue(_files);
        string? html = options.GetValue(_html), markdown = options.GetValue(_markdown), json = options.GetValue(_json), summary = options.GetValue(_summary);
        string[] pages = options.GetValue(_pages) ?? [];
        OutputGuard.RefuseTwice([html, markdown, json, summary, .. pages]);
        OutputGuard.RefuseInput(names, [html, markdown, json, summary, .. pages]);
        string[] only = options.GetValue(_only) ?? [];
        (string, ResultFile)[] files = [.. names.Select(name => (ShortName(name, names), Chosen(name, ResultInput.Read(name), only)))];
        ResultFile? merged = json is null && summary is null ? null : ResultMerge.Of(files);
        using OutputFile? page = OutputFile.Open("--html", html);
        using OutputFile? text = OutputFile.Open("--markdown", markdown);
        using OutputFile? data = OutputFile.Open("--json", json);
        using OutputFile? quoted = OutputFile.Open("--summary", summary);
        cancellation.ThrowIfCancellationRequested();

        Report report = ResultsReport.Of(files);
        Commit(page, html, () => HtmlPage.Of(report));
        Commit(text, markdown, () => MarkdownReport.Of(report));
        Commit(data, json, () => merged!.ToJson() + "\n");
        Commit(quoted, summary, () => ResultSummary.Of(merged!).ToLines());
        foreach (string one in pages) Rewrite(one);
        string? plots = options.GetValue(_svg), redrawn = options.GetValue(_redraw);
        if (redrawn is not null && !Directory.Exists(redrawn)) throw new ToolException($"--redraw takes a folder that has plots, but there is no '{redrawn}'.", ExitCode.Usage);
        if (plots is not null) OutputFolder.Write(plots, SvgPlots.Of(files), Console);
        if (redrawn is not null)
            OutputFolder.Write(redrawn, SvgPlots.Of(files).Where(plot => File.Exists(Path.Combine(redrawn, plot.FileName))), Console);
        if (plots is null && redrawn is null && page is null && text is null && data is null && quoted is null && pages.Length == 0)
        {
            ConsoleReport.Write(report, Console);
        }

        return ExitCode.Done;
    }

    private static ResultFile Chosen(string file, ResultFile result, string[] only)
    {
        if (only.Length == 0) return result;
        string[] known = [.. result.Rows.Select(static row => row.Contestant).Distinct()];
        if (only.FirstOrDefault(name => !known.Any(one => IsNamed(one, name))) is { } odd)
            throw new ToolException($"--only takes contestants of the file: '{file}' has no '{odd}'. It has {string.Join(", ", known)}.", ExitCode.Usage);
        return result with
        {
            Rows = [.. only.SelectMany(name => result.Rows.Where(row => IsNamed(row.Contestant, name) && !AimsReport.IsAim(row) && !StandingReport.IsStanding(row)))],
            Curves = [.. (result.Curves ?? []).Where(curve => only.Any(name => IsNamed(curve.Contestant, name) || IsNamed(curve.Contestant + "/", name)))],
        };
    }

    private static bool IsNamed(string contestant, string name) =>
        name.EndsWith('*') ? contestant.StartsWith(name[..^1], StringComparison.Ordinal) : contestant == name;

    // Files of one name in several folders go by their whole paths.
    private static string ShortName(string name, string[] all) =>
        all.Count(other => Path.GetFileName(other) == Path.GetFileName(name)) > 1 ? name : Path.GetFileName(name);

    // Result files are named from the page's folder on.
    private void Rewrite(string page)
    {
        if (!File.Exists(page)) throw new ToolException($"there is no page '{page}'; --pages takes Markdown files.", ExitCode.Usage);
        string before = File.ReadAllText(page), folder = Path.GetDirectoryName(page) ?? "";
        string after = PageFigures.Rewrite(before, page, name => ResultInput.Read(Path.Combine(folder, name)));
        if (after == before) return;
        using OutputFile? rewritten = OutputFile.Open("--pages", page);
        Commit(rewritten, page, () => after);
    }

    private void Commit(OutputFile? file, string? name, Func<string> content)
    {
        if (file is null)
        {
            return;
        }

        file.Commit(stream => stream.Write(Encoding.UTF8.GetBytes(content())));
        Console.Out.WriteLine($"Wrote '{name}'.");
    }
}
