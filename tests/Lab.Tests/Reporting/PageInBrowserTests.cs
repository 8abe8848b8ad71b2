using Raceway.Lab.Reporting;
using Raceway.Scenarios.Measuring;

namespace Raceway.Lab.Tests;

/// <summary>The page as a browser has it: nothing complains, nothing is asked of a network, everything is drawn.</summary>
public sealed class PageInBrowserTests : IDisposable
{
    // What a canvas shows beside its background, to tell a drawn chart from an empty one.
    private const string Painted = """
        [...document.querySelectorAll('figure.chart')].map(figure => {
          const canvas = figure.querySelector('canvas');
          if (!canvas) return 0;
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          const colours = new Set();
          for (let at = 0; at < data.length; at += 4)
            if (data[at + 3] > 200) colours.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
          return colours.size;
        })
        """;

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [BrowserFact]
    public void Page_OfEverything_IsDrawnWithoutComplaintOrRequest()
    {
        string page = Write(SampleResults.Everything());
        using var browser = new Browser();

        foreach ((int width, bool isDark) in new[] { (1040, false), (1040, true), (360, false) })
        {
            browser.Open(page, width, isDark: isDark);
            Look(browser, $"everything-{width}{(isDark ? "-dark" : "")}.png");
            AssertDrawn(browser, charts: 8);
            Assert.Equal(new Uri(page).AbsoluteUri, Assert.Single(browser.Requests));
            Assert.True((int)browser.Evaluate("document.documentElement.scrollWidth")! <= width, "the page itself scrolls sideways");
        }
    }

    private static void AssertDrawn(Browser browser, int charts)
    {
        Assert.Empty(browser.Complaints);
        Assert.Null(browser.Evaluate("document.documentElement.dataset.error"));
        int[] painted = [.. browser.Evaluate(Painted)!.AsArray().Select(static colours => (int)colours!)];
        Assert.Equal(charts, painted.Length);
        Assert.All(painted, static colours => Assert.True(colours > 3, $"a canvas shows {colours} colours"));
        Assert.True((bool)browser.Evaluate(
            "[...document.querySelectorAll('figure.chart')].every(figure => figure.dataset.drawn === figure.dataset.series)")!);
    }

    private string Write(ResultFile result) =>
        _folder.Write("page.html", HtmlPage.Of(ResultsReport.Of([("sample.json", result)])));

    // For whoever wants to see what is tested.
    private static void Look(Browser browser, string name)
    {
        if (Environment.GetEnvironmentVariable("RACEWAY_PICTURES") is { Length: > 0 } folder)
        {
            File.WriteAllBytes(Path.Combine(folder, name), browser.Picture(whole: true));
        }
    }
}
