using System.IO.Pipelines;
using System.Text;
using System.Threading.Channels;
using System.Threading.Tasks.Dataflow;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>The examples of docs/interop.md: what is between the braces of each stands there line for line, and works.</summary>
public sealed class InteropExamplesTests
{
    [Fact]
    public async Task Example_Channel()
    {
        await using PipelineChannel<string, int> lengths = Pipeline.Of<string>(capacity: 1024)
            .Map<int>("length", static (ref string text, ref int length) => length = text.Length)
            .RunAsChannel();
        ChannelWriter<string> writer = lengths.Writer;
        ChannelReader<int> reader = lengths.Reader;

        await writer.WriteAsync("abc");
        writer.Complete();
        Assert.Equal(3, await reader.ReadAsync().OrHang());
    }

    [Fact]
    public async Task Example_ChannelPumps()
    {
        Channel<long> source = Channel.CreateUnbounded<long>();
        Channel<long> target = Channel.CreateUnbounded<long>();
        source.Writer.TryWrite(1);
        source.Writer.Complete();
        CancellationToken cancellation = CancellationToken.None;

        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024).Stage("double", static (ref long item) => item *= 2).Build();
        Task outOf = pipeline.AsChannelReader().PumpInto(target.Writer, cancellation: cancellation);
        await pipeline.StartAsync();
        Task into = source.Reader.PumpInto(pipeline, cancellation: cancellation);

        await Task.WhenAll(into, outOf).OrHang();
        Assert.Equal(2, await target.Reader.ReadAsync());
    }

    [Fact]
    public async Task Example_Sequences()
    {
        IAsyncEnumerable<long> numbers = Numbers();
        long sum = 0;
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024).Poller("out").Run();
        Task source = numbers.PumpInto(pipeline);
        await foreach (ReadOnlyMemory<long> batch in pipeline.GetPoller<long>("out").AsAsyncBatches())
            foreach (long number in batch.Span) sum += number;
        await source;

        Assert.Equal(6, sum);
    }

    [Fact]
    public async Task Example_Pipes()
    {
        var pipe = new Pipe();
        var copy = new Pipe();
        await pipe.Writer.WriteAsync("a\nb\n"u8.ToArray());
        await pipe.Writer.CompleteAsync();
        PipeReader socket = pipe.Reader;
        PipeWriter file = copy.Writer;

        await using Pipeline<Line> pipeline = Pipeline.Of<Line>(1024)
            .Configure(static options => options with { Payload = static (ref Line line) => ref line.Bytes })
            .Poller("out")
            .Run();
        Task into = socket.PumpInto(
            pipeline, Framing.Newline(maxLength: 4096),
            static (ref Line slot, ReadOnlySpan<byte> frame) => slot.Bytes.Write(frame));
        Task outOf = pipeline.GetPoller<Line>("out").PumpInto(
            file, Framing.LengthPrefixed(maxLength: 4096), static (ref Line line) => line.Bytes.Span);
        await Task.WhenAll(into, outOf);

        ReadResult read = await copy.Reader.ReadAsync();
        Assert.Equal("\0\0\0\u0001a\0\0\0\u0001b", Encoding.ASCII.GetString(read.Buffer));
    }

    [Fact]
    public async Task Example_Blocks()
    {
        var seen = new List<long>();
        var source = new BufferBlock<long>();
        var target = new ActionBlock<long>(seen.Add);
        source.Post(1);
        source.Complete();

        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024).Stage("double", static (ref long item) => item *= 2).Build();
        var options = new DataflowLinkOptions { PropagateCompletion = true };
        pipeline.AsSourceBlock().LinkTo(target, options);
        source.LinkTo(pipeline.AsTargetBlock(), options);
        await pipeline.StartAsync();

        await target.Completion.OrHang();
        Assert.Equal([2], seen);
    }

    [Fact]
    public async Task Example_Observables()
    {
        var log = new Log();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1024).Stage("double", static (ref long item) => item *= 2).Build();
        using IDisposable subscription = pipeline.AsObservable().Subscribe(log);
        IObserver<long> observer = pipeline.AsObserver();
        await pipeline.StartAsync();
        observer.OnNext(1);
        observer.OnCompleted();

        await log.End.Task.OrHang();
        Assert.Equal([2], log.Items);
    }

    private static async IAsyncEnumerable<long> Numbers()
    {
        for (long i = 1; i <= 3; i++) yield return i;
        await Task.CompletedTask;
    }

    private struct Line
    {
        public Payload Bytes;
    }

    private sealed class Log : IObserver<long>
    {
        public List<long> Items { get; } = [];

        public TaskCompletionSource End { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void OnNext(long value) => Items.Add(value);

        public void OnError(Exception error) => End.SetException(error);

        public void OnCompleted() => End.SetResult();
    }
}
