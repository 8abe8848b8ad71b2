using System.Collections.Concurrent;
using System.Threading.Tasks.Sources;

// What is tested is what happens to who breaks the rules of value tasks.
#pragma warning disable xUnit1031, CA2012

namespace Raceway.Concurrency.Tests.Completion;

public sealed class PooledCompletionTests
{
    [Fact]
    public async Task Await_BeforeAndAfterTheEnd_GetsTheResult()
    {
        Operation before = Pool<Operation>.Rent();
        Task<string> waiting = before.Task.AsTask();
        before.SetResult("a");
        Operation after = Pool<Operation>.Rent();
        ValueTask<string> ended = after.Task;
        after.SetResult("b");

        Assert.Equal("a", await waiting.OrHang());
        Assert.Equal("b", await ended);
    }

    [Fact]
    public async Task Await_OfAFault_ThrowsItOnceAndTheSourceIsFreshAgain()
    {
        Operation operation = Pool<Operation>.Rent();
        ValueTask<string> failed = operation.Task;
        operation.SetException(new FormatException("x"));

        await Assert.ThrowsAsync<FormatException>(async () => await failed);

        Operation again = Pool<Operation>.Rent();
        Assert.Same(operation, again);
        ValueTask<string> next = again.Task;
        again.SetResult("fine");
        Assert.Equal("fine", await next);
    }

    [Fact]
    public void Status_OfEachEnd_IsAsOfATask()
    {
        Operation operation = Pool<Operation>.Rent();
        ValueTask<string> task = operation.Task;
        Assert.False(task.IsCompleted);
        operation.SetException(new OperationCanceledException());
        Assert.True(task.IsCanceled);

        Operation other = Pool<Operation>.Rent();
        ValueTask failed = other.TaskWithoutResult;
        other.SetException(new FormatException());
        Assert.True(failed.IsFaulted);
    }

    // Against the rules of value tasks. But an exception from here would end the process: the pool asks for the status, too.
    [Fact]
    public async Task Status_WhileAnotherThreadTakesTheFault_NeverThrows()
    {
        using var stop = new CancellationTokenSource();
        ValueTask<string>[] shared = [default];
        Task asking = Watchdog.Run(() =>
        {
            while (!stop.IsCancellationRequested) _ = Volatile.Read(ref shared)[0].IsCanceled;
        });
        for (int i = 0; i < 10_000 && !asking.IsCompleted; i++)
        {
            Operation operation = Pool<Operation>.Rent();
            ValueTask<string> failed = operation.Task;
            operation.SetException(new FormatException("planted"));
            Volatile.Write(ref shared, [failed]);
            Assert.IsType<FormatException>(Record.Exception(() => failed.GetAwaiter().GetResult()));
        }

        await stop.CancelAsync();
        await asking.OrHang();
    }

    [Fact]
    public async Task Await_ASecondTime_IsToldClearly()
    {
        Operation operation = Pool<Operation>.Rent();
        ValueTask<string> task = operation.Task;
        operation.SetResult("once");
        await task;

        var late = await Assert.ThrowsAsync<InvalidOperationException>(async () => await task);
        Assert.Contains("awaited once", late.Message, StringComparison.Ordinal);
        Assert.True(task.IsFaulted);
    }

    [Fact]
    public async Task Await_ASecondTimeBeforeTheEnd_ThrowsThereAndTheFirstOneGoesOn()
    {
        Operation operation = Pool<Operation>.Rent();
        ValueTask<string> task = operation.Task;
        Task<string> first = task.AsTask();

        // An async method: what OnCompleted throws to it ends the process.
        var again = await Assert.ThrowsAsync<InvalidOperationException>(() => AwaitAsync().OrHang());

        Assert.Contains("awaited once", again.Message, StringComparison.Ordinal);
        operation.SetResult("first");
        Assert.Equal("first", await first.OrHang());

        async Task<string> AwaitAsync() => await task;
    }

    [Fact]
    public async Task AsTask_ResultTakenByAnother_TheTaskThrows()
    {
        Operation operation = Pool<Operation>.Rent();
        ValueTask<string> task = operation.Task;
        Task<string> robbed = task.AsTask();

        // What was to go on is queued, and finds the operation given back: its exception must have a task to go to.
        Continuation first = operation.Publish("taken");
        Assert.Equal("taken", task.GetAwaiter().GetResult());
        first.Queue();

        var told = await Assert.ThrowsAsync<InvalidOperationException>(() => robbed.OrHang());
        Assert.Contains("awaited once", told.Message, StringComparison.Ordinal);
    }

