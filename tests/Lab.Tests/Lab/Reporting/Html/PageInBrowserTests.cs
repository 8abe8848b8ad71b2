using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Reporting;

/// <summary>The page as a browser has it: nothing complains, nothing is asked of a network, everything is drawn.</summary>
public sealed class PageInBrowserTests(PageInBrowserTests.Shared shared) : IClassFixture<PageInBrowserTests.Shared>, IDisposable
{
    // What each canvas shows, to tell a drawn chart from an empty one: axes and text alone have few colours that are vivid.
    private const string Vivid = """
        [...document.querySelectorAll('figure.chart')].map(figure => {
          const canvas = figure.querySelector('canvas');
          if (!canvas) return 0;
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          let vivid = 0;
          for (let at = 0; at < data.length; at += 4)
            if (data[at + 3] > 200
                && Math.max(data[at], data[at + 1], data[at + 2]) - Math.min(data[at], data[at + 1], data[at + 2]) > 60)
              vivid++;
          return vivid;
        })
        """;

    private const string Live = "document.querySelector('figure.chart .live').textContent";

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [BrowserTheory]
    [InlineData(400, false)]
    [InlineData(400, true)]
    [InlineData(1400, false)]
    [InlineData(1400, true)]
    public void Page_OfEverything_IsDrawnWithoutComplaintOrRequest(int width, bool isDark)
    {
        string page = Write(SampleResults.Everything());

        shared.Browser.Open(page, width, isDark);

        AssertSound(page, charts: 8);
        Assert.Equal(isDark ? "rgb(13, 17, 23)" : "rgb(255, 255, 255)", Text("getComputedStyle(document.body).backgroundColor"));
        Assert.True(
            (int)shared.Browser.Evaluate("document.documentElement.scrollWidth")! <= width, "the page itself scrolls sideways");
    }

    [BrowserFact]
    public void Page_OfAQuickRun_IsDrawnWithoutComplaintOrRequest()
    {
        string run = _folder.File("run.html"), compare = _folder.Write("compare.html", SharedRun.Compare.Html);
        string input = _folder.Write(
            "lines", string.Concat(Enumerable.Range(0, 500).Select(static at => $"<member name=\"M:{at}\">\n")));
        Assert.Equal(0, CommandLine.Run("run", "--quick", "--input", input, "--html", run).ExitCode);

        shared.Browser.Open(run);
        AssertSound(run, charts: 1, orMore: true);
        shared.Browser.Open(compare);

        // Percentiles of two cases, and two latencies against the load; fronts where the contestants' rates differ.
        AssertSound(compare, charts: 4, orMore: true);
    }

    [BrowserFact]
    public void Page_WideHeatMapOnAPhone_ScrollsInItsOwnBox()
    {
        // The best one is the last, far to the right of the screen.
        string page = Write(SampleResults.File(
            from wait in new[] { "park", "yield" }
            from power in Enumerable.Range(0, 13)
            select SampleResults.Row("sweep", $"{wait}/{power}", "throughput", 1e6 * (power + 1), "events/s") with
            {
                Knobs = new Dictionary<string, string> { ["wait"] = wait, ["batch"] = $"{1 << power}" },
            }));

        shared.Browser.Open(page, width: 360);

        Assert.Equal(1, (int)shared.Browser.Evaluate("document.querySelectorAll('.heat').length")!);
        Assert.Equal(360, (int)shared.Browser.Evaluate("document.documentElement.scrollWidth")!);
        Assert.Equal("true", Text("String(document.querySelector('.heat').getBoundingClientRect().right > 400)"));
    }

    [BrowserFact]
    public void Page_HostileTexts_DoNotRunAndAreDrawn()
    {
        string page = Write(HtmlPageTests.HostileFile);

        shared.Browser.Open(page);

        AssertSound(page, charts: 8);
        Assert.Equal("undefined", Text("typeof window.hacked"));
        Assert.Equal(0, (int)shared.Browser.Evaluate("document.images.length")!);
    }

