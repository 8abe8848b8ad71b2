using System.Collections.Concurrent;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Support;

/// <summary>A handler that writes down what is called, in one log for all stages, and may throw anywhere.</summary>
internal sealed class Probe(string name, ConcurrentQueue<string> log) : IBatchHandler<Item>, IStageLifetime
{
    public Action? OnStarting { get; init; }

    public Action? OnStopping { get; init; }

    public Action<Item>? OnItem { get; init; }

    public void OnStart()
    {
        log.Enqueue($"start {name}");
        OnStarting?.Invoke();
    }

    public void OnStop()
    {
        log.Enqueue($"stop {name}");
        OnStopping?.Invoke();
    }

    public void OnBatch(Batch<Item> batch)
    {
        foreach (ref Item item in batch) OnItem?.Invoke(item);
    }
}