    // Outside the context that tests run in: there it would be posted.
    private static void WhenCompleted(ValueTask<string> task, Action then) =>
        task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(then);

    [Fact]
    public void GetResult_BeforeTheEnd_IsToldClearlyAndTakesNothing()
    {
        Operation operation = Pool<Operation>.Rent();
        ValueTask<string> task = operation.Task;

        var early = Assert.Throws<InvalidOperationException>(() => task.GetAwaiter().GetResult());

        Assert.Contains("Pending", early.Message, StringComparison.Ordinal);
        operation.SetResult("later");
        Assert.Equal("later", task.GetAwaiter().GetResult());
    }

    [Fact]
    public void OnCompleted_AfterTheEnd_DoesNotRunInside()
    {
        Operation operation = Pool<Operation>.Rent();
        ValueTask<string> task = operation.Task;
        operation.SetResult("");
        int caller = Environment.CurrentManagedThreadId;
        using var gone = new ManualResetEventSlim();
        bool inside = true, ranInside = false;
        task.GetAwaiter().UnsafeOnCompleted(() =>
        {
            ranInside = Volatile.Read(ref inside) && Environment.CurrentManagedThreadId == caller;
            gone.Set();
        });
        Volatile.Write(ref inside, false);

        Watchdog.Until(() => gone.IsSet, "the continuation");
        Assert.False(ranInside);
    }

    [Fact]
    public async Task Await_InASynchronizationContext_GoesOnThere()
    {
        var place = new Place();
        Operation operation = Pool<Operation>.Rent();
        ValueTask<string> task = operation.Task;
        var posted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        SynchronizationContext? outer = SynchronizationContext.Current;
        try
        {
            SynchronizationContext.SetSynchronizationContext(place);
            task.GetAwaiter().UnsafeOnCompleted(posted.SetResult);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(outer);
        }

        operation.SetResult("");
        Assert.False(posted.Task.IsCompleted);
        Assert.True(place.Posts.TryDequeue(out Action? post));
        post();
        await posted.Task.OrHang();
        task.GetAwaiter().GetResult();
    }

    [Fact]
    public void OnCompleted_ThatFlowsItsContext_RunsInIt()
    {
        var local = new AsyncLocal<int> { Value = 7 };
        Operation operation = Pool<Operation>.Rent();
        int seen = 0;
        ((IValueTaskSource<string>)operation).OnCompleted(
            _ => seen = local.Value, null, operation.Version, ValueTaskSourceOnCompletedFlags.FlowExecutionContext);
        local.Value = 8;
        operation.SetResult("");
        Assert.Equal(7, seen);
    }

    [Fact]
    public void Publish_WithAnAwaiter_LeavesItToTheCaller()
    {
        Operation operation = Pool<Operation>.Rent();
        ValueTask<string> task = operation.Task;
        bool ran = false;
        WhenCompleted(task, () => ran = true);

        Continuation awaiter = operation.Publish("x");

        Assert.True(task.IsCompleted);
        Assert.False(ran);
        Assert.True(awaiter.IsSet);
        awaiter.Run();
        Assert.True(ran);
    }

    [Fact]
    public async Task CompletingAndAwaiting_AtTheSameTime_LosesNothing()
    {
        const int Count = 5_000;
        using var lane = new BlockingCollection<Operation>(64);
        Task completing = Task.Run(() =>
        {
            foreach (Operation one in lane.GetConsumingEnumerable()) one.SetResult("done");
        });
        int got = 0;
        for (int i = 0; i < Count; i++)
        {
            Operation operation = Pool<Operation>.Rent();
            operation.RunContinuationsAsynchronously = true;
            ValueTask<string> task = operation.Task;
            lane.Add(operation);
            if (await task == "done") got++;
        }

        lane.CompleteAdding();
        await completing.OrHang();
        Assert.Equal(Count, got);
    }

    private sealed class Place : SynchronizationContext
    {
        public ConcurrentQueue<Action> Posts { get; } = new();

        public override void Post(SendOrPostCallback callback, object? state) => Posts.Enqueue(() => callback(state));
    }

    private sealed class Operation : PooledCompletion<string>
    {
        public short Version { get; private set; }

        protected override void Release()
        {
            Version++;
            // The next test's operation may be this one.
            RunContinuationsAsynchronously = false;
            Pool<Operation>.Return(this);
        }
    }
}
