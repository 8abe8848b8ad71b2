using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace Raceway.Interop.Tests.Dashboards;

/// <summary>A Prometheus server of our own that scrapes one address and evaluates a file of rules; Debian's package has it.</summary>
internal sealed class PrometheusServer : IAsyncDisposable
{
    private readonly HttpClient _client = new() { Timeout = TimeSpan.FromMinutes(1) };
    private readonly string _folder;
    private readonly Process _process;
    private readonly Task<string> _said;
    private readonly string _address;

    private PrometheusServer(string folder, Process process, string address)
    {
        (_folder, _process, _address) = (folder, process, address);
        _said = process.StandardError.ReadToEndAsync();
    }

    /// <summary>Why there is none, where there is none.</summary>
    public static string? Missing { get; } =
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Any(static folder => File.Exists(Path.Combine(folder, "prometheus")))
            ? null
            : "not run: it needs Prometheus. apt-get install -y --no-install-recommends prometheus";

    /// <summary>Starts it.</summary>
    /// <param name="scraped">The port of what it scrapes, several times a second.</param>
    /// <param name="rules">The rules, without the time for which they must hold.</param>
    public static PrometheusServer Start(int scraped, string rules)
    {
        string folder = Directory.CreateTempSubdirectory("raceway-prometheus").FullName;
        File.WriteAllText(Path.Combine(folder, "rules.yml"), rules);
        File.WriteAllText(Path.Combine(folder, "prometheus.yml"), $"""
            global:
              scrape_interval: 500ms
              scrape_timeout: 500ms
              evaluation_interval: 500ms
            rule_files: [rules.yml]
            scrape_configs:
              - job_name: raceway
                static_configs:
                  - targets: ['localhost:{scraped}']
            """);
        string address = $"127.0.0.1:{FreePort()}";
        var start = new ProcessStartInfo("prometheus")
        {
            WorkingDirectory = folder, RedirectStandardError = true, RedirectStandardOutput = true,
            ArgumentList =
            {
                "--config.file=prometheus.yml", "--storage.tsdb.path=data", $"--web.listen-address={address}", "--log.level=warn",
            },
        };
        return new PrometheusServer(folder, Process.Start(start)!, address);
    }

    /// <summary>A port that nothing listens on now.</summary>
    public static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    /// <summary>The series that a query gives, by their labels; null while the server is not there.</summary>
    public async Task<IReadOnlyList<JsonElement>?> QueryAsync(string expression)
    {
        JsonElement? answer = await GetAsync($"query?query={Uri.EscapeDataString(expression)}");
        return answer is { } data ? [.. data.GetProperty("result").EnumerateArray()] : null;
    }

    /// <summary>The alerts that fire: their names, and the pipelines that they are about.</summary>
    public async Task<IReadOnlyList<(string Alert, string Pipeline)>> FiringAsync() =>
        await GetAsync("alerts") is { } data
            ? [.. data.GetProperty("alerts").EnumerateArray().Where(static one => one.GetProperty("state").GetString() == "firing")
                .Select(static one => one.GetProperty("labels"))
                .Select(static labels => (labels.GetProperty("alertname").GetString()!, labels.GetProperty("raceway_pipeline_name").GetString()!))]
            : [];

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited) _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private async Task<JsonElement?> GetAsync(string what)
    {
        Assert.False(_process.HasExited, _process.HasExited ? await _said : null);
        try
        {
            using HttpResponseMessage response = await _client.GetAsync(new Uri($"http://{_address}/api/v1/{what}"));
            string text = await response.Content.ReadAsStringAsync();
            // It says that it is not ready while it starts.
            if (response.StatusCode == HttpStatusCode.ServiceUnavailable) return null;
            Assert.True(response.IsSuccessStatusCode, $"{what}: {text}");
            return JsonDocument.Parse(text).RootElement.GetProperty("data");
        }
        catch (HttpRequestException)
        {
            return null;
        }
    }
}
