namespace Raceway.Rings.Tests;

/// <summary>Tasks that an async handler starts and does not await: once its call has ended they are callers like any other.</summary>
public sealed class EscapedTests
{
    /// <summary>How the stage waits, and how the call ends: also behind an await that is over when the driver looks, with a task or
    /// without; at once, when a task of it has begun; and by a task that takes no awaiter.</summary>
    public static TheoryData<string, string> Ways => Cross.Of(["park", "async"], ["at once", .. s_known]);

    /// <summary>Without those that end at once: they share their mark with a later call.</summary>
    public static TheoryData<string, string> KnownWays => Cross.Of(["park", "async"], s_known);

    private static readonly string[] s_known = ["later", "by now", "by now, inside", "has begun another", "refused"];

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task PublishAsync_ByATaskThatOutlivesTheHandlersCall_WaitsForRoom(string wait, string ends)
    {
        var escape = new Escape(ends);
        var ring = Make.Ring(2, ProducerKind.Multi, Wait.All.Single(each => each.Name == wait));
        Stage last = escape.Attach(ring);
        Producer<long> producer = Make.Producer(ring);
        Producer<long> own = Make.Producer(ring);
        escape.Body = () => own.PublishAsync(9).AsTask();
        await Escape.FillAsync(ring, producer);

        escape.MayGoOn.SetResult();
        await Watchdog.UntilAsync(() => escape.Escaped.IsCompleted || ring.HasBlockedProducers, ring);

        Assert.False(escape.Escaped.IsCompleted, $"{escape.Escaped.Exception?.InnerException}");
        escape.MayReturn.Set();
        await Watchdog.Await(escape.Escaped, ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(4, last.GetStatistics().Items);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task DisposeAsync_ByATaskThatOutlivesTheHandlersCall_WaitsForTheEnd(string wait, string ends)
    {
        var escape = new Escape(ends);
        var ring = new RingBuffer<long>(
            2, new RingOptions<long> { Wait = Wait.All.Single(each => each.Name == wait), DrainTimeout = TimeSpan.FromMinutes(5) });
        escape.Attach(ring);
        var wasOver = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        escape.Body = async () =>
        {
            ValueTask disposal = ring.DisposeAsync();
            wasOver.SetResult(disposal.IsCompleted);
            await disposal;
        };
        await Escape.FillAsync(ring, Make.Producer(ring));

        escape.MayGoOn.SetResult();
        await Watchdog.UntilAsync(() => ring.Control.IsClosed, ring);
        Assert.False(await Watchdog.Await(wasOver.Task, ring));
        escape.MayReturn.Set();
        await Watchdog.Await(escape.Escaped, ring);

        Assert.Equal(RingState.Stopped, ring.State);
    }

    [Theory]
    [MemberData(nameof(KnownWays))]
    public async Task DisposeAsync_WhileALaterCallIsUnderWay_WaitsForTheEnd(string wait, string ends)
    {
        var isCalled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var mayReturn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var wasOver = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var escape = new Escape(ends)
        {
            Second = () =>
            {
                isCalled.SetResult();
                return new ValueTask(mayReturn.Task);
            },
        };
        escape.MayReturn.Set();
        var ring = new RingBuffer<long>(
            2, new RingOptions<long> { Wait = Wait.All.Single(each => each.Name == wait), DrainTimeout = TimeSpan.FromMinutes(5) });
        Stage last = escape.Attach(ring);
        escape.Body = async () =>
        {
            ValueTask disposal = ring.DisposeAsync();
            wasOver.SetResult(disposal.IsCompleted);
            await disposal;
        };
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        producer.Publish(0);
        await Watchdog.UntilAsync(() => last.Position == 0, ring);
        producer.Publish(1);
        await Watchdog.Await(isCalled.Task, ring);

        escape.MayGoOn.SetResult();
        Assert.False(await Watchdog.Await(wasOver.Task, ring));
        mayReturn.SetResult();
        await Watchdog.Await(escape.Escaped, ring);

        Assert.Equal(RingState.Stopped, ring.State);
    }

    [Fact]
    public async Task Publish_ByAHandlerInEveryOneOfManyCalls_IsRefusedWhateverTheCallsBeforeHaveDone()
    {
        var ring = Make.Ring(2, ProducerKind.Multi, Wait.Async());
        Producer<long> own = Make.Producer(ring);
        int refused = 0;
        ring.Subscribe(new AsyncLambda<long>(async (batch, _) =>
        {
            // Every third call completes at once.
            if (batch[0] < 0 || batch[0] % 3 == 0) return;
            await Task.Yield();
            // A turn of the other producer refuses room that is there, and ends: only a ring without room stays so in this call.
            while (own.Remaining > 0) own.TryPublish(-1);
            await Assert.ThrowsAsync<ReentrantPublishException>(() => own.PublishAsync(-1).AsTask());
            await Assert.ThrowsAsync<ReentrantPublishException>(() => own.WaitForRoomAsync().AsTask());
            await Task.Yield();
            Assert.Throws<ReentrantPublishException>(() => own.Publish(-1));
            Volatile.Write(ref refused, refused + 1);
        }), new StageOptions { Dispatch = Dispatch.Single });
        ring.Start();
        Producer<long> producer = Make.Producer(ring);
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                for (int i = 0; i < 30; i++) producer.Publish(i);
            }),
            ring);
        // A ring that drains refuses every claim for that reason, so the last calls come first.
        await Watchdog.UntilAsync(() => Volatile.Read(ref refused) == 20, ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(20, refused);
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task WaitForRoomAsync_ByAHandlerOfAFullRing_IsRefusedAtOnce(ProducerKind kind)
    {
        var ring = Make.Ring(4, kind);
        Producer<long> producer = Make.Producer(ring);
        Task<bool>? room = null;
        Stage stage = ring.Subscribe(new BatchLambda<long>(_ => room = producer.WaitForRoomAsync().AsTask()), Make.Stepped());
        Make.PublishRange(producer, 0, 3);
        stage.Step();
        await Assert.ThrowsAsync<ReentrantPublishException>(() => Watchdog.Await(room!, ring));
        // Nothing is left pending.
        Assert.Equal(ClaimStatus.Done, producer.TryPublish(4));
        Assert.True(await producer.WaitForRoomAsync());
    }

    /// <summary>A stage whose first call starts a task and does not await it, and one behind it that holds the ring full.</summary>
    private sealed class Escape(string ends)
    {
        public Func<Task> Body { get; set; } = static () => Task.CompletedTask;

        public TaskCompletionSource MayGoOn { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public ManualResetEventSlim MayReturn { get; } = new();

        public Task Escaped { get; private set; } = Task.CompletedTask;

        /// <summary>What the second call of the first stage does; null: as those behind it.</summary>
        public Func<ValueTask>? Second { get; init; }

        public Stage Attach(RingBuffer<long> ring)
        {
            Stage first = ring.Subscribe(new AsyncLambda<long>(OnBatchAsync), new StageOptions { Dispatch = Dispatch.Single, OnFault = FaultPolicy.Skip });
            return ring.Subscribe(
                new EventLambda<long>((ref long item, long _, bool _) =>
                {
                    if (item == 1) MayReturn.Wait();
                }),
                // The first item has left before the second is held: in one batch with it, its slot would be held as well.
                Make.After(first) with { Dispatch = Dispatch.Single });
        }

        /// <summary>Starts the ring and fills it, all calls of the first stage being over.</summary>
        public static async Task FillAsync(Ring ring, Producer<long> producer)
        {
            ring.Start();
            for (int i = 0; i < 3; i++)
            {
                await Watchdog.Await(producer.PublishAsync(i).AsTask(), ring);
                long sequence = i;
                await Watchdog.UntilAsync(() => ring.Stages[0].Position == sequence, ring);
            }
        }

        private ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
        {
            if (batch[0] == 0)
            {
                using var hasBegun = new ManualResetEventSlim();
                Escaped = Task.Run(async () =>
                {
                    hasBegun.Set();
                    await MayGoOn.Task;
                    await Body();
                }, CancellationToken.None);
                if (ends == "has begun another") hasBegun.Wait(CancellationToken.None);
                if (ends == "refused") return new ValueTask(new StaleSource(int.MaxValue), 0);
            }

            if (batch[0] == 1 && Second is not null) return Second();
            return ends switch
            {
                "later" => LaterAsync(),
                "by now" => new ValueTask(OverByNow()),
                "by now, inside" => AwaitAsync(OverByNow()),
                _ => default,
            };
        }

        // As where the driver's thread has lost its processor behind the call.
        private static Task OverByNow()
        {
            var later = LaterAsync().AsTask();
            later.Wait();
            return later;
        }

        private static async ValueTask AwaitAsync(Task task) => await task;

        private static async ValueTask LaterAsync() => await Task.Yield();
    }
}
