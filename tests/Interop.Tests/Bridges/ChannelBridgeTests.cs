using System.Threading.Channels;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>What channels promise beside the contract.</summary>
public sealed class ChannelBridgeTests
{
    [Fact]
    public async Task TryWrite_RingFull_IsFalseUntilItIsRead()
    {
        // What is left in it at the end nobody reads.
        await using PipelineChannel<string, string> channel = Pipeline.Of<string>(4)
            .Configure(static options => options with { DrainTimeout = TimeSpan.Zero })
            .RunAsChannel();
        for (int i = 0; i < 4; i++) Assert.True(channel.Writer.TryWrite($"{i}"));
        Assert.False(channel.Writer.TryWrite("4"));
        ValueTask<bool> room = channel.Writer.WaitToWriteAsync();
        Assert.False(room.IsCompleted);
        Assert.Equal(4, channel.Reader.Count);

        Assert.True(channel.Reader.TryPeek(out string? first));
        Assert.True(channel.Reader.TryRead(out string? again));
        Assert.Equal(("0", "0", 3), (first, again, channel.Reader.Count));
        Assert.True(await room.OrHang());
        Assert.True(channel.Writer.TryWrite("4"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task TryWrite_RingEndsMeanwhile_IsFalseAndLeavesTheWriterToAnyThread(bool multi)
    {
        PipelineBuilder<long, long> definition = Pipeline.Of<long>(8)
            .Configure(static options => options with { CheckProducer = true, DrainTimeout = TimeSpan.Zero });
        if (multi) definition = definition.MultiProducer(2);
        await using Pipeline<long> pipeline = definition.Stage("none", static (ref long _) => { }).Run();
        Inlet<long> inlet = pipeline.Ring.NewInlet();
        Assert.False(await Task.Factory.StartNew(
            () => inlet.TryWrite(pipeline, static (ref long _, Pipeline<long> ends) => ends.HaltAsync().GetAwaiter().GetResult()),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).OrHang());

        Assert.False(inlet.TryWrite(1));
        Assert.False(await inlet.WaitToWriteAsync().OrHang());
        await Assert.ThrowsAsync<ChannelClosedException>(() => inlet.WriteAsync(1).AsTask().OrHang());
    }

    [Fact]
    public async Task TryWrite_WriteThrowsAsAClosedRingWould_IsNotTakenForOne()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8)
            .Configure(static options => options with { CheckProducer = true }).Stage("none", static (ref long _) => { }).Run();
        Inlet<long> inlet = pipeline.Ring.NewInlet();
        var failing = Task.Factory.StartNew(
            () => inlet.TryWrite(0, static (ref long _, int _) => throw new ObjectDisposedException("mine")),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => failing.OrHang());
        Assert.True(inlet.TryWrite(1));
    }

    [Fact]
    public async Task Completion_LastItemRead_CompletesWithoutAFurtherRead()
    {
        await using PipelineChannel<long, long> channel = Pipeline.Of<long>(8).RunAsChannel();
        for (int i = 0; i < 3; i++) await channel.Writer.WriteAsync(i);
        Assert.True(channel.Writer.TryComplete());
        Assert.False(channel.Writer.TryComplete());
        Assert.False(channel.Writer.TryWrite(4));
        Assert.False(await channel.Writer.WaitToWriteAsync());
        await Assert.ThrowsAsync<ChannelClosedException>(() => channel.Writer.WriteAsync(4).AsTask());
        for (int i = 0; i < 3; i++)
        {
            Assert.False(channel.Reader.Completion.IsCompleted);
            Assert.True(await channel.Reader.WaitToReadAsync().OrHang());
            Assert.True(channel.Reader.TryRead(out long item));
            Assert.Equal(i, item);
        }

        await channel.Reader.Completion.OrHang();
        Assert.False(await channel.Reader.WaitToReadAsync().OrHang());
        await Assert.ThrowsAsync<ChannelClosedException>(() => channel.Reader.ReadAsync().AsTask().OrHang());
        Assert.Equal(RingState.Stopped, channel.Pipeline.State);
    }

    [Fact]
    public async Task TryComplete_WithAnError_ReaderHasAllItemsThenTheError()
    {
        var error = new InvalidDataException("source");
        await using PipelineChannel<long, long> channel = Pipeline.Of<long>(8).RunAsChannel();
        for (int i = 0; i < 3; i++) await channel.Writer.WriteAsync(i);
        Assert.True(channel.Writer.TryComplete(error));
        // Somebody who drains at the same time does not make it a good end.
        Task<DrainResult> drain = channel.Pipeline.DrainAsync(TimeSpan.FromSeconds(60));
        for (int i = 0; i < 3; i++) Assert.Equal(i, await channel.Reader.ReadAsync().OrHang());

        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => channel.Reader.WaitToReadAsync().OrHang());
        Assert.Same(error, fault.InnerException);
        Assert.Equal(DrainStatus.Faulted, (await drain.OrHang()).Status);
        await Assert.ThrowsAsync<RingFaultedException>(() => channel.Reader.Completion.OrHang());
        await Assert.ThrowsAsync<RingFaultedException>(() => channel.Writer.WaitToWriteAsync().OrHang());
    }

