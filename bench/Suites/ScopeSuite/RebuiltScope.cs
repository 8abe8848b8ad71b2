using System.Collections.Concurrent;

namespace Raceway.Suites.ScopeSuite;

/// <summary>
/// The write-up's task scope, rebuilt from its list of what it allocates: a concurrent queue and a run handle; for each child
/// a handle and a place in the queue; for a run a cancellation source and an enumerator. Children are delegates that are given
/// the run's token; the first failure cancels it.
/// </summary>
internal sealed class RebuiltScope
{
    private readonly ConcurrentQueue<Child> _children = new();
    private readonly RunHandle _run = new();

    /// <summary>Adds a child; it starts with the run.</summary>
    public Child Add(Func<CancellationToken, Task> start)
    {
        var child = new Child(start, _run);
        _children.Enqueue(child);
        return child;
    }

    /// <summary>Starts all children and waits for them.</summary>
    public async Task RunAsync(CancellationToken cancellation)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        _run.Stop = stop;
        var running = new List<Task>(_children.Count);
        foreach (Child child in _children) running.Add(child.RunAsync());
        await Task.WhenAll(running);
    }

    /// <summary>What the children of a run share.</summary>
    internal sealed class RunHandle
    {
        public CancellationTokenSource? Stop { get; set; }
    }

    /// <summary>One child.</summary>
    internal sealed class Child(Func<CancellationToken, Task> start, RunHandle run)
    {
        public async Task RunAsync()
        {
            try
            {
                await start(run.Stop!.Token);
            }
            catch
            {
                await run.Stop!.CancelAsync();
                throw;
            }
        }
    }
}
