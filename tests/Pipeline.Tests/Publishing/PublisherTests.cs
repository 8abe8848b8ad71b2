using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Publishing;

/// <summary>A publisher for any thread: every item once or refused, each caller's order, and no wait that nothing ends.</summary>
public sealed class PublisherTests
{
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(5);

    public static TheoryData<ProducerKind> Kinds => [.. Enum.GetValues<ProducerKind>()];

    public static TheoryData<ProducerKind, string> Ways
    {
        get
        {
            var data = new TheoryData<ProducerKind, string>();
            foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
                foreach (string way in (string[])["item", "writer", "span", "try", "timed", "async", "async writer", "async span", "mixed"]) data.Add(kind, way);
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Publish_ManyCallersAndLittleRoom_EachItemOnceInItsCallersOrder(ProducerKind kind, string way)
    {
        const int Callers = 6;
        const int Each = 600;
        var order = new OrderOfEach(Callers);
        await using Pipeline<long> pipeline = Of(kind, 32).Stage("check", order).Run();

        Task[] callers = [.. Enumerable.Range(0, Callers).Select(caller => Task.Run(async () =>
        {
            for (long n = 0; n < Each; n++)
                n += await PublishAsync(pipeline.Publisher, way == "mixed" ? Mixed[(caller + n) % Mixed.Length] : way, caller, n) - 1;
        }))];
        await Task.WhenAll(callers).OrHang();
        Assert.True((await pipeline.DrainAsync(s_long)).IsDrained);

        // Parts of three go over the end by two at most.
        Assert.All(order.Next, next => Assert.InRange(next, Each, Each + 2));
    }

    private static string[] Mixed { get; } = ["item", "writer", "span", "try", "timed", "async", "async writer", "async span"];

    private static async Task<long> PublishAsync(Publisher<long> publisher, string way, int caller, long n)
    {
        long item = caller * 1_000_000L + n;
        switch (way)
        {
            case "item":
                publisher.Publish(item);
                return 1;
            case "writer":
                publisher.Publish(item, static (ref long slot, long value) => slot = value);
                return 1;
            case "span":
                publisher.Publish([item, item + 1, item + 2]);
                return 3;
            case "try":
                while (publisher.TryPublish(item) == ClaimStatus.Full) await Task.Yield();
                return 1;
            case "timed":
                Assert.Equal(ClaimStatus.Done, publisher.TryPublish(item, s_long));
                return 1;
            case "async":
                await publisher.PublishAsync(item);
                return 1;
            case "async writer":
                await publisher.PublishAsync(item, static (ref long slot, long value) => slot = value);
                return 1;
            default:
                await publisher.PublishAsync(new[] { item, item + 1, item + 2 }.AsMemory());
                return 3;
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PublishAsync_NotAwaitedOneByOne_AreHandledInTheOrderOfTheCalls(ProducerKind kind)
    {
        const int Count = 500;
        var order = new OrderOfEach(1);
        await using Pipeline<long> pipeline = Of(kind, 8).Stage("check", order).Run();

        Task[] calls = [.. Enumerable.Range(0, Count).Select(n => pipeline.Publisher.PublishAsync(n).AsTask())];
        await Task.WhenAll(calls).OrHang();

        Assert.True((await pipeline.DrainAsync(s_long)).IsDrained);
        Assert.Equal(Count, order.Next[0]);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Publish_NoRoom_WaitsInTheOrderOfTheCallsAndEndsAsAsked(ProducerKind kind)
    {
        var seen = new List<long>();
        await using Pipeline<long> pipeline = Full(kind, seen, out int room);
        Publisher<long> publisher = pipeline.Publisher;
        using var cancel = new CancellationTokenSource();

        Assert.Equal(ClaimStatus.Full, publisher.TryPublish(100));
        Assert.Equal(ClaimStatus.TimedOut, publisher.TryPublish(100, TimeSpan.Zero));
        Assert.Equal(ClaimStatus.TimedOut, publisher.TryPublish(100, TimeSpan.FromMilliseconds(1)));
        Task first = publisher.PublishAsync(room).AsTask();
        Task cancelled = publisher.PublishAsync(100, cancel.Token).AsTask();
        Task blocked = Run(() => publisher.Publish(100, cancel.Token));
        Task timed = Run(() => publisher.TryPublish(100, s_long, cancel.Token));
        Task<bool> looks = publisher.WaitForRoomAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        foreach (Task task in (Task[])[cancelled, blocked, timed, looks])
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task.OrHang());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => publisher.PublishAsync(100, cancel.Token).AsTask());
        Assert.False(first.IsCompleted);
        Task second = publisher.PublishAsync(room + 1, static (ref long slot, int value) => slot = value).AsTask();
        Task<bool> hasRoom = publisher.WaitForRoomAsync().AsTask();

        Assert.Equal(1, pipeline["take"].Step(1).Count);
        await first.OrHang();
        Assert.False(second.IsCompleted);
        Assert.Equal(1, pipeline["take"].Step(1).Count);
        await second.OrHang();
        Assert.False(hasRoom.IsCompleted);
        Assert.Equal(1, pipeline["take"].Step(1).Count);
        Assert.True(await hasRoom.OrHang());
        publisher.Publish(room + 2);

        while (pipeline["take"].Step().Kind == StepKind.Progressed)
        {
        }

        Assert.Equal(Enumerable.Range(0, room + 3).Select(static n => (long)n), seen);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Publish_InterruptedAsleep_PublishesNothing(ProducerKind kind)
    {
        await using Pipeline<long> pipeline = Full(kind, [], out int room);
        Publisher<long> publisher = pipeline.Publisher;
        Exception? thrown = null;
        var thread = new Thread(() => thrown = Record.Exception(() => publisher.Publish(100)));
        thread.Start();
        await Watchdog.UntilAsync(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0, "the thread to sleep");
        thread.Interrupt();
        await Run(thread.Join).OrHang();

        Assert.IsType<ThreadInterruptedException>(thrown);
        Assert.Equal(ClaimStatus.Full, publisher.TryPublish(100));
        Assert.Equal(1, pipeline["take"].Step(1).Count);
        Assert.Equal(ClaimStatus.Done, publisher.TryPublish(room));
    }

    public static TheoryData<ProducerKind, string> Endings => new()
    {
        { ProducerKind.Single, "complete" }, { ProducerKind.Multi, "complete" }, { ProducerKind.Sharded, "complete" },
        { ProducerKind.Single, "fault" }, { ProducerKind.Multi, "fault" }, { ProducerKind.Sharded, "fault" },
        { ProducerKind.Single, "dispose" }, { ProducerKind.Multi, "dispose" }, { ProducerKind.Sharded, "dispose" },
    };

    [Theory]
    [MemberData(nameof(Endings))]
    public async Task Publish_PipelineEnds_IsRefusedAsProducersAre(ProducerKind kind, string ending)
    {
        await using Pipeline<long> pipeline = Full(kind, [], out _);
        Publisher<long> publisher = pipeline.Publisher;
        Task[] waiting =
        [
            publisher.PublishAsync(9).AsTask(), Run(() => publisher.Publish(9)), publisher.PublishAsync(new long[3].AsMemory()).AsTask(),
            publisher.PublishAsync(9, static (ref long _, int _) => throw new FormatException()).AsTask(),
        ];
        Task<bool> looks = publisher.WaitForRoomAsync().AsTask();
        Task<ClaimStatus> timed = Run(() => publisher.TryPublish(9, s_long));
        Type refusal = ending switch
        {
            "complete" => typeof(RingStoppedException),
            "fault" => typeof(RingFaultedException),
            _ => typeof(ObjectDisposedException),
        };
        if (ending == "complete") pipeline.Complete();
        else if (ending == "fault") pipeline.Ring.Fail(new FormatException(), pipeline["take"]);
        else await pipeline.DisposeAsync().OrHang();

        foreach (Task task in waiting) await Assert.ThrowsAsync(refusal, () => task.OrHang());
        Assert.False(await looks.OrHang());
        Assert.Equal(ClaimStatus.Stopped, await timed.OrHang());
        Assert.Equal(ClaimStatus.Stopped, publisher.TryPublish(9));
        Assert.Throws(refusal, () => publisher.Publish(9));
        await Assert.ThrowsAsync(refusal, () => publisher.PublishAsync(9).AsTask());
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Publish_ByAHandlerWhileOthersWaitForRoom_IsRefusedAtOnce(ProducerKind kind)
    {
        List<Exception?> thrown = [];
        Publisher<long>? publisher = null;
        await using Pipeline<long> pipeline = Of(kind, 8).Stage("again", (ref long item) =>
        {
            if (item != 0) return;
            thrown.Add(Record.Exception(() => publisher!.Publish(9)));
            thrown.Add(Record.Exception(() => publisher!.TryPublish(9, s_long)));
            thrown.Add(publisher!.PublishAsync(9).AsTask().Exception?.InnerException);
            thrown.Add(publisher.WaitForRoomAsync().AsTask().Exception?.InnerException);
            Assert.Equal(ClaimStatus.Full, publisher.TryPublish(9));
        }).Build(Plan.Manual);
        publisher = pipeline.Publisher;
        Fill(publisher);
        Task waiting = publisher.PublishAsync(9).AsTask();
        Task blocked = Run(() => publisher.Publish(9));

        while (!waiting.IsCompleted || !blocked.IsCompleted)
            if (pipeline["again"].Step().Kind != StepKind.Progressed) await Task.Yield();

        await waiting;
        await blocked;
        Assert.Equal(4, thrown.Count);
        Assert.All(thrown, static one => Assert.IsType<ReentrantPublishException>(one));
    }

    [Fact]
    public async Task Publish_WriterOfAnotherIsAtWork_TryAndTimedCallsKeepTheirTime()
    {
        await using Pipeline<long> pipeline = Of(ProducerKind.Single, 8).Stage("take", static (ref long _) => { }).Run();
        Publisher<long> publisher = pipeline.Publisher;
        using var mayReturn = new ManualResetEventSlim();
        using var isWriting = new ManualResetEventSlim();
        using var cancel = new CancellationTokenSource();
        Task writing = Run(() => publisher.Publish(0, (ref long slot, int value) =>
        {
            isWriting.Set();
            mayReturn.Wait();
            slot = value;
        }));
        isWriting.Wait();

        Assert.Equal(ClaimStatus.Full, publisher.TryPublish(1));
        Assert.Equal(ClaimStatus.TimedOut, publisher.TryPublish(1, TimeSpan.FromMilliseconds(1)));
        Task cancelled = Run(() => publisher.Publish(1, cancel.Token));
        Task deferred = publisher.PublishAsync(2).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.OrHang());
        Assert.False(deferred.IsCompleted);
        mayReturn.Set();
        await writing.OrHang();
        await deferred.OrHang();
        Assert.True((await pipeline.DrainAsync(s_long)).IsDrained);
        Assert.Equal(2, pipeline["take"].GetStatistics().Items);
    }

    [Fact]
    public async Task Publish_WriterThrowsOrPublishes_NothingIsPublishedAndTheNextGoesOn()
    {
        var seen = new List<long>();
        await using Pipeline<long> pipeline = Full(ProducerKind.Single, seen, out int room);
        Publisher<long> publisher = pipeline.Publisher;
        Task failing = publisher.PublishAsync(0, static (ref long _, int _) => throw new FormatException()).AsTask();
        Task nested = publisher.PublishAsync(publisher, static (ref long _, Publisher<long> same) => same.TryPublish(9)).AsTask();
        Task nestedAsync = publisher.PublishAsync(
            publisher, static (ref long _, Publisher<long> same) => same.PublishAsync(9).AsTask().GetAwaiter().GetResult()).AsTask();
        Task good = publisher.PublishAsync(room).AsTask();
        pipeline["take"].Step(1);

        await Assert.ThrowsAsync<FormatException>(() => failing.OrHang());
        await Assert.ThrowsAsync<InvalidOperationException>(() => nested.OrHang());
        await Assert.ThrowsAsync<InvalidOperationException>(() => nestedAsync.OrHang());
        await good.OrHang();
        pipeline["take"].Step();
        Assert.Throws<FormatException>(() => publisher.Publish(0, static (ref long _, int _) => throw new FormatException()));
        Assert.Throws<InvalidOperationException>(
            () => publisher.Publish(publisher, static (ref long _, Publisher<long> same) => same.Publish(9)));
        publisher.Publish(room + 1);
        while (pipeline["take"].Step().Kind == StepKind.Progressed)
        {
        }

        Assert.Equal(Enumerable.Range(0, room + 2).Select(static n => (long)n), seen);
    }

    [Theory]
    [InlineData(ProducerKind.Single, 1)]
    [InlineData(ProducerKind.Multi, 4)]
    [InlineData(ProducerKind.Sharded, 4)]
    public async Task Publisher_BesideProducers_IsOneOfThemAndSaysSo(ProducerKind kind, int most)
    {
        await using Pipeline<long> pipeline = Of(kind, 32).Stage("take", static (ref long _) => { }).Build();
        Producer<long>[] all = [.. Enumerable.Range(0, most).Select(_ => Create())];
        Assert.Throws<InvalidOperationException>(() => pipeline.Publisher);
        all[0].Dispose();
        // Asked for again it is there: the first refusal is not kept.
        Publisher<long>[] publishers = new Publisher<long>[8];
        Parallel.For(0, publishers.Length, i => publishers[i] = pipeline.Publisher);
        Assert.All(publishers, publisher => Assert.Same(pipeline.Ring.GetPublisher(), publisher));
        Assert.Contains("publisher", Assert.Throws<InvalidOperationException>(Create).Message, StringComparison.Ordinal);
        publishers[0].Publish(1);

        Producer<long> Create() => kind == ProducerKind.Multi ? pipeline.CreateMultiProducer() : pipeline.CreateProducer();
    }

    [Fact]
    public async Task PublishPayload_ByManyCallers_EachHasItsBytes()
    {
        const int Callers = 4;
        const int Each = 300;
        long sum = 0;
        await using Pipeline<Message> pipeline = Pipeline.Of<Message>(16)
            .Configure(static options => options with { Payload = static (ref Message message) => ref message.Bytes })
            .Stage("add", (ref Message message) => sum += message.Bytes.Span[0] + message.Number).Run();
        Publisher<Message> publisher = pipeline.Publisher;

        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Run(() =>
        {
            for (int n = 0; n < Each; n++)
                publisher.PublishPayload([(byte)caller], n, static (ref Message slot, int number) => slot.Number = number);
        }))).OrHang();
        Assert.Equal(ClaimStatus.TooLarge, publisher.TryPublishPayload(new byte[1 << 20], 0, static (ref Message _, int _) => { }));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => publisher.PublishPayload(new byte[1 << 20], 0, static (ref Message _, int _) => { }));
        Assert.True((await pipeline.DrainAsync(s_long)).IsDrained);

        Assert.Equal(Each * (0 + 1 + 2 + 3) + Callers * Each * (Each - 1) / 2L, sum);
    }

    private static Task Run(Action body) =>
        Task.Factory.StartNew(body, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static Task<TResult> Run<TResult>(Func<TResult> body) =>
        Task.Factory.StartNew(body, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static PipelineBuilder<long, long> Of(ProducerKind kind, int capacity)
    {
        PipelineBuilder<long, long> pipeline =
            Pipeline.Of<long>(capacity).Configure(static options => options with { DrainTimeout = TimeSpan.Zero });
        return kind switch
        {
            ProducerKind.Multi => pipeline.MultiProducer(4),
            ProducerKind.Sharded => pipeline.Sharded(4),
            _ => pipeline,
        };
    }

    // Stepped by the test; full of 0, 1, 2, …
    private static Pipeline<long> Full(ProducerKind kind, List<long> seen, out int room)
    {
        Pipeline<long> pipeline = Of(kind, 8).Stage("take", (ref long item) => seen.Add(item)).Build(Plan.Manual);
        room = Fill(pipeline.Publisher);
        return pipeline;
    }

    private static int Fill(Publisher<long> publisher)
    {
        int room = 0;
        while (publisher.TryPublish(room) == ClaimStatus.Done) room++;
        return room;
    }

    private struct Message
    {
        public Payload Bytes;
        public int Number;
    }

    /// <summary>The next item of each caller; −1 where one came out of its order.</summary>
    private sealed class OrderOfEach(int callers) : IEventHandler<long>
    {
        public long[] Next { get; } = new long[callers];

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            (long caller, long n) = Math.DivRem(item, 1_000_000);
            Next[caller] = Next[caller] == n ? n + 1 : -1;
        }
    }
}
