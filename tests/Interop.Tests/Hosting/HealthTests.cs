using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>What a health check says of a pipeline in each of its states.</summary>
public sealed class HealthTests
{
    private readonly ManualTime _time = new();

    [Fact]
    public async Task Health_FromCreatedToEnded_FollowsTheLife()
    {
        await using TestHost host = Create();
        await Expect(host, HealthStatus.Degraded, "not started yet");

        await host.StartAsync();
        await Expect(host, HealthStatus.Healthy, "running");

        host.Pipeline.Complete();
        await Expect(host, HealthStatus.Degraded, "draining");

        await host.StopAsync();
        await Expect(host, HealthStatus.Unhealthy, "has ended");
    }

    [Fact]
    public async Task Health_RingNearlyFull_IsDegradedUntilThereIsRoom()
    {
        await using TestHost host = await Create(("NearlyFull", "0.75")).StartAsync();
        for (int i = 0; i < 5; i++) host.Publisher.Publish(i);
        await Expect(host, HealthStatus.Healthy, "running");

        host.Publisher.Publish(5);
        HealthReportEntry entry = await Expect(host, HealthStatus.Degraded, "nearly full: ring 0");
        Assert.Equal(6L, entry.Data["backlog"]);
        Assert.Equal(8L, entry.Data["capacity"]);
        Assert.Equal("Running", entry.Data["state"]);
        Assert.Equal("Manual", entry.Data["plan"]);
        Assert.Equal(6L, entry.Data["lag parse"]);
        Assert.Equal(6L, entry.Data["lag store"]);
        Assert.Equal(0L, entry.Data["unprocessed"]);

        host.Pipeline["parse"].Step();
        host.Pipeline["store"].Step();
        await Expect(host, HealthStatus.Healthy, "running");
    }

    [Fact]
    public async Task Health_StageWithItemsAndNoProgress_IsStalledAndNamedAlone()
    {
        await using TestHost host = await Create(("StallAfter", "00:00:10")).StartAsync();
        host.Publisher.Publish(1);
        await Expect(host, HealthStatus.Healthy, "running");
        _time.Advance(TimeSpan.FromSeconds(9));
        await Expect(host, HealthStatus.Healthy, "running");
        _time.Advance(TimeSpan.FromSeconds(1));

        HealthReportEntry entry = await Expect(host, HealthStatus.Degraded, "no progress for 00:00:10 with items waiting: parse");
        Assert.Equal(["parse"], (string[])entry.Data["stalled"]);

        // Now it is the next one's turn, from the moment when it could go on.
        host.Pipeline["parse"].Step();
        await Expect(host, HealthStatus.Healthy, "running");
        _time.Advance(TimeSpan.FromSeconds(10));
        await Expect(host, HealthStatus.Degraded, "no progress for 00:00:10 with items waiting: store");
        host.Pipeline["store"].Step();
        await Expect(host, HealthStatus.Healthy, "running");

        // Nothing to do is no stall.
        _time.Advance(TimeSpan.FromHours(1));
        await Expect(host, HealthStatus.Healthy, "running");
    }

    [Fact]
    public async Task Health_Faulted_IsTheStatusAskedForWithTheCause()
    {
        await using TestHost host = await TestHost.Create(
            static (pipeline, _) => pipeline.Stage("fails", static (ref long item) => throw new FormatException($"bad {item}")),
            static services => services.AddHealthChecks().AddPipeline(TestHost.Name, HealthStatus.Degraded, ["ready"]),
            ("OnFault", "KeepRunning")).StartAsync();
        host.Publisher.Publish(3);
        await Watchdog.UntilAsync(() => host.Pipeline.Completion.IsCompleted, "it has faulted");

        HealthReportEntry entry = await Expect(host, HealthStatus.Degraded, "faulted");

        Assert.Equal("bad 3", Assert.IsType<RingFaultedException>(entry.Exception).InnerException!.Message);
        Assert.Equal(["ready"], entry.Tags);
        Assert.Equal(1L, entry.Data["unprocessed"]);
    }

    private TestHost Create(params (string Key, string Value)[] settings) => TestHost.Create(
        static (pipeline, _) => pipeline.Stage("parse", Pass).Stage("store", Pass),
        services =>
        {
            services.AddSingleton<TimeProvider>(_time);
            services.AddHealthChecks().AddPipeline(TestHost.Name);
        },
        [("Capacity", "8"), ("Plan", "Manual"), ("DrainTimeout", "00:00:00"), .. settings]);

    private static async Task<HealthReportEntry> Expect(TestHost host, HealthStatus status, string description)
    {
        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync().OrHang();
        HealthReportEntry entry = report.Entries[TestHost.Name];
        Assert.Equal((status, description), (entry.Status, entry.Description));
        return entry;
    }

    private static void Pass(ref long item)
    {
    }
}
