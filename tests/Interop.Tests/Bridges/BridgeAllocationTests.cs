using System.IO.Pipelines;
using System.Threading.Channels;
using System.Threading.Tasks.Dataflow;
using Raceway.Pipelines;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>Tests that measure something of the whole process: never beside others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    public const string Name = "Alone";
}

/// <summary>A message costs no allocation on any bridge whose other side allows that.</summary>
[Collection(AloneCollection.Name)]
public sealed class BridgeAllocationTests
{
    private const int Count = 100_000;

    // A run takes tasks, and a pipe, to begin. One object for each batch of 256 would be twice as much.
    private const int Most = Count / 512;

    private static readonly byte[] s_lines = [.. Enumerable.Repeat("1234\n"u8.ToArray(), 100).SelectMany(static line => line)];

    [Theory]
    [InlineData("channel")]
    [InlineData("shared")]
    [InlineData("sequence")]
    [InlineData("batches")]
    [InlineData("target")]
    [InlineData("observer")]
    [InlineData("pipe")]
    public async Task Messages_AcrossABridge_AllocateNothing(string kind)
    {
        await using Pipeline<long> pipeline =
            Pipeline.Of<long>(256).Stage("none", static (ref long _) => { }).Poller("out").Run();
        await RunAsync(kind, pipeline, Count);
        await Allocated.AssertFewerAsync(Most, () => RunAsync(kind, pipeline, Count));
    }

    [Fact]
    public async Task Waits_OfBothSides_AllocateNothing()
    {
        const int Waits = 1_000;
        await using PipelineChannel<long, long> channel = Pipeline.Of<long>(2).RunAsChannel();
        await WaitAsync(channel, Waits);
        await Allocated.AssertNoneAWaitAsync(Waits, () => WaitAsync(channel, Waits));
    }

    // In turns, so that each side waits every time.
    private static async Task WaitAsync(PipelineChannel<long, long> channel, int count)
    {
        for (int i = 0; i < count; i++)
        {
            while (channel.Writer.TryWrite(i))
            {
            }

            ValueTask<bool> room = channel.Writer.WaitToWriteAsync();
            Assert.False(room.IsCompleted);
            while (channel.Reader.TryRead(out _))
            {
            }

            Assert.True(await room);
            ValueTask<bool> items = channel.Reader.WaitToReadAsync();
            Assert.False(items.IsCompleted);
            Assert.True(channel.Writer.TryWrite(i));
            Assert.True(await items);
        }
    }

    private static Task RunAsync(string kind, Pipeline<long> pipeline, int count) => kind switch
    {
        "sequence" => ReadAsync(pipeline, count, Numbers(count).PumpInto(pipeline, complete: false)),
        "batches" => ReadBatchesAsync(pipeline, count),
        "target" => ReadAsync(pipeline, count, Task.Run(() => Offer(pipeline, count))),
        "observer" => ReadAsync(pipeline, count, Task.Run(() => Observe(pipeline, count))),
        "pipe" => PipeAsync(pipeline, count),
        "shared" => ReadAsync(pipeline, count, Task.Run(() => WriteSharedAsync(pipeline, count))),
        _ => ReadAsync(pipeline, count, Task.Run(() => WriteAsync(pipeline, count))),
    };

    private static async Task WriteAsync(Pipeline<long> pipeline, int count)
    {
        Inlet<long> writer = pipeline.Ring.NewInlet();
        using (writer.Producer)
            for (int i = 0; i < count; i++) await writer.WriteAsync(i);
    }

    private static async Task WriteSharedAsync(Pipeline<long> pipeline, int count)
    {
        ChannelWriter<long> writer = pipeline.AsChannelWriter();
        for (int i = 0; i < count; i++) await writer.WriteAsync(i);
    }

    private static async Task ReadAsync(Pipeline<long> pipeline, int count, Task writing)
    {
        ChannelReader<long> reader = pipeline.GetPoller<long>("out").AsChannelReader();
        for (int left = count; left > 0;)
        {
            await reader.WaitToReadAsync();
            while (left > 0 && reader.TryRead(out _)) left--;
        }

        await writing;
    }

    private static async Task ReadBatchesAsync(Pipeline<long> pipeline, int count)
    {
        Task writing = Task.Run(() => WriteAsync(pipeline, count));
        await foreach (ReadOnlyMemory<long> batch in pipeline.GetPoller<long>("out").AsAsyncBatches())
            if ((count -= batch.Length) == 0) break;
        await writing;
    }

    private static void Offer(Pipeline<long> pipeline, int count)
    {
        Inlet<long> inlet = pipeline.Ring.NewInlet();
        using (inlet.Producer)
        {
            var target = new PublishingTarget<long>(inlet, pipeline.Completion);
            for (int i = 1; i <= count;)
                if (target.OfferMessage(new DataflowMessageHeader(i), i, null, false) == DataflowMessageStatus.Accepted) i++;
        }
    }

    private static void Observe(Pipeline<long> pipeline, int count)
    {
        IObserver<long> observer = pipeline.AsObserver();
        for (int i = 0; i < count; i++) observer.OnNext(i);
    }

    private static async Task PipeAsync(Pipeline<long> pipeline, int count)
    {
        // Inline: a pipe that hands its wake-ups to the thread pool allocates a work item for each, and how many there are is chance.
        var pipe = new Pipe(new PipeOptions(
            readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline,
            pauseWriterThreshold: 4096, resumeWriterThreshold: 2048, useSynchronizationContext: false));
        Task writing = Task.Run(async () =>
        {
            for (int i = 0; i < count; i += 100) await pipe.Writer.WriteAsync(s_lines);
            await pipe.Writer.CompleteAsync();
        });
        Task pump = pipe.Reader.PumpInto(
            pipeline, Framing.Newline(16), static (ref long slot, ReadOnlySpan<byte> frame) => slot = frame.Length, complete: false);
        await ReadAsync(pipeline, count, Task.WhenAll(writing, pump));
    }

    private static async IAsyncEnumerable<long> Numbers(int count)
    {
        for (int i = 0; i < count; i++) yield return i;
        await Task.CompletedTask;
    }
}
