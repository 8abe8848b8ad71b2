using Raceway.Interop.Hosting;
using Raceway.Rings;
using RacewayWorker;

HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);

// Started before the services that publish, and drained after them. Its settings are in appsettings.json.
builder.Services.AddPipeline<SensorReading>("readings", static (pipeline, handlers) => pipeline
    .MultiProducer()
    .Stage("check", static (ref SensorReading reading) => reading.IsValid = double.IsFinite(reading.Value))
    .Stage("store", handlers.Get<ReadingStore>(), Dispatch.Batch(max: 256)));
builder.Services.AddHealthChecks().AddPipeline("readings");
builder.Services.AddHostedService<SensorService>();

await builder.Build().RunAsync();
