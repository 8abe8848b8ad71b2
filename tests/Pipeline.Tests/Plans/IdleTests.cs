using System.Diagnostics;

namespace Raceway.Pipelines.Tests;

/// <summary>What many pipelines keep while nothing comes. The threads of the whole process are counted, so it runs alone.</summary>
[Collection(AloneCollection.Name)]
public sealed class IdleTests
{
    private const int Pipelines = 100;
    private const int MostThreads = 8;

    // The pool may add a few, and the runtime its timer's and its compiler's; a stage must add none.
    [Fact]
    public async Task Run_ManyPipelinesThatWait_AddFewThreads()
    {
        long handled = 0;
        int before = Threads();
        var pipelines = new List<Pipeline<long>>();
        for (int i = 0; i < Pipelines; i++)
        {
            Pipeline<long> pipeline = Pipeline.Of<long>(8)
                .Stage("first", static (ref long _) => { }).Stage("last", (ref long _) => Interlocked.Increment(ref handled)).Run();
            pipelines.Add(pipeline);
            pipeline.CreateProducer().Publish(i);
        }

        Watchdog.Until(() => Interlocked.Read(ref handled) == Pipelines, "each to have its item");
        int added = Threads() - before;
        foreach (Pipeline<long> pipeline in pipelines) await pipeline.DisposeAsync();

        Assert.InRange(added, int.MinValue, MostThreads);
    }

    private static int Threads()
    {
        using var process = Process.GetCurrentProcess();
        return process.Threads.Count;
    }
}
