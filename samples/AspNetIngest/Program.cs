using System.Globalization;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

// Requests come on any thread; their lines go through a pipeline into one file, batch by batch.
const int Clients = 4, Requests = 50, Lines = 20;
string path = Path.GetTempFileName();

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0");
builder.Services.AddSingleton(new Target(path));
builder.Services.AddPipeline<Reading>(static (pipeline, handlers) => pipeline
    .MultiProducer()
    .Stage("check", static (ref Reading reading) => reading.IsValid = double.IsFinite(reading.Value))
    .Stage("write", handlers.Get<FileSink>(), Dispatch.Batch(max: 256)));
builder.Services.AddHealthChecks().AddPipeline(nameof(Reading));

WebApplication app = builder.Build();
app.MapHealthChecks("/health");
app.MapPost("/readings", static async (HttpRequest request, Publisher<Reading> readings) =>
{
    using var body = new StreamReader(request.Body);
    while (await body.ReadLineAsync(request.HttpContext.RequestAborted) is { } line)
    {
        string[] parts = line.Split(' ');
        double value = double.Parse(parts[1], CultureInfo.InvariantCulture);
        // Waits, holding no thread, while the ring is full: the client is held back with it.
        await readings.PublishAsync(new Reading(parts[0], value), request.HttpContext.RequestAborted);
    }

    return Results.Accepted();
});
await app.StartAsync();

using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
await Task.WhenAll(Enumerable.Range(0, Clients).Select(async client =>
{
    for (int i = 0; i < Requests; i++)
    {
        string body = string.Join('\n', Enumerable.Range(0, Lines).Select(n => $"client-{client} {i * Lines + n}"));
        (await http.PostAsync("/readings", new StringContent(body))).EnsureSuccessStatusCode();
    }
}));
Console.WriteLine($"health: {await http.GetStringAsync("/health")}");
HostedPipeline<Reading> hosted = app.Services.GetRequiredService<HostedPipeline<Reading>>();
await app.StopAsync();
await app.DisposeAsync();

string[][] written = [.. File.ReadLines(path).Select(line => line.Split(' '))];
Console.WriteLine($"shutdown: {hosted.Shutdown}");
Console.WriteLine($"lines {written.Length}, sum {written.Sum(line => long.Parse(line[1]))}");
foreach (var client in written.GroupBy(line => line[0]).OrderBy(group => group.Key))
{
    bool inOrder = client.Select((line, i) => line[1] == $"{i}").All(same => same);
    Console.WriteLine($"{client.Key}: {client.Count()} lines, in order {inOrder}");
}

File.Delete(path);

internal sealed record Target(string Path);

internal record struct Reading(string Client, double Value, bool IsValid = false);

/// <summary>Made by the container, and disposed of when the pipeline has ended.</summary>
internal sealed class FileSink(Target target) : IBatchHandler<Reading>, IDisposable
{
    private readonly StreamWriter _file = new(target.Path);

    public void OnBatch(Batch<Reading> batch)
    {
        foreach (ref Reading reading in batch)
            if (reading.IsValid) _file.Write(string.Create(CultureInfo.InvariantCulture, $"{reading.Client} {reading.Value}\n"));
        _file.Flush();
    }

    public void Dispose() => _file.Dispose();
}
