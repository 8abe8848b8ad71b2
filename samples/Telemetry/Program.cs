using System.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

// Sent to OTEL_EXPORTER_OTLP_ENDPOINT where that is set; else what would be sent is printed.
bool sends = Environment.GetEnvironmentVariable("OTEL_EXPORTER_OTLP_ENDPOINT") is { Length: > 0 };
using var requests = new ActivitySource("Orders");
TracerProviderBuilder tracing = Sdk.CreateTracerProviderBuilder().AddSource(requests.Name, BatchTracing.SourceName);
MeterProviderBuilder metering = Sdk.CreateMeterProviderBuilder().AddMeter(PipelineMeter.MeterName);
using TracerProvider traces = (sends ? tracing.AddOtlpExporter()
    : tracing.AddProcessor(new SimpleActivityExportProcessor(new SpanPrinter()))).Build();
using MeterProvider metrics = (sends ? metering.AddOtlpExporter()
    : metering.AddReader(new BaseExportingMetricReader(new MetricPrinter()))).Build();

HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
builder.Services.AddPipeline<Order>("orders", static (pipeline, handlers) => pipeline
    .Stage("store", handlers.Get<Store>().Traced("store", static (ref Order order) => order.Context), Dispatch.Batch(max: 8)));
using IHost host = builder.Build();

// A pipeline takes items before it is started: so this sample's batches are the same in every run.
var orders = host.Services.GetRequiredKeyedService<Publisher<Order>>("orders");
for (int request = 1; request <= 3; request++)
{
    using Activity? span = requests.StartActivity($"request {request}", ActivityKind.Server);
    for (int item = 1; item <= 4; item++) orders.Publish(new Order(item, Activity.Current?.Context ?? default));
}

await host.StartAsync();
await host.StopAsync();
traces.ForceFlush();
metrics.ForceFlush();
Console.WriteLine(sends ? "sent" : $"shutdown: {host.Services.GetRequiredKeyedService<HostedPipeline>("orders").Shutdown}");

internal readonly record struct Order(int Items, ActivityContext Context);

internal sealed class Store : IBatchHandler<Order>
{
    public void OnBatch(Raceway.Rings.Batch<Order> batch)
    {
        foreach (ref Order order in batch) Activity.Current?.SetTag("orders.last", order.Items);
    }
}

internal sealed class SpanPrinter : BaseExporter<Activity>
{
    private readonly Dictionary<ActivitySpanId, string> _names = [];

    public override ExportResult Export(in OpenTelemetry.Batch<Activity> batch)
    {
        foreach (Activity span in batch)
        {
            _names[span.SpanId] = span.DisplayName;
            string links = string.Join(", ", span.Links.Select(link => _names[link.Context.SpanId]));
            Console.WriteLine($"span {span.DisplayName}, size {span.GetTagItem("raceway.batch.size") ?? "-"}, linked to: {links}");
        }

        return ExportResult.Success;
    }
}

internal sealed class MetricPrinter : BaseExporter<Metric>
{
    public override ExportResult Export(in OpenTelemetry.Batch<Metric> batch)
    {
        foreach (Metric metric in batch)
            if (metric.Name is "raceway.stage.items" or "raceway.ring.backlog" or "raceway.ring.capacity")
                foreach (ref readonly MetricPoint point in metric.GetMetricPoints())
                    Console.WriteLine($"metric {metric.Name} {metric.Unit}: {point.GetSumLong()}");
        return ExportResult.Success;
    }
}
