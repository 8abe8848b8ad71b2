// Value tasks are kept until their calls are let go on.
#pragma warning disable CA2012

namespace Raceway.Concurrency.Tests.Executors;

public sealed class SerialExecutorOptionsTests
{
    [Fact]
    public async Task Capacity_Reached_RefusesUntilACallHasBegun()
    {
        await using var executor = new SerialExecutor(new SerialExecutorOptions { Capacity = 2 });
        TaskCompletionSource<int> gate = await Block(executor);
        Assert.True(executor.TryExecute(1, static x => x, out ValueTask<int> first));
        Task<int> second = executor.ExecuteAsync(2, static x => x).AsTask();

        Assert.False(executor.TryExecute(3, static x => x, out _));
        var full = await Assert.ThrowsAsync<ExecutorFullException>(async () => await executor.ExecuteAsync(3, static x => x));
        await Assert.ThrowsAsync<ExecutorFullException>(
            async () => await executor.ExecuteManyAsync([3], new int[1], static x => x));
        Assert.Contains("capacity=2", full.Message, StringComparison.Ordinal);
        Task<bool> room = executor.WaitForRoomAsync().AsTask();
        Assert.False(room.IsCompleted);
        gate.SetResult(0);

        Assert.True(await room.OrHang());
        Assert.Equal(1, await first.OrHang());
        Assert.Equal(2, await second.OrHang());
        Assert.True(executor.TryExecute(3, static (in x) => x, out ValueTask<int> third));
        Assert.Equal(3, await third.OrHang());
    }

