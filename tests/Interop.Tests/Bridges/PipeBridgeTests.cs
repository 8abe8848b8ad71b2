using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>What pipes add to the contract: payloads, faults of single frames, and readers that go away.</summary>
public sealed class PipeBridgeTests
{
    [Fact]
    public async Task Payloads_InAndOut_AreTheSameBytes()
    {
        await using Pipeline<Line> pipeline = Of(Plan.SharedRing, FaultPolicy.Stop);
        var input = new Pipe();
        var output = new Pipe();
        Task into = input.Reader.PumpInto(
            pipeline, Framing.Newline(), static (ref Line slot, ReadOnlySpan<byte> frame) => slot.Bytes.Write(frame));
        Task outOf = pipeline.GetPoller<Line>("out").PumpInto(
            output.Writer, Framing.Newline(), static (ref Line line) => line.Bytes.Span);
        string text = string.Concat(Enumerable.Range(0, 5_000).Select(static i => new string((char)('a' + i % 26), i % 300) + "\n"));
        Task writing = Task.Run(async () =>
        {
            await input.Writer.WriteAsync(Encoding.ASCII.GetBytes(text));
            await input.Writer.CompleteAsync();
        });

        using var read = new MemoryStream();
        await output.Reader.CopyToAsync(read).OrHang();
        await Task.WhenAll(writing, into, outOf).OrHang();
        Assert.Equal(text, Encoding.ASCII.GetString(read.ToArray()));
        Assert.Equal(5_000, pipeline["upper"].Position + 1);
    }

    [Fact]
    public async Task PumpInto_FrameCannotBeWritten_IsAFaultOfThatItemForThePolicy()
    {
        await using Pipeline<Line> pipeline = Of(Plan.SharedRing, FaultPolicy.Skip);
        var output = new Pipe();
        SingleProducer<Line> producer = pipeline.CreateProducer();
        foreach (string text in new[] { "a", "b\nc", "d" })
            producer.PublishPayload(Encoding.ASCII.GetBytes(text), 0, static (ref Line _, int _) => { });
        pipeline.Complete();
        Task draining = pipeline.DrainAsync(TimeSpan.FromSeconds(60));
        Task pump = pipeline.GetPoller<Line>("out").PumpInto(
            output.Writer, Framing.Newline(), static (ref Line line) => line.Bytes.Span);

        using var read = new MemoryStream();
        await output.Reader.CopyToAsync(read).OrHang();
        await Task.WhenAll(draining, pump).OrHang();
        Assert.Equal("a\nd\n", Encoding.ASCII.GetString(read.ToArray()));
        Assert.Equal(1, pipeline["out"].GetStatistics().Skipped);
    }

    [Fact]
    public async Task PumpInto_ReaderOfThePipeGone_EndsWithAnIOException()
    {
        await using Pipeline<Line> pipeline = Of(Plan.SharedRing, FaultPolicy.Stop);
        var output = new Pipe();
        await output.Reader.CompleteAsync();
        pipeline.CreateProducer().PublishPayload("a"u8, 0, static (ref Line _, int _) => { });
        await Assert.ThrowsAsync<IOException>(() => pipeline.GetPoller<Line>("out")
            .PumpInto(output.Writer, Framing.Newline(), static (ref Line line) => line.Bytes.Span).OrHang());
    }

    [Fact]
    public async Task PumpInto_FrameTooLong_CompletesThePipeAndFaultsThePipeline()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8).Stage("none", static (ref long _) => { }).Run();
        var input = new Pipe();
        await input.Writer.WriteAsync("1\n123456789"u8.ToArray());
        Task pump = input.Reader.PumpInto(
            pipeline, Framing.Newline(4), static (ref long slot, ReadOnlySpan<byte> frame) => slot = ByteText.Parse(frame));

        await Assert.ThrowsAsync<InvalidDataException>(() => pump.OrHang());
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        Assert.IsType<InvalidDataException>(fault.InnerException);
        // Its writer is told; what came before was handled.
        await Assert.ThrowsAsync<InvalidDataException>(() => input.Writer.WriteAsync(new byte[1]).AsTask());
        Assert.Equal(0, pipeline["none"].Position);
    }

    private static Pipeline<Line> Of(Plan plan, FaultPolicy onFault) => Pipeline.Of<Line>(64)
        .Configure(static options => options with { Payload = static (ref Line line) => ref line.Bytes, DrainTimeout = TimeSpan.Zero })
        .Stage("upper", static (ref Line _) => { })
        .Poller("out", new() { OnFault = onFault })
        .Run(plan);

    private struct Line
    {
        public Payload Bytes;
    }
}
