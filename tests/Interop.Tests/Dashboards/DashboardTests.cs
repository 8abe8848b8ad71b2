using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.RegularExpressions;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Dashboards;

/// <summary>
/// The dashboard and the alert rules, by a real Prometheus over pipelines that run: each query has data, each alert fires on the fault
/// that is planted for it, and on no other pipeline.
/// </summary>
public sealed partial class DashboardTests
{
    private const string Healthy = "healthy", Failing = "failing", Standing = "standing", Full = "full";

    private static readonly string s_folder = Path.Combine(Tree.Root, "docs", "dashboards");

    // Seconds for minutes: a rule looks back on them, and then must hold for them.
    private static string Rules => Minutes().Replace(File.ReadAllText(Path.Combine(s_folder, "alerts.yml")), "$1s");

    [PrometheusFact]
    public async Task PlannedFaults_EachQueryHasData_EachAlertFiresOnItsFaultAlone()
    {
        int port = PrometheusServer.FreePort();
        using MeterProvider metrics = Sdk.CreateMeterProviderBuilder().AddMeter(PipelineMeter.MeterName)
            .AddPrometheusHttpListener(options => options.Port = port).Build();
        await using var planted = new PlantedPipelines();
        await using PrometheusServer server = PrometheusServer.Start(port, Rules);

        (string Title, string Expression)[] queries = [.. Queries()];
        Assert.True(queries.Length >= 10, $"{queries.Length} queries");
        foreach ((string title, string expression) in queries)
        {
            bool found = await AsksUntil(async () => (await server.QueryAsync(expression))?.Any(static one => PipelineOf(one) == Healthy) == true);
            Assert.True(found, $"no data of '{Healthy}': {title}");
        }

        (string, string)[] expected =
        [
            ("RacewayItemsNotHandled", Failing), ("RacewayHandlerFails", Failing), ("RacewayStageStands", Standing), ("RacewayProducersWait", Full),
        ];
        Assert.Equal(AlertNames().Matches(Rules).Select(static one => one.Groups[1].Value).Order(), expected.Select(static one => one.Item1).Order());
        (string, string)[] missing = expected;
        await AsksUntil(async () => (missing = [.. expected.Except(await server.FiringAsync())]).Length == 0);
        Assert.True(missing.Length == 0, $"missing: {string.Join(", ", missing)}; {await FiguresAsync(server)}");
        (string Alert, string Pipeline)[] ours = [.. (await server.FiringAsync()).Where(static one => PlantedPipelines.Names.Contains(one.Pipeline))];
        Assert.Empty(ours.Except(expected));
    }

    [Fact]
    public void Queries_NameInstrumentsThatThePagesHave()
    {
        string[] known =
        [
            .. Instruments().Matches(File.ReadAllText(Path.Combine(Tree.Root, "docs", "observing.md")))
                .Select(static one => one.Groups[1].Value.Replace('.', '_')),
        ];
        Assert.NotEmpty(known);
        string[] used = [.. Metrics().Matches(Rules + string.Join(' ', Queries().Select(static one => one.Expression))).Select(static one => one.Value).Distinct()];
        Assert.NotEmpty(used);
        Assert.All(used, metric => Assert.Contains(known, one => metric == one || metric == $"{one}_total" || metric == $"{one}_seconds_total"));
    }

    private static IEnumerable<(string Title, string Expression)> Queries()
    {
        using JsonDocument dashboard = JsonDocument.Parse(File.ReadAllText(Path.Combine(s_folder, "raceway.json")));
        foreach (JsonElement panel in dashboard.RootElement.GetProperty("panels").EnumerateArray())
        {
            if (!panel.TryGetProperty("targets", out JsonElement targets)) continue;
            foreach (JsonElement target in targets.EnumerateArray())
            {
                string expression = target.GetProperty("expr").GetString()!;
                yield return (
                    panel.GetProperty("title").GetString()!,
                    expression.Replace("$__rate_interval", "10s", StringComparison.Ordinal).Replace("$pipeline", ".*", StringComparison.Ordinal));
            }
        }
    }

