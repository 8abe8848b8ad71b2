using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>What the test kit does while the thread pool is held up. Never beside tests that need the pool.</summary>
[Collection(AloneCollection.Name)]
public sealed class BusyPoolTests
{
    [Fact]
    public void Sink_RingEndsMeanwhile_EndIsWaitedFor()
    {
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(4).Stage("first", static (ref long _) => { }).Poller("out"));
        SinkProbe<long> sink = harness.Sink<long>("out");
        harness.Source.Send(1, 2);
        // Not disposed of: one that the pool begins late still waits for it.
        var isOver = new ManualResetEventSlim();
        for (int i = 0; i < 2 * Environment.ProcessorCount; i++)
            ThreadPool.UnsafeQueueUserWorkItem(static isOver => isOver.Wait(TimeSpan.FromMilliseconds(100)), isOver, preferLocal: false);
        harness.Source.Complete();

        Assert.Contains("another item: 1", Assert.Throws<ContractException>(sink.ExpectEnd).Message, StringComparison.Ordinal);
        sink.Expect(2);
        sink.ExpectEnd();
        isOver.Set();
    }
}