    [Fact]
    public async Task WaitForRoomAsync_CancelledOrCompleted_Ends()
    {
        await using var executor = new SerialExecutor(new SerialExecutorOptions { Capacity = 1 });
        TaskCompletionSource<int> gate = await Block(executor);
        Task<int> waiting = executor.ExecuteAsync(1, static x => x).AsTask();
        using var stop = new CancellationTokenSource();
        Task<bool> cancelled = executor.WaitForRoomAsync(stop.Token).AsTask();
        Task<bool> completed = executor.WaitForRoomAsync().AsTask();

        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.OrHang());
        executor.Complete();
        Assert.False(await completed.OrHang());
        gate.SetResult(0);
        Assert.Equal(1, await waiting.OrHang());
    }

    [Fact]
    public async Task Capacity_WithManyCallersThatWaitForRoom_LosesNoCallAndNoCaller()
    {
        const int Callers = 4, Each = 2_000;
        await using var executor = new SerialExecutor(new SerialExecutorOptions { Capacity = 3 });
        int ran = 0;
        int[] sums = await Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => Task.Run(async () =>
        {
            var results = new List<ValueTask<int>>();
            for (int i = 0; i < Each;)
            {
                if (executor.TryExecute(1, one => ran += one, out ValueTask<int> result))
                {
                    results.Add(result);
                    i++;
                }
                else
                {
                    Assert.True(await executor.WaitForRoomAsync());
                }
            }

            foreach (ValueTask<int> result in results) await result;
            return results.Count;
        }))).OrHang();

        Assert.Equal(Callers * Each, sums.Sum());
        Assert.Equal(Callers * Each, ran);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void Capacity_BelowOne_IsRefused(int capacity) =>
        Assert.Contains(
            $"capacity={capacity}",
            Assert.Throws<ArgumentOutOfRangeException>(
                () => new SerialExecutor(new SerialExecutorOptions { Capacity = capacity })).Message,
            StringComparison.Ordinal);

    [Fact]
    public async Task RunDirectlyWhenIdle_Idle_RunsOnTheCallersThreadAndCompletesAtOnce()
    {
        await using var executor = new SerialExecutor(new SerialExecutorOptions { RunDirectlyWhenIdle = true });
        int caller = Environment.CurrentManagedThreadId;
        ValueTask<int> call = executor.ExecuteAsync(0, static _ => Environment.CurrentManagedThreadId);
        Assert.True(call.IsCompletedSuccessfully);
        Assert.Equal(caller, await call);
    }

    [Fact]
    public async Task RunDirectlyWhenIdle_Suspended_GoesOnBeforeTheNext()
    {
        await using var executor = new SerialExecutor(new SerialExecutorOptions { RunDirectlyWhenIdle = true });
        TaskCompletionSource<int> gate = await Block(executor);
        Task<int> next = executor.ExecuteAsync(1, static x => x).AsTask();
        await PoolTurns.PassAsync();
        Assert.False(next.IsCompleted);
        gate.SetResult(0);
        Assert.Equal(1, await next.OrHang());
    }

    [Fact]
    public async Task ByDefault_NeitherHandlerNorCallerRunsInTheOthersPlace()
    {
        await using var executor = new SerialExecutor();

        // Threads, not their numbers: a number is used again once its thread has ended.
        Thread? asking = null;
        Task<Thread> call = await Task.Factory.StartNew(
            () =>
            {
                asking = Thread.CurrentThread;
                return executor.ExecuteAsync(0, static _ => Thread.CurrentThread).AsTask();
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        Assert.NotSame(asking, await call.OrHang());

        // A caller that goes on and blocks holds nobody up: the executor is free by then.
        TaskCompletionSource<int> gate = await Block(executor);
        using var later = new ManualResetEventSlim();
        Task caller = Await(executor.ExecuteAsync(0, static x => x), later);
        gate.SetResult(0);
        Assert.Equal(1, await executor.ExecuteAsync(1, static x => x).OrHang());
        Assert.Equal(2, await executor.ExecuteAsync(2, static x => x).OrHang());
        later.Set();
        await caller.OrHang();

        static async Task Await(ValueTask<int> call, ManualResetEventSlim later)
        {
            await call.ConfigureAwait(false);
            later.Wait();
        }
    }

    [Fact]
    public async Task AllowSynchronousContinuations_RunsTheCallerBeforeTheNextHandler()
    {
        await using var executor = new SerialExecutor(new SerialExecutorOptions { AllowSynchronousContinuations = true });
        TaskCompletionSource<int> gate = await Block(executor);
        List<string> log = [];
        Task caller = Await(executor.ExecuteAsync(log, static log => { log.Add("first"); return 0; }), log);
        Task<int> next = executor.ExecuteAsync(log, static log => { log.Add("second"); return 0; }).AsTask();
        gate.SetResult(0);
        await Task.WhenAll(caller, next).OrHang();

        Assert.Equal(["first", "caller", "second"], log);

        static async Task Await(ValueTask<int> call, List<string> log)
        {
            await call.ConfigureAwait(false);
            log.Add("caller");
        }
    }

    [Fact]
    public async Task Context_OfTheCallerAndOfOtherHandlers_IsNotTheHandlers()
    {
        await using var executor = new SerialExecutor();
        var local = new AsyncLocal<string?> { Value = "caller" };
        TaskCompletionSource<int> gate = await Block(executor);
        Task<string?> first = executor.ExecuteAsync(local, static local =>
        {
            string? seen = local.Value;
            local.Value = "left behind";
            return seen;
        }).AsTask();
        Task<string?> second = executor.ExecuteAsync(local, static local => local.Value).AsTask();
        gate.SetResult(0);

        Assert.Null(await first.OrHang());
        Assert.Null(await second.OrHang());
        Assert.Equal("caller", local.Value);
    }

    [Fact]
    public async Task Pool_WithAnExecutorThatIsNeverIdle_GetsItsTurn()
    {
        // As many as keep every thread of the pool busy, each always with something to do.
        bool stop = false;
        SerialExecutor[] busy = [.. Enumerable.Range(0, 4 * Environment.ProcessorCount).Select(_ => new SerialExecutor())];
        Task[] loops = [.. busy.Select(executor => Task.Run(async () =>
        {
            while (!Volatile.Read(ref stop)) await executor.ExecuteAsync(0, static x => x);
        }))];
        for (int i = 0; i < 50; i++)
        {
            var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            ThreadPool.UnsafeQueueUserWorkItem(static ran => ran.SetResult(), ran, preferLocal: false);
            await ran.Task.OrHang();
        }

        Volatile.Write(ref stop, true);
        await Task.WhenAll(loops).OrHang();
    }

    /// <summary>Keeps it busy with a suspended handler.</summary>
    private static async Task<TaskCompletionSource<int>> Block(SerialExecutor executor)
    {
        var gate = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = executor.ExecuteAsync((gate, begun), static async (state, _) =>
        {
            state.begun.SetResult();
            return await state.gate.Task;
        }).AsTask();
        await begun.Task.OrHang();
        return gate;
    }
}