    [BrowserFact]
    public void Page_WhatItDoesNotName_IsRefused()
    {
        // The policy itself is tried: a page that was changed on its way runs nothing more.
        string page = Write(SampleResults.Everything());
        File.WriteAllText(page, File.ReadAllText(page)
            .Replace("</main>", "<script>window.hacked = 1</script></main>", StringComparison.Ordinal));

        shared.Browser.Open(page);

        Assert.Equal("undefined", Text("typeof window.hacked"));
        Assert.Contains(shared.Browser.Complaints,
            static one => one.Contains("Content Security Policy", StringComparison.Ordinal));
    }

    [BrowserFact]
    public void Page_ByKeyboard_IsSkippedReadAndToggled()
    {
        string page = Write(SampleResults.Everything());
        shared.Browser.Open(page);

        shared.Browser.Press("Tab", 9);
        Assert.Equal("skip", Text("document.activeElement.className"));

        // Along the first chart: every step tells what the cursor is at.
        shared.Browser.Evaluate("document.querySelector('.plot').focus()");
        shared.Browser.Press("ArrowRight", 39);
        Assert.Equal("channel: 2 M/s, 21 µs", Settled(Live));
        shared.Browser.Press("End", 35);
        Assert.Equal("raceway/default: 9 M/s, 9 µs", Settled(Live));
        shared.Browser.Press("Escape", 27);
        Assert.Equal("", Settled(Live));

        // A name in the legend takes its series away and brings it back.
        const string state = "document.querySelector('.legend button').getAttribute('aria-pressed')"
            + " + document.querySelector('figure').dataset.drawn";
        shared.Browser.Evaluate("document.querySelector('.legend button').focus()");
        shared.Browser.Press(" ", 32);
        Assert.Equal("false1", Settled(state));
        shared.Browser.Press(" ", 32);
        Assert.Equal("true2", Settled(state));
    }

    [BrowserFact]
    public void Page_OnPaper_IsLightAlsoForThoseWhoReadInTheDark()
    {
        string page = Write(SampleResults.Everything());
        shared.Browser.Open(page, isDark: true);

        Assert.Equal("rgb(255, 255, 255)", Settled(
            "(dispatchEvent(new Event('beforeprint')), getComputedStyle(document.body).backgroundColor)"));
        Assert.Equal("rgb(13, 17, 23)", Settled(
            "(dispatchEvent(new Event('afterprint')), getComputedStyle(document.body).backgroundColor)"));
        AssertSound(page, charts: 8);
    }

    private string Text(string expression) => (string)shared.Browser.Evaluate(expression)!;

    // What a key or an event has brought about is on the page two frames later.
    private string Settled(string expression)
    {
        shared.Browser.Settle();
        return Text(expression);
    }

    private void AssertSound(string page, int charts, bool orMore = false)
    {
        Assert.Empty(shared.Browser.Complaints);
        Assert.Equal([new Uri(page).AbsoluteUri], shared.Browser.Requests);
        Assert.Equal("undefined", Text("typeof document.documentElement.dataset.error"));
        int[] vivid = [.. shared.Browser.Evaluate(Vivid)!.AsArray().Select(static count => (int)count!)];
        Assert.InRange(vivid.Length, charts, orMore ? int.MaxValue : charts);
        Assert.All(vivid, static count => Assert.True(count > 20, $"a chart has {count} coloured points"));
        Assert.Equal("true", Text(
            "String([...document.querySelectorAll('figure.chart')]"
                + ".every(figure => figure.dataset.drawn === figure.dataset.series))"));
    }

    private string Write(ResultFile result) =>
        _folder.Write("page.html", HtmlPage.Of(ResultsReport.Of([("sample.json", result)])));

    /// <summary>One browser for all tests: starting it is most of what they take.</summary>
    public sealed class Shared : IDisposable
    {
        private readonly Lazy<Browser> _browser = new();

        internal Browser Browser => _browser.Value;

        public void Dispose()
        {
            if (_browser.IsValueCreated) _browser.Value.Dispose();
        }
    }
}