    /// <summary>Asks again and again, with three minutes of pauses at most, which leave the server time for its own work.</summary>
    private static async Task<bool> AsksUntil(Func<Task<bool>> answered)
    {
        for (int pauses = 0; pauses < 720; pauses++)
        {
            if (await answered()) return true;
            await Task.Delay(250);
        }

        return false;
    }

    // What the rules look at, as the server has it now.
    private static async Task<string> FiguresAsync(PrometheusServer server)
    {
        List<string> all = [];
        foreach (string expression in (string[])["rate(raceway_ring_producer_blocked_seconds_total[5s])", "avg_over_time(raceway_ring_backlog[5s])", "avg_over_time(up[10s])"])
        {
            IEnumerable<string> each = (await server.QueryAsync(expression) ?? []).Select(static one => $"{PipelineOf(one)} {one.GetProperty("value")[1]}");
            all.Add($"{expression}: {string.Join(", ", each)}");
        }

        return string.Join("; ", all);
    }

    private static string? PipelineOf(JsonElement series) =>
        series.GetProperty("metric").TryGetProperty("raceway_pipeline_name", out JsonElement name) ? name.GetString() : null;

    [GeneratedRegex("(?<=for: |\\[)([0-9]+)m\\b")]
    private static partial Regex Minutes();

    [GeneratedRegex("alert: (\\w+)")]
    private static partial Regex AlertNames();

    [GeneratedRegex(@"\| `(raceway\.[a-z_.]+)` \|")]
    private static partial Regex Instruments();

    [GeneratedRegex("raceway_(?:ring|stage)_(?!name|state)[a-z_]+")]
    private static partial Regex Metrics();

    /// <summary>Four pipelines under load: one that is well, and one for each kind of fault.</summary>
    private sealed class PlantedPipelines : IAsyncDisposable
    {
        private readonly CancellationTokenSource _ends = new();
        private readonly ManualResetEventSlim _gate = new();
        private readonly List<(Pipeline<int> Pipeline, PipelineMeter Meter, Task Publishing)> _all = [];

        [SuppressMessage("Performance", "CA1806", Justification = "The handler throws.")]
        public PlantedPipelines()
        {
            Add(Healthy, 1_024, static (ref int _) => { });
            Add(Failing, 1_024, static (ref int item) =>
            {
                if (item % 10 == 0) throw new FormatException("planted");
            });
            Add(Standing, 1_024, (ref int _) => _gate.Wait(), most: 100);
            // A batch takes the whole ring and more than a second; then its publisher fills the ring in steps, for some milliseconds.
            Add(Full, 64, static (ref int _) => Thread.Sleep(20));
        }

        public static string[] Names { get; } = [Healthy, Failing, Standing, Full];

        public async ValueTask DisposeAsync()
        {
            await _ends.CancelAsync();
            _gate.Set();
            foreach ((Pipeline<int> pipeline, PipelineMeter meter, Task publishing) in _all)
            {
                await publishing;
                meter.Dispose();
                await pipeline.HaltAsync();
                await pipeline.DisposeAsync();
            }

            _ends.Dispose();
            _gate.Dispose();
        }

        private void Add(string name, int capacity, SlotAction<int> work, int most = int.MaxValue)
        {
            Pipeline<int> pipeline = Pipeline.Of<int>(capacity)
                .OnFault(FaultPolicy.Retry(1, FaultPolicy.Skip))
                .Stage("first", static (ref int _) => { })
                .Stage("work", work)
                .Run();
            _all.Add((pipeline, pipeline.CreateMeter(name), Task.Run(() => PublishAsync(pipeline, most))));
        }

        private async Task PublishAsync(Pipeline<int> pipeline, int most)
        {
            SingleProducer<int> producer = pipeline.CreateProducer();
            try
            {
                for (int i = 0; i < most; i++)
                {
                    // Without holding a thread where it is full.
                    await producer.PublishAsync(i, _ends.Token);
                    if (i % 8 == 7) await Task.Delay(1, _ends.Token);
                }
            }
            catch (OperationCanceledException)
            {
                // The test is over.
            }
        }
    }

    /// <summary>A test that needs a Prometheus server.</summary>
    private sealed class PrometheusFactAttribute : FactAttribute
    {
        public PrometheusFactAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
            : base(file, line) => Skip = PrometheusServer.Missing;
    }
}
