using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Reporting;

public sealed partial class HtmlPageTests
{
    // What must not become an element, an attribute, the end of a script, or a comment, wherever it stands.
    private const string Hostile = "\"'><img src=x onerror=window.hacked=1></script><script>window.hacked=1</script><!--&lt;";

    /// <summary>A file whose every text is hostile.</summary>
    internal static ResultFile HostileFile
    {
        get
        {
            ResultFile file = SampleResults.Everything();
            return file with
            {
                Version = Hostile, Commit = Hostile, Suite = Hostile,
                Options = new Dictionary<string, string> { ["command"] = Hostile, ["quick"] = Hostile },
                Machine = file.Machine with
                    { Cpu = Hostile, Os = Hostile, Runtime = Hostile, Tiering = Hostile, Affinity = Hostile },
                Rows = [.. file.Rows.Select(static row => row with
                {
                    Case = Hostile + row.Case, Contestant = Hostile + row.Contestant, Note = row.Note ?? Hostile,
                    Knobs = row.Knobs?.ToDictionary(static knob => Hostile + knob.Key, static knob => Hostile + knob.Value),
                })],
                Curves = [.. file.Curves!.Select(static curve => curve with
                {
                    Case = Hostile, Contestant = Hostile + curve.Contestant, X = Hostile, Y = Hostile,
                })],
                Timelines = [.. file.Timelines!
                    .Select(static one => one with { Contestant = Hostile, Stage = Hostile + one.Stage })],
            };
        }
    }

    [Fact]
    public void Page_OfEverything_HasThisStructure() => Assert.Equal(
        """
        h1 Benchmarks
        h2 Cases of sample.json
        h3 1p-1c
        table 1p-1c: M events/s with the 95 % interval; more is better
        table sample: 1p-1c
        h3 main-job
        table main-job: M events/s with the 95 % interval; more is better
        figcaption main-job: throughput against latency-p99; right and low is better
        table main-job: throughput and latency-p99
        table sample: main-job
        h3 main-job at half speed
        table main-job at half speed: latency-p99 with the 95 % interval; less is better
        table sample: main-job at half speed
        h3 sweep
        table sweep: M events/s with the 95 % interval; more is better
        table sweep: M events/s by batch and wait; the best one is outlined
        table sweep: latency-p99 by batch and wait; the best one is outlined
        figcaption sweep: throughput against latency-p99; right and low is better
        table sweep: throughput and latency-p99
        table sample: sweep
        h3 one-way
        figcaption one-way: latency by percentile
        table one-way: latency by percentile, ns
        figcaption one-way: latency (ns, p99) against the load offered
        table one-way: latency (ns, p99) against the load offered, ns, p99
        h3 counters
        figcaption counters: cost by stride (ns/increment)
        table counters: cost by stride (ns/increment), ns/increment
        h3 watched
        table watched, raceway/default: where the stages' time went
        figcaption watched, raceway/default: stage parse over time
        table watched, raceway/default: stage parse in all
        figcaption watched, raceway/default: stage hash over time
        table watched, raceway/default: stage hash in all
        figcaption watched, raceway/default: stage aggregate over time
        table watched, raceway/default: stage aggregate in all
        h2 Aims
        table aims: our figure over the peer's, round by round; an aim holds where the whole interval meets its bound
        h2 How it was measured
        h2 Machine
        table What the figures of this machine stand on
        """.ReplaceLineEndings("\n"),
        Outline(Page(SampleResults.Everything())));

    [Fact]
    public void Page_EveryTable_HasCaptionScopesAndAWayToScrollIt()
    {
        string page = Page(SampleResults.Everything());

        Assert.Equal(page.Split("<table").Length, page.Split("<caption id=").Length);
        Assert.Equal(page.Split("<table").Length, page.Split("role=\"region\" aria-labelledby=\"").Length);
        Assert.Equal(page.Split("<th ").Length, page.Split(" scope=\"").Length);
        Assert.DoesNotContain("<th>", page, StringComparison.Ordinal);
        Assert.Equal(page.Split("<figure").Length, page.Split("<details><summary>The same as a table").Length);
    }

    [Fact]
    public void Page_NamesAndLinks_FitTogether()
    {
        string page = Page(SampleResults.Everything());
        string[] ids = [.. Ids().Matches(page).Select(static match => match.Groups[1].Value)];

        Assert.Equal(ids.Length, ids.Distinct().Count());
        Assert.All(Targets().Matches(page).Select(static match => match.Groups[1].Value), target => Assert.Contains(target, ids));
        Assert.StartsWith(
            "<a class=\"skip\" href=\"#main\">",
            page[(page.IndexOf("<body>\n", StringComparison.Ordinal) + 7)..], StringComparison.Ordinal);
    }

