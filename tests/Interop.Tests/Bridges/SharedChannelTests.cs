using System.Threading.Channels;
using System.Threading.Tasks.Dataflow;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>Several at one end of a bridge: as with a channel, or refused at the caller.</summary>
public sealed class SharedChannelTests
{
    private const int Users = 4;
    private const int Each = 3_000;

    public static TheoryData<string, int> Shapes => new()
    {
        { "single", 2 }, { "single", 64 }, { "multi", 4 }, { "multi", 64 }, { "sharded", 64 },
    };

    [Theory]
    [MemberData(nameof(Shapes))]
    public async Task Channel_ManyWritersAndReaders_EachItemOnceAndEachWritersOrder(string kind, int capacity)
    {
        await using PipelineChannel<int, int> channel = Of(kind, capacity).RunAsChannel();
        List<int>[] seen = [.. Enumerable.Range(0, Users).Select(static _ => new List<int>())];
        Task[] readers = [.. seen.Select((list, index) => Task.Run(() => ReadAsync(channel.Reader, list, index)))];
        Task[] writers = [.. Enumerable.Range(0, Users).Select(writer => Task.Run(() => WriteAsync(channel.Writer, writer)))];
        await Task.WhenAll(writers).OrHang();
        Assert.True(channel.Writer.TryComplete());
        await Task.WhenAll(readers).OrHang();
        await channel.Reader.Completion.OrHang();

        Assert.Equal(Enumerable.Range(0, Users * Each), seen.SelectMany(static list => list).Order());
        // What one reader has of one writer is in that writer's order.
        Assert.All(seen, static list =>
        {
            for (int writer = 0; writer < Users; writer++)
            {
                int[] its = [.. list.Where(item => item / Each == writer)];
                Assert.Equal(its.Order(), its);
            }
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Reader_ManyWait_AllAreReleasedByAnItemAndByTheEnd(bool faults)
    {
        await using PipelineChannel<int, int> channel = Pipeline.Of<int>(8).RunAsChannel();
        using var cancel = new CancellationTokenSource();
        Task<bool>[] waits = [.. Enumerable.Range(0, Users).Select(_ => channel.Reader.WaitToReadAsync().AsTask())];
        Task<bool> cancelled = channel.Reader.WaitToReadAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.OrHang());
        Assert.All(waits, static wait => Assert.False(wait.IsCompleted));

        Assert.True(channel.Writer.TryWrite(1));
        foreach (Task<bool> wait in waits) Assert.True(await wait.OrHang());
        Assert.True(channel.Reader.TryRead(out int item));
        Assert.Equal(1, item);

        waits = [.. Enumerable.Range(0, Users).Select(_ => channel.Reader.WaitToReadAsync().AsTask())];
        var error = new InvalidDataException("source");
        Assert.True(channel.Writer.TryComplete(faults ? error : null));
        foreach (Task<bool> wait in waits)
        {
            if (!faults) Assert.False(await wait.OrHang());
            else Assert.Same(error, (await Assert.ThrowsAsync<RingFaultedException>(() => wait.OrHang())).InnerException);
        }
    }

    [Fact]
    public async Task Writer_ManyWait_AllAreReleasedByRoomAndByTheEnd()
    {
        await using PipelineChannel<int, int> channel = Pipeline.Of<int>(4)
            .Configure(static options => options with { DrainTimeout = TimeSpan.Zero }).RunAsChannel();
        for (int i = 0; i < 4; i++) Assert.True(channel.Writer.TryWrite(i));
        Task<bool>[] waits = [.. Enumerable.Range(0, Users).Select(_ => channel.Writer.WaitToWriteAsync().AsTask())];
        Assert.Equal(0, await channel.Reader.ReadAsync().OrHang());
        foreach (Task<bool> wait in waits) Assert.True(await wait.OrHang());

        while (channel.Writer.TryWrite(9))
        {
        }

        Task[] writes = [.. Enumerable.Range(0, Users).Select(i => channel.Writer.WriteAsync(i).AsTask())];
        waits = [.. Enumerable.Range(0, Users).Select(_ => channel.Writer.WaitToWriteAsync().AsTask())];
        await channel.Pipeline.HaltAsync().OrHang();
        foreach (Task write in writes) await Assert.ThrowsAsync<ChannelClosedException>(() => write.OrHang());
        foreach (Task<bool> wait in waits) Assert.False(await wait.OrHang());
    }

    [Fact]
    public async Task AsyncEnumerable_TwoEnumerate_EachItemGoesToOne()
    {
        await using Pipeline<int> pipeline = Pipeline.Of<int>(16).Poller("out").Run();
        IAsyncEnumerable<int> items = pipeline.GetPoller<int>("out").AsAsyncEnumerable();
        List<int>[] seen = [[], []];
        Task[] readers = [.. seen.Select(list => Task.Run(async () =>
        {
            await foreach (int item in items) list.Add(item);
        }))];
        for (int i = 0; i < Each; i++) await pipeline.Publisher.PublishAsync(i);
        Task<DrainResult> drain = pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        await Task.WhenAll(readers).OrHang();
        Assert.True((await drain.OrHang()).IsDrained);
        Assert.Equal(Enumerable.Range(0, Each), seen.SelectMany(static list => list).Order());
    }

    public static TheoryData<string> Alone => ["batches", "pump", "block"];

    [Theory]
    [MemberData(nameof(Alone))]
    public async Task Reader_OfWhichAllIsTaken_RefusesOthersAtTheCaller(string how)
    {
        await using Pipeline<int> pipeline = Pipeline.Of<int>(16).Poller("out").Run();
        Poller<int> poller = pipeline.GetPoller<int>("out");
        ChannelReader<int> reader = poller.AsChannelReader();
        // A wait that was given up is no other user.
        using var cancel = new CancellationTokenSource();
        Task<bool> given = reader.WaitToReadAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => given.OrHang());

        var target = new BufferBlock<int>();
        var buffer = Channel.CreateUnbounded<int>();
        Task<List<int>> all = how switch
        {
            "batches" => Batches(poller),
            "pump" => Pumped(reader, buffer),
            _ => Blocks(poller, target),
        };
        await Watchdog.UntilAsync(() => Record.Exception(() => reader.TryRead(out _)) is InvalidOperationException, "the reader to be taken");
        await Assert.ThrowsAsync<InvalidOperationException>(() => reader.ReadAsync().AsTask().OrHang());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await reader.WaitToReadAsync());
        await Assert.ThrowsAsync<InvalidOperationException>(() => Batches(poller).OrHang());
        var other = Channel.CreateUnbounded<int>();
        await Assert.ThrowsAsync<InvalidOperationException>(() => reader.PumpInto(other.Writer).OrHang());
        Assert.False(other.Reader.Completion.IsCompleted);

        for (int i = 0; i < 100; i++) await pipeline.Publisher.PublishAsync(i);
        Task<DrainResult> drain = pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        Assert.Equal(Enumerable.Range(0, 100), await all.OrHang());
        Assert.True((await drain.OrHang()).IsDrained);
    }

