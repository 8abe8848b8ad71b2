using System.Security.Cryptography;
using System.Text;

namespace Raceway.Lab.Reporting;

/// <summary>What is part of every page: style, scripts and the licence of the one that is not ours.</summary>
/// <remarks>
/// A page names the hashes of its own style and scripts, and nothing else may run in it: a text from a result file that
/// would slip through the escaping still is no program.
/// </remarks>
internal static class PageAssets
{
    /// <summary>The style, uPlot's first.</summary>
    public static string Style { get; } = $"{Read("uPlot.min.css")}\n{Read("page.css")}\n{HeatScale.Style}";

    /// <summary>uPlot.</summary>
    public static string Library { get; } = Read("uPlot.iife.min.js");

    /// <summary>What draws the page's charts with it.</summary>
    public static string Script { get; } = Read("charts.js");

    /// <summary>uPlot's licence.</summary>
    public static string LibraryLicence { get; } = Read("uPlot.LICENSE.txt");

    /// <summary>The content security policy of a page with or without charts.</summary>
    public static string Policy(bool hasCharts) =>
        $"default-src 'none'; style-src '{Hash(Style)}'; base-uri 'none'; form-action 'none'"
        + (hasCharts ? $"; script-src '{Hash(Library)}' '{Hash(Script)}'" : "");

    private static string Hash(string text) => $"sha256-{Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(text)))}";

    // The line ends that a browser sees after reading, whatever a checkout made of them.
    private static string Read(string name)
    {
        using Stream stream = typeof(PageAssets).Assembly.GetManifestResourceStream($"Raceway.Lab.Assets.{name}")!;
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return reader.ReadToEnd().ReplaceLineEndings("\n").Trim('\n');
    }
}