    [Fact]
    public async Task TryComplete_WithAnErrorOverSegments_ComesBehindEverything()
    {
        var error = new InvalidDataException("source");
        await using PipelineChannel<long, string> channel = Pipeline.Of<long>(8)
            .Expand<string>("twice", 8, static (ref long item, Emitter<string> output) =>
            {
                output.Emit($"{item}a");
                output.Emit($"{item}b");
            })
            .RunAsChannel();
        for (int i = 0; i < 4; i++) await channel.Writer.WriteAsync(i);
        channel.Writer.Complete(error);
        List<string> seen = [];
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(async () =>
        {
            await foreach (string item in channel.Reader.ReadAllAsync()) seen.Add(item);
        }).OrHang();
        Assert.Same(error, fault.InnerException);
        Assert.Equal(["0a", "0b", "1a", "1b", "2a", "2b", "3a", "3b"], seen);
    }

    [Fact]
    public async Task Halt_ItemsLeft_ReaderHasWhatItHadTakenAndIsTold()
    {
        await using PipelineChannel<long, long> channel = Pipeline.Of<long>(8).RunAsChannel();
        for (int i = 0; i < 8; i++) await channel.Writer.WriteAsync(i);
        Assert.Equal(0, await channel.Reader.ReadAsync());
        await channel.Pipeline.HaltAsync().OrHang();
        // Half of the ring at once has been taken.
        for (int i = 1; i < 4; i++) Assert.Equal(i, await channel.Reader.ReadAsync());
        RingStoppedException stopped = await Assert.ThrowsAsync<RingStoppedException>(() => channel.Reader.WaitToReadAsync().OrHang());
        Assert.Contains("unprocessed=4", stopped.Message, StringComparison.Ordinal);
        Assert.Equal(4, channel.Pipeline.Unprocessed);
    }

    [Fact]
    public async Task Read_BehindAFilter_TakesRunsTogetherAndHoldsNoHaltUp()
    {
        await using PipelineChannel<long, long> channel = Pipeline.Of<long>(64)
            .Filter("some", static (ref readonly long item) => item % 10 is 1 or 2)
            .RunAsChannel();
        for (int i = 0; i < 30; i++) await channel.Writer.WriteAsync(i);
        await Watchdog.UntilAsync(() => channel.Pipeline["some"].Position == 29, "the filter");
        Assert.Equal(1, await channel.Reader.ReadAsync().OrHang());
        await channel.Pipeline.HaltAsync().OrHang();
        foreach (long item in new long[] { 2, 11, 12, 21, 22 }) Assert.Equal(item, await channel.Reader.ReadAsync().OrHang());
        Assert.False(await channel.Reader.WaitToReadAsync().OrHang());
    }

    [Fact]
    public async Task ReadAllAsync_ItemThatNobodyLooksAt_IsPassedOver()
    {
        await using PipelineChannel<long, long> channel = Pipeline.Of<long>(8).RunAsChannel();
        await using IAsyncEnumerator<long> items = channel.Reader.ReadAllAsync().GetAsyncEnumerator();
        for (long i = 0; i < 4; i += 2)
        {
            ValueTask<bool> moves = items.MoveNextAsync();
            Assert.False(moves.IsCompleted);
            for (long item = i; item < i + 2; item++) Assert.True(channel.Writer.TryWrite(item));
            Assert.True(await moves.OrHang());
            Assert.True(await items.MoveNextAsync().OrHang());
            Assert.Equal((i + 1, i + 1), (items.Current, items.Current));
        }

        channel.Writer.Complete();
        Assert.False(await items.MoveNextAsync().OrHang());
    }