    [Fact]
    public void Page_Policy_NamesItsStyleAndScriptsAndNothingElse()
    {
        string page = Page(SampleResults.Everything());
        string policy = PolicyOf().Match(page).Groups[1].Value;
        string[] style = [.. Styles().Matches(page).Select(static match => match.Groups[1].Value)];
        string[] scripts = [.. Scripts().Matches(page).Select(static match => match.Groups[1].Value)];

        Assert.Equal(
            $"default-src 'none'; style-src '{Hash(Assert.Single(style))}'; base-uri 'none'; form-action 'none'; "
            + $"script-src '{Hash(scripts[0])}' '{Hash(scripts[1])}'",
            policy.Replace("&#39;", "'", StringComparison.Ordinal));
        Assert.Equal(2, scripts.Length);
        Assert.DoesNotContain(" style=\"", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Page_OfEverything_NamesNothingToLoad()
    {
        string page = Page(SampleResults.Everything());
        string written = Scripts().Replace(Styles().Replace(page, ""), "");

        Assert.DoesNotContain(" src=", written, StringComparison.Ordinal);
        Assert.DoesNotContain("<link", written, StringComparison.Ordinal);
        Assert.DoesNotContain("url(", page, StringComparison.Ordinal);
        Assert.DoesNotContain("@import", page, StringComparison.Ordinal);
        Assert.DoesNotContain("http-equiv=\"refresh\"", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Page_HostileTexts_StayTexts()
    {
        string page = Page(HostileFile);

        Assert.DoesNotContain("<img", page, StringComparison.Ordinal);
        Assert.DoesNotContain("<script>window", page, StringComparison.Ordinal);
        Assert.DoesNotContain("<!--", page[20..], StringComparison.Ordinal);
        Assert.Equal(3, page.Split("<script").Length - 1);
        Assert.Equal(3, page.Split("</script").Length - 1);
        Assert.Contains("&quot;&#39;&gt;&lt;img src=x", page, StringComparison.Ordinal);
        string label = Data(page)[0].GetProperty("series")[0].GetProperty("labels")[0].GetString()!;
        Assert.Contains(Hostile, label, StringComparison.Ordinal);
    }

    [Fact]
    public void Page_WithCharts_CarriesTheLicenceOfWhatDrawsThem()
    {
        string page = Page(SampleResults.Everything());

        Assert.Contains("Copyright (c) 2022 Leon Sorokin", page, StringComparison.Ordinal);
        Assert.Contains("THE SOFTWARE IS PROVIDED &quot;AS IS&quot;", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Page_OfNoRows_IsWholeAndRunsNothing()
    {
        string page = Page(SampleResults.File());

        Assert.Equal(
            "h1 Benchmarks\nh2 How it was measured\nh2 Machine\ntable What the figures of this machine stand on", Outline(page));
        Assert.DoesNotContain("<script", page, StringComparison.Ordinal);
        Assert.EndsWith("</html>\n", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Page_RowsWithoutFigures_SayWhy()
    {
        string page = Page(SampleResults.File(
            SampleResults.Row("1p-1c", "a", "throughput", null, "events/s", "not built in"),
            SampleResults.Row("1p-1c", "b", "throughput", null, "events/s")));

        Assert.Contains("not built in", page, StringComparison.Ordinal);
        Assert.DoesNotContain("NaN", page, StringComparison.Ordinal);
        Assert.DoesNotContain("class=\"bars\"", page, StringComparison.Ordinal);
    }

    /// <summary>Behind many figures it would be out of sight.</summary>
    [Fact]
    public void Page_LongNotesOfAWideTable_StandBelowTheirRows()
    {
        const string Long = "line 90 ns, near; a round did not end in 20 s";

        string wide = Page(SampleResults.File([
            .. new[] { "throughput", "latency-p50", "cpu" }.Select(static metric => SampleResults.Row("c", "a", metric, 1, "s", Long)),
            SampleResults.Row("c", "b", "throughput", 1, "s")]));

        Assert.Single(wide.Split($"notes: {Long}</span></td></tr>")[1..]);
        Assert.Single(wide.Split("<tr class=\"note\">")[1..]);
        Assert.DoesNotContain(">notes</th>", wide, StringComparison.Ordinal);
    }

    [Fact]
    public void Page_SeveralFiles_HasTheCasesOfEach()
    {
        ResultFile one = SampleResults.File(SampleResults.Row("1p-1c", "a", "throughput", 5e6, "events/s"));

        string outline = Outline(HtmlPage.Of(ResultsReport.Of([("a.json", one), ("b.json", one)])));

        Assert.Contains("h2 Cases of a.json\nh3 1p-1c\n", outline, StringComparison.Ordinal);
        Assert.Contains("h2 Cases of b.json\nh3 1p-1c\n", outline, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(20_000)]
    public void Page_Of20000Rows_GrowsWithItsRowsOnly(int cases)
    {
        // Either one case with all the contestants, or a case for each two of them.
        ResultFile Of(int rows) => SampleResults.File(Enumerable.Range(0, rows).SelectMany(at => new[]
        {
            SampleResults.Row($"case {at / 2 % cases}", $"contestant {at}", "throughput", 1e6 + at, "events/s"),
            SampleResults.Row($"case {at / 2 % cases}", $"contestant {at}", "latency-p99", 1e6 - at),
        }));

        int half = Page(Of(10_000)).Length, whole = Page(Of(20_000)).Length;

        Assert.InRange(whole, half, 2.1 * half);
        Assert.InRange(whole, 0, 20_000 * 1_500);
    }

    [Fact]
    public void Page_MoreChartsThanItDraws_HasTheRestAsTables()
    {
        ResultCurve[] curves = [.. Enumerable.Range(0, 200).Select(at => new ResultCurve
        {
            Case = $"case {at}", Contestant = "a", Kind = CurveKind.Stride, X = "bytes", Y = "ns", Points = [[0, 1.0], [64, 2]],
        })];

        string page = Page(SampleResults.File() with { Curves = curves });

        Assert.Equal(HtmlChart.Most, page.Split("<figure").Length - 1);
        Assert.Equal(200, page.Split("cost by stride (ns), ns</span>").Length - 1);
    }

    [Fact]
    public void PageOfRun_HasTheAnswerThenTheFiguresThenTheTablesThenTheMachine()
    {
        ResultFile result = SampleResults.Everything();

        string outline = Outline(HtmlPage.Of(ResultsReport.OfRun(
            new Report("raceway compare", [new ReportText("told")]) { Answer = [new ReportText("ahead")], Method = [new ReportText("so")] }, result)));

        Assert.StartsWith("h1 raceway compare\nh2 Answer\nh2 Figures\nh3 1p-1c\n", outline, StringComparison.Ordinal);
        Assert.EndsWith(
            "h2 Results\nh2 How it was measured\nh2 Machine\ntable What the figures of this machine stand on",
                outline, StringComparison.Ordinal);
    }

    private static string Page(ResultFile file) => HtmlPage.Of(ResultsReport.Of([("sample.json", file)]));

    private static JsonElement Data(string page) => JsonDocument.Parse(DataOf().Match(page).Groups[1].Value).RootElement;

    private static string Hash(string text) => $"sha256-{Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(text)))}";

    private static string Outline(string page) => string.Join('\n', Parts().Matches(page).Select(static match =>
        match.Groups[1] is { Success: true, Value: var name }
            ? $"{name} {System.Net.WebUtility.HtmlDecode(match.Groups[2].Value)}"
            : $"table {System.Net.WebUtility.HtmlDecode(match.Groups[3].Value)}"));

    [GeneratedRegex("<(h[1-6]|figcaption)[^>]*>([^<]*)</|<caption[^>]*><span>([^<]*)</span>")]
    private static partial Regex Parts();

    [GeneratedRegex(" id=\"([^\"]*)\"")]
    private static partial Regex Ids();

    [GeneratedRegex(" (?:href=\"#|aria-labelledby=\"|aria-describedby=\")([^\"]*)\"")]
    private static partial Regex Targets();

    [GeneratedRegex("Content-Security-Policy\" content=\"([^\"]*)\"")]
    private static partial Regex PolicyOf();

    [GeneratedRegex("<style>(.*?)</style>", RegexOptions.Singleline)]
    private static partial Regex Styles();

    [GeneratedRegex("<script>(.*?)</script>", RegexOptions.Singleline)]
    private static partial Regex Scripts();

    [GeneratedRegex("<script type=\"application/json\" id=\"charts\">(.*?)</script>", RegexOptions.Singleline)]
    private static partial Regex DataOf();
}
