using System.Text;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary>The files that <c>--json</c> and <c>--html</c> ask for.</summary>
internal sealed class Outputs : IDisposable
{
    private readonly OutputFile? _json;
    private readonly OutputFile? _html;

    /// <summary>Opens them.</summary>
    /// <exception cref="ToolException">One cannot be written, or they are one.</exception>
    public Outputs(string? json, string? html)
    {
        OutputGuard.RefuseTwice(json, html);
        _json = OutputFile.Open("--json", json);
        try
        {
            _html = OutputFile.Open("--html", html);
        }
        catch (ToolException)
        {
            _json?.Dispose();
            throw;
        }
    }

    /// <summary>Writes them: the page has what was printed and everything that the figures show.</summary>
    public void Write(ResultFile result, Report report)
    {
        Write(result);
        _html?.Commit(stream => stream.Write(Encoding.UTF8.GetBytes(HtmlPage.Of(ResultsReport.OfRun(report, result)))));
    }

    /// <summary>Writes the one that <c>--json</c> asks for.</summary>
    public void Write(ResultFile result) =>
        _json?.Commit(stream => stream.Write(Encoding.UTF8.GetBytes(result.ToJson() + "\n")));

    /// <inheritdoc/>
    public void Dispose()
    {
        _json?.Dispose();
        _html?.Dispose();
    }
}
