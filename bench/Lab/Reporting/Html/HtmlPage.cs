namespace Raceway.Lab.Reporting;

/// <summary>
/// A report as one page that loads nothing, follows the reader's light or dark setting, and is read by keyboard, on a
/// phone and on paper.
/// </summary>
internal static class HtmlPage
{
    private const int LeastContents = 3;
    private const int MostContents = 300;

    /// <summary>The page.</summary>
    public static string Of(Report report)
    {
        var body = new HtmlBody();
        string[] headings = [.. report.Parts.OfType<ReportHeading>().Select(_ => body.NextId("part"))];
        AddStart(body, report, headings);
        AddParts(body, report, headings);
        bool hasCharts = body.Charts.Count > 0;
        if (hasCharts)
        {
            body.Add($"""
                <footer>
                <details><summary>Third-party notices</summary>
                <p>The charts are drawn by uPlot 1.6.32, which is part of this page:</p>
                <pre tabindex="0">{PageAssets.LibraryLicence}</pre>
                </details>
                </footer>

                """);
        }

        // What stands between the parts here is ours or escaped; the policy lets nothing run that it does not name.
        string scripts = hasCharts
            ? $"<script type=\"application/json\" id=\"charts\">{HtmlChart.Data(body.Charts)}</script>\n"
                + $"<script>{PageAssets.Library}</script>\n<script>{PageAssets.Script}</script>\n"
            : "";
        return $"{Head(report, hasCharts)}{body}{scripts}</body>\n</html>\n";
    }

    private static string Head(Report report, bool hasCharts)
    {
        var head = new HtmlBody();
        head.Add($"""
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="generator" content="raceway">
            <meta http-equiv="Content-Security-Policy" content="{PageAssets.Policy(hasCharts)}">
            <title>{report.Title}</title>

            """);
        return $"{head}<style>{PageAssets.Style}</style>\n</head>\n";
    }

    private static void AddStart(HtmlBody body, Report report, string[] ids)
    {
        body.Add($"<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header><h1>{report.Title}</h1></header>\n");
        ReportHeading[] headings = [.. report.Parts.OfType<ReportHeading>()];
        if (headings.Length >= LeastContents)
        {
            body.Add($"<nav aria-label=\"Contents\"><ul>\n");
            for (int at = 0; at < Math.Min(headings.Length, MostContents); at++)
            {
                body.Add($"<li class=\"level-{headings[at].Level}\"><a href=\"#{ids[at]}\">{headings[at].Text}</a></li>\n");
            }

            body.Add($"</ul></nav>\n");
        }

        body.Add($"<main id=\"main\" tabindex=\"-1\">\n");
    }

    private static void AddParts(HtmlBody body, Report report, string[] ids)
    {
        int heading = 0;
        bool isInSection = false;
        foreach (ReportPart part in report.Parts)
        {
            switch (part)
            {
                case ReportText text:
                    body.Add($"<p class=\"{(text.IsResult ? "result" : "text")}\">{text.Text}</p>\n");
                    break;
                case ReportHeading { Level: 1 } section:
                    if (isInSection) body.Add($"</section>\n");
                    isInSection = true;
                    body.Add($"<section aria-labelledby=\"{ids[heading]}\">\n<h2 id=\"{ids[heading]}\">{section.Text}</h2>\n");
                    heading++;
                    break;
                case ReportHeading below:
                    body.Add($"<h3 id=\"{ids[heading]}\">{below.Text}</h3>\n");
                    heading++;
                    break;
                case ReportCommands commands:
                    body.Add($"<pre tabindex=\"0\"><code>{string.Join('\n', commands.Lines)}</code></pre>\n");
                    break;
                case ReportTable table:
                    HtmlTable.Add(body, table);
                    break;
                case ReportBars bars:
                    HtmlBars.Add(body, bars);
                    break;
                case ReportHeatMap map:
                    HtmlHeatMap.Add(body, map);
                    break;
                case ReportChart chart:
                    HtmlChart.Add(body, chart);
                    break;
            }
        }

        if (isInSection) body.Add($"</section>\n");
        body.Add($"</main>\n");
    }
}