    [Fact]
    public async Task PumpInto_AmongSeveralProducers_ClaimsNothingInVain()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).MultiProducer().Stage("seen", static (ref long _) => { }).Run();
        Channel<long> source = Channel.CreateUnbounded<long>();
        Task pump = source.Reader.PumpInto(pipeline);
        for (long item = 0; item < 20; item++)
        {
            Assert.True(source.Writer.TryWrite(item));
            long expected = item;
            await Watchdog.UntilAsync(() => pipeline["seen"].GetStatistics().Items > expected, "the item");
        }

        source.Writer.Complete();
        await pump.OrHang();
        Assert.Equal(0, pipeline["seen"].GetStatistics().Tombstones);
    }

    [Fact]
    public async Task ReadAllAsync_AfterACancelledWait_PassesNothingOver()
    {
        using var cancellation = new CancellationTokenSource();
        await using PipelineChannel<long, long> channel = Pipeline.Of<long>(8).RunAsChannel();
        await using IAsyncEnumerator<long> items = channel.Reader.ReadAllAsync(cancellation.Token).GetAsyncEnumerator();
        ValueTask<bool> moves = items.MoveNextAsync();
        Assert.False(moves.IsCompleted);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => moves.OrHang());
        for (long item = 1; item <= 2; item++) Assert.True(channel.Writer.TryWrite(item));
        await Watchdog.UntilAsync(() => channel.Reader.Count == 2, "both to be there");
        Assert.True(await items.MoveNextAsync().OrHang());
        Assert.Equal(1, items.Current);
        Assert.True(await items.MoveNextAsync().OrHang());
        Assert.Equal(2, items.Current);
    }

    [Fact]
    public async Task AsChannelReader_OfOnePoller_IsOneReader()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8).Poller("out").Run();
        Poller<long> poller = pipeline.GetPoller<long>("out");
        Assert.Same(poller.AsChannelReader(), poller.AsChannelReader());
    }

    [Fact]
    public async Task AsChannelReader_RunningPipeline_ReadsFromThereOnAndLeaves()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8).Stage("none", static (ref long _) => { }).Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        producer.Publish(0);
        await Watchdog.UntilAsync(() => pipeline["none"].Position == 0, "the first item");
        ChannelReader<long> reader = pipeline.AsChannelReader();
        producer.Publish(1);
        Assert.Equal(1, await reader.ReadAsync().OrHang());

        await pipeline.DetachAsync(pipeline.Stages[^1].Name).OrHang();
        for (int i = 0; i < 100; i++) producer.Publish(i);
        Assert.False(await reader.WaitToReadAsync().OrHang());
        await reader.Completion.OrHang();
    }

    [Fact]
    public async Task Ring_AsWriterAndReader_IsAChannel()
    {
        await using var ring = new RingBuffer<string>(16);
        ChannelReader<string> reader = ring.AsChannelReader();
        ChannelWriter<string> writer = ring.AsChannelWriter();
        await ring.StartAsync();
        Task writing = Task.Run(async () =>
        {
            for (int i = 0; i < 1_000; i++) await writer.WriteAsync($"{i}");
            writer.Complete();
        });
        int count = 0;
        await foreach (string item in reader.ReadAllAsync()) Assert.Equal($"{count++}", item);
        await writing.OrHang();
        Assert.Equal(1_000, count);
    }

    [Fact]
    public async Task Writers_OfAMultiProducerPipeline_WriteBesideEachOther()
    {
        const int Each = 50_000;
        await using PipelineChannel<long, long> channel = Pipeline.Of<long>(64).MultiProducer(3).RunAsChannel();
        ChannelWriter<long>[] writers = [channel.Writer, channel.Pipeline.AsChannelWriter(), channel.Pipeline.AsChannelWriter()];
        Task writing = Task.WhenAll(writers.Select((writer, index) => Task.Run(async () =>
        {
            for (int i = 0; i < Each; i++) await writer.WriteAsync(index * Each + i);
        })));
        _ = writing.ContinueWith(_ => channel.Writer.Complete(), TaskScheduler.Default);
        long[] next = [0, Each, 2 * Each];
        await foreach (long item in channel.Reader.ReadAllAsync()) Assert.Equal(next[item / Each]++, item);
        await writing.OrHang();
        Assert.Equal([Each, 2 * Each, 3 * Each], next);
    }
}