    [Fact]
    public async Task Reader_AskedForOneAndForSeveral_IsRefused()
    {
        await using Pipeline<int> pipeline = Pipeline.Of<int>(16).Poller("out").Run();
        Poller<int> poller = pipeline.GetPoller<int>("out");
        Assert.Same(poller.AsChannelReader(singleReader: true), poller.AsChannelReader(singleReader: true));
        Assert.Contains("out", Assert.Throws<InvalidOperationException>(() => poller.AsChannelReader()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task SingleReader_TwoWait_TheSecondIsRefusedAndTheFirstGoesOn()
    {
        await using PipelineChannel<int, int> channel = Pipeline.Of<int>(16).RunAsChannel(singleWriter: true, singleReader: true);
        Task<bool> first = channel.Reader.WaitToReadAsync().AsTask();
        Assert.False(first.IsCompleted);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await channel.Reader.WaitToReadAsync());
        Assert.True(channel.Writer.TryWrite(1));
        Assert.True(await first.OrHang());
        Assert.Equal(1, await channel.Reader.ReadAsync().OrHang());
    }

    [Fact]
    public async Task Poller_TwoWait_TheSecondIsRefusedAndTheFirstGoesOn()
    {
        await using Pipeline<int> pipeline = Pipeline.Of<int>(16).Poller("out").Run();
        Poller<int> poller = pipeline.GetPoller<int>("out");
        using (PolledBatch<int> none = poller.Poll()) Assert.Equal(0, none.Count);
        Task first = poller.WaitAsync().AsTask();
        await Assert.ThrowsAsync<InvalidOperationException>(() => poller.WaitAsync().AsTask().OrHang());
        pipeline.Publisher.Publish(1);
        await first.OrHang();
    }

    [Fact]
    public async Task Observer_ManyCallOnNext_EachItemOnce()
    {
        long sum = 0;
        await using Pipeline<int> pipeline = Pipeline.Of<int>(16).Stage("add", (ref int item) => sum += item).Run();
        IObserver<int> observer = pipeline.AsObserver();
        await Task.WhenAll(Enumerable.Range(0, Users).Select(_ => Task.Factory.StartNew(() =>
        {
            for (int i = 1; i <= Each; i++) observer.OnNext(i);
        }, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))).OrHang();
        observer.OnCompleted();
        await pipeline.Completion.OrHang();
        Assert.Equal(Users * (long)Each * (Each + 1) / 2, sum);
    }

    private static PipelineBuilder<int, int> Of(string kind, int capacity) => kind switch
    {
        "multi" => Pipeline.Of<int>(capacity).MultiProducer(Math.Min(4, capacity)),
        "sharded" => Pipeline.Of<int>(capacity).Sharded(4),
        _ => Pipeline.Of<int>(capacity),
    };

    private static async Task WriteAsync(ChannelWriter<int> writer, int index)
    {
        for (int i = index * Each; i < (index + 1) * Each; i++)
        {
            if (i % 3 == 0)
            {
                while (!writer.TryWrite(i)) Assert.True(await writer.WaitToWriteAsync());
            }
            else
            {
                await writer.WriteAsync(i);
            }
        }
    }

    private static async Task ReadAsync(ChannelReader<int> reader, List<int> seen, int index)
    {
        if (index == 0)
        {
            await foreach (int item in reader.ReadAllAsync()) seen.Add(item);
            return;
        }

        while (await reader.WaitToReadAsync())
            while (reader.TryRead(out int item)) seen.Add(item);
    }

    private static async Task<List<int>> Batches(Poller<int> poller)
    {
        List<int> all = [];
        await foreach (ReadOnlyMemory<int> batch in poller.AsAsyncBatches()) all.AddRange(batch.Span);
        return all;
    }

    private static async Task<List<int>> Pumped(ChannelReader<int> reader, Channel<int> buffer)
    {
        await reader.PumpInto(buffer.Writer);
        List<int> all = [];
        await foreach (int item in buffer.Reader.ReadAllAsync()) all.Add(item);
        return all;
    }

    private static async Task<List<int>> Blocks(Poller<int> poller, BufferBlock<int> target)
    {
        poller.AsSourceBlock().LinkTo(target, new DataflowLinkOptions { PropagateCompletion = true });
        List<int> all = [];
        while (await target.OutputAvailableAsync())
            while (target.TryReceive(out int item)) all.Add(item);
        return all;
    }
}
