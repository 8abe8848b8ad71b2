using Raceway.Pipelines;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>One writes at a time, but it need not be the same one: also where the ring checks its producers.</summary>
public sealed class ThreadsTests
{
    [Fact]
    public async Task Writer_OneAfterAnotherOnOtherThreads_IsAllowed()
    {
        await using PipelineChannel<int, int> channel =
            Pipeline.Of<int>(8).Configure(static options => options with { CheckProducer = true }).RunAsChannel();
        for (int i = 0; i < 4; i++)
        {
            int item = i;
            var writes = new Thread(() => Assert.True(channel.Writer.TryWrite(item)));
            writes.Start();
            writes.Join();
            Assert.True(channel.Writer.TryWrite(item));
        }

        for (int i = 0; i < 4; i++) Assert.Equal((i, i), (await channel.Reader.ReadAsync(), await channel.Reader.ReadAsync()));
    }
}
