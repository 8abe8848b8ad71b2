using Raceway.Pipelines;

namespace RacewayWorker;

/// <summary>Publishes readings until the host stops. Any service may publish; requests of a web application do it alike.</summary>
internal sealed class SensorService([FromKeyedServices("readings")] Publisher<SensorReading> readings) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(100));
        for (long number = 0; await timer.WaitForNextTickAsync(stoppingToken); number++)
        {
            // Waits without a thread while the ring is full.
            await readings.PublishAsync(new SensorReading(number, Math.Sin(number)), stoppingToken);
        }
    }
}
