using OpenTelemetry;
using OpenTelemetry.Metrics;
using Raceway.Interop.Journal;
using Raceway.Interop.Logging;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Dashboards;

/// <summary>
/// What an exporter has of a process with several pipelines, journals and log files. It takes instruments of equal names for
/// the same one: none of them may end with the first object that does.
/// </summary>
public sealed class ExportTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("raceway-").FullName;
    private readonly Exporter _exporter = new();
    private readonly MeterProvider _metrics;

    public ExportTests() => _metrics = Sdk.CreateMeterProviderBuilder()
        .AddMeter(PipelineMeter.MeterName, JournalMeter.MeterName, LogFileMeter.MeterName)
        .AddReader(new BaseExportingMetricReader(_exporter)).Build();

    public void Dispose()
    {
        _metrics.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData("ends")]
    [InlineData("stays")]
    public async Task Pipelines_OneEnds_TheOthersStayAndItsOwnAreGone(string ends)
    {
        await using Pipeline<int> first = Pipeline.Of<int>(16).Stage("work", static (ref int _) => { }).Run(Plan.Manual);
        await using Pipeline<int> second = Pipeline.Of<int>(16).Stage("work", static (ref int _) => { }).Run(Plan.Manual);
        PipelineMeter ending = first.CreateMeter(ends);
        using PipelineMeter staying = second.CreateMeter("stays");
        Assert.Equal([.. ((string[])[ends, "stays"]).Distinct()], Named("raceway.ring.capacity", "ends", "stays"));

        ending.Dispose();

        // What the exporter drops is still there at its next look, and gone at the second.
        for (int i = 0; i < 3; i++) Assert.Equal(["stays"], Named("raceway.ring.capacity", "ends", "stays"));
        using PipelineMeter again = first.CreateMeter("ends");
        for (int i = 0; i < 3; i++) Assert.Equal(["ends", "stays"], Named("raceway.ring.capacity", "ends", "stays"));
    }

    [Fact]
    public void Journals_OneEnds_TheOthersStay()
    {
        using var first = Journal<long>.Open(Path.Combine(_folder, "first"), JournalCodec.Unmanaged<long>());
        using var second = Journal<long>.Open(Path.Combine(_folder, "second"), JournalCodec.Unmanaged<long>());
        JournalMeter ending = first.CreateMeter("ends");
        using JournalMeter staying = second.CreateMeter("stays");
        Assert.Equal(["ends", "stays"], Named("raceway.journal.lag", "ends", "stays"));

        ending.Dispose();

        for (int i = 0; i < 3; i++) Assert.Equal(["stays"], Named("raceway.journal.lag", "ends", "stays"));
    }

    [Fact]
    public void LogFiles_OneEnds_TheOthersStay()
    {
        using var first = new LogFile(Path.Combine(_folder, "first.log"));
        using var second = new LogFile(Path.Combine(_folder, "second.log"));
        LogFileMeter ending = first.CreateMeter("ends");
        using LogFileMeter staying = second.CreateMeter("stays");
        Assert.Equal(["ends", "stays"], Named("raceway.log.entries", "ends", "stays"));

        ending.Dispose();

        for (int i = 0; i < 3; i++) Assert.Equal(["stays"], Named("raceway.log.entries", "ends", "stays"));
    }

    // Other tests have pipelines of other names.
    private string[] Named(string instrument, params string[] names)
    {
        _exporter.Seen.Clear();
        Assert.True(_metrics.ForceFlush());
        return [.. _exporter.Seen.Where(seen => seen.Instrument == instrument && names.Contains(seen.Of)).Select(static seen => seen.Of).Order().Distinct()];
    }

    private sealed class Exporter : BaseExporter<Metric>
    {
        public List<(string Instrument, string Of)> Seen { get; } = [];

        public override ExportResult Export(in OpenTelemetry.Batch<Metric> batch)
        {
            foreach (Metric metric in batch)
            {
                foreach (ref readonly MetricPoint point in metric.GetMetricPoints())
                {
                    foreach ((string key, object? value) in point.Tags)
                        if (key is "raceway.pipeline.name" or "raceway.journal.name" or "raceway.log.name") Seen.Add((metric.Name, (string)value!));
                }
            }

            return ExportResult.Success;
        }
    }
}
