using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>The bridges that are tested, and the pair that each is tested in.</summary>
public interface IBridges
{
    static abstract IEnumerable<string> Kinds { get; }

    /// <summary>Whether they lead into the pipeline.</summary>
    static abstract bool AreIn { get; }

    /// <summary>The way in of the pair for the bridge <paramref name="kind"/>.</summary>
    internal static abstract WayIn In(string kind, Pipeline<long> pipeline, int count, Exception? error = null);

    /// <summary>The way out of the pair.</summary>
    internal static abstract WayOut Out(string kind, Pipeline<long> pipeline);
}

/// <summary>
/// What every bridge keeps, in whichever direction: order and number, back-pressure, the end, errors both ways, and that a cancel
/// at any step loses nothing. Each pair here is a bridge under test with a plain channel's end on the other side of the pipeline.
/// </summary>
public abstract class BridgeContract<TBridges>
    where TBridges : IBridges
{
    private const int Small = 8;
    private const int Large = 1024;
    private const int Million = 1_000_000;

    public static TheoryData<string> Kinds => [.. TBridges.Kinds];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Bridge_Million_AllComeOnceAndInOrder(string kind)
    {
        await using Pipeline<long> pipeline = Of(Large);
        WayOut output = TBridges.Out(kind, pipeline);
        WayIn input = TBridges.In(kind, pipeline, Million);
        await pipeline.StartAsync();
        var seen = new Seen();
        Task receiving = Task.Run(() => output.ReceiveAsync(seen.Add, CancellationToken.None));
        Task sending = Task.Run(() => input.SendAsync(CancellationToken.None));

        await sending.OrHang();
        await receiving.OrHang();
        Assert.Equal((Million, true), (seen.Count, seen.InOrder));
        await pipeline.Completion.OrHang();
        Assert.Equal(0, pipeline.Unprocessed);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Bridge_Completed_LetsEverythingThrough(string kind)
    {
        await using Pipeline<long> pipeline = Of(Small);
        WayOut output = TBridges.Out(kind, pipeline);
        WayIn input = TBridges.In(kind, pipeline, 5 * Small);
        await pipeline.StartAsync();
        Task sending = Task.Run(() => input.SendAsync(CancellationToken.None));
        // Nobody receives yet: it is full, or all of it is in.
        await Watchdog.UntilAsync(() => IsFull(pipeline) || sending.IsCompleted, "a full ring");
        var seen = new Seen();
        await output.ReceiveAsync(seen.Add, CancellationToken.None).OrHang();
        await sending.OrHang();
        Assert.Equal((5 * Small, true), (seen.Count, seen.InOrder));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Bridge_SourceFails_ErrorComesOutBehindTheItems(string kind)
    {
        var error = new InvalidDataException("the source's");
        await using Pipeline<long> pipeline = Of(Small);
        WayOut output = TBridges.Out(kind, pipeline);
        WayIn input = TBridges.In(kind, pipeline, 3 * Small, error);
        await pipeline.StartAsync();
        var seen = new Seen();
        Task receiving = Task.Run(() => output.ReceiveAsync(seen.Add, CancellationToken.None));
        // A pump throws the error of its source, the others are told it.
        await Record.ExceptionAsync(() => Task.Run(() => input.SendAsync(CancellationToken.None)).OrHang());

        Exception? received = await Record.ExceptionAsync(() => receiving.OrHang());
        Assert.Contains(error, Causes(received));
        Assert.True(seen.InOrder);
        if (input.KeepsItemsBeforeAnError && output.KeepsItemsBeforeAFault) Assert.Equal(3 * Small, seen.Count);
        Assert.Equal((RingState.Faulted, 0), (pipeline.State, pipeline.Unprocessed));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Bridge_StageFails_BothSidesAreTold(string kind)
    {
        var error = new InvalidDataException("the stage's");
        await using Pipeline<long> pipeline = Of(Small, (ref long item) =>
        {
            if (item == 5) throw error;
        });
        WayOut output = TBridges.Out(kind, pipeline);
        WayIn input = TBridges.In(kind, pipeline, 10 * Small);
        await pipeline.StartAsync();
        var seen = new Seen();
        Task receiving = Task.Run(() => output.ReceiveAsync(seen.Add, CancellationToken.None));
        Task sending = Task.Run(() => input.SendAsync(CancellationToken.None));

        Exception? received = await Record.ExceptionAsync(() => receiving.OrHang());
        Assert.Contains(error, Causes(received));
        Assert.NotNull(await Record.ExceptionAsync(() => sending.OrHang()));
        Assert.True(seen.InOrder);
        Assert.InRange(seen.Count, 0, 5);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Bridge_ReceiverStands_SourceIsHeldBack(string kind)
    {
        const int Count = 8_000;
        await using Pipeline<long> pipeline = Of(2 * Small);
        WayOut output = TBridges.Out(kind, pipeline);
        WayIn input = TBridges.In(kind, pipeline, Count);
        await pipeline.StartAsync();
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var seen = new Seen();
        Task receiving = Task.Run(() => output.ReceiveAsync(
            async item =>
            {
                await seen.Add(item);
                await gate.Task;
            },
            CancellationToken.None));
        Task sending = Task.Run(() => input.SendAsync(CancellationToken.None));
        // Whatever the moment: no more is inside than fits.
        for (int i = 0; i < 50; i++)
        {
            await Watchdog.UntilAsync(() => IsFull(pipeline), "a full ring");
            Assert.InRange(pipeline.Ring.Stages[0].Position + 1, 0, 1 + pipeline.Ring.Capacity + output.MostHeld);
        }

        Assert.False(sending.IsCompleted);
        gate.SetResult();
        await receiving.OrHang();
        await sending.OrHang();
        Assert.Equal((Count, true), (seen.Count, seen.InOrder));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Bridge_CancelledAtEveryStep_LosesNothing(string kind)
    {
        const int Count = 24;
        for (int step = 0; step <= 2 * Count; step++)
        {
            await using Pipeline<long> pipeline = Of(Small / 2);
            WayOut output = TBridges.Out(kind, pipeline);
            WayIn input = TBridges.In(kind, pipeline, Count);
            if (!(TBridges.AreIn ? input.CanCancel : output.CanCancel)) return;
            await pipeline.StartAsync();
            using var cancel = new CancellationTokenSource();
            // Half of the steps when so many have been received, half when so many have been sent: full rings and empty ones.
            if (step == 0) await cancel.CancelAsync();
            int at = step / 2;
            input.Sending = item =>
            {
                if (step % 2 == 1 && item == at) cancel.Cancel();
            };
            var seen = new Seen();
            Task Receive(long item)
            {
                if (step % 2 == 0 && seen.Count + 1 == at) cancel.Cancel();
                return seen.Add(item);
            }

            CancellationTokenSource? ofIn = TBridges.AreIn ? cancel : null;
            CancellationTokenSource? ofOut = TBridges.AreIn ? null : cancel;
            Task receiving = Task.Run(() => UntilEnd(token => output.ReceiveAsync(Receive, token), ofOut));
            Task sending = Task.Run(() => UntilEnd(input.SendAsync, ofIn));
            await sending.OrHang();
            await receiving.OrHang();
            Assert.True((Count, true) == (seen.Count, seen.InOrder), $"step={step}: {string.Join(' ', seen.Items)}");
        }
    }

    private static async Task UntilEnd(Func<CancellationToken, Task> run, CancellationTokenSource? cancel)
    {
        try
        {
            await run(cancel?.Token ?? CancellationToken.None);
        }
        catch (OperationCanceledException) when (cancel is not null)
        {
            await run(CancellationToken.None);
        }
    }

    private static Pipeline<long> Of(int capacity, SlotAction<long>? work = null) =>
        Pipeline.Of<long>(capacity).Stage("work", work ?? (static (ref long _) => { })).Build();

    // What is sent in parts of half the ring waits as soon as such a part does not fit.
    private static bool IsFull(Pipeline<long> pipeline) => pipeline.Backlog > pipeline.Ring.Capacity / 2;

    private static IEnumerable<Exception> Causes(Exception? error) => error switch
    {
        null => [],
        AggregateException many => many.InnerExceptions.SelectMany(Causes).Prepend(error),
        _ => Causes(error.InnerException).Prepend(error),
    };

    /// <summary>What has come.</summary>
    private sealed class Seen
    {
        private readonly List<long> _items = [];

        public int Count => _items.Count;

        public bool InOrder { get; private set; } = true;

        public IReadOnlyList<long> Items => _items;

        public Task Add(long item)
        {
            InOrder &= item == _items.Count;
            _items.Add(item);
            return Task.CompletedTask;
        }
    }
}
