using Microsoft.Extensions.Hosting;

namespace Raceway.Interop.Hosting;

/// <summary>Starts a pipeline before any hosted service is started, and drains it when all of them have stopped.</summary>
internal sealed class HostedPipelineService<T>(HostedPipeline<T> pipeline) : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken) => pipeline.StartAsync(cancellationToken);

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) =>
        pipeline.StopAsync(pipeline.Options.DrainTimeout, cancellationToken);
}

/// <summary>What the container disposes of to end a pipeline.</summary>
internal sealed class HostedPipelineEnd<T>(HostedPipeline<T> pipeline) : IAsyncDisposable, IDisposable
{
    public ValueTask DisposeAsync() => pipeline.DisposeAsync();

    public void Dispose() => pipeline.DisposeAsync().AsTask().GetAwaiter().GetResult();
}
