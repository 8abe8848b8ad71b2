// Value tasks are kept in windows, as callers keep them that have several calls under way.
#pragma warning disable CA2012

namespace Raceway.Concurrency.Tests.Executors;

public sealed class SerialExecutorTests
{
    public static TheoryData<SerialExecutorOptions> Kinds =>
    [
        new SerialExecutorOptions(),
        new SerialExecutorOptions { AllowSynchronousContinuations = true },
        new SerialExecutorOptions { RunDirectlyWhenIdle = true },
        new SerialExecutorOptions { Capacity = 1_000_000 },
        new SerialExecutorOptions { Capacity = 1_000_000, RunDirectlyWhenIdle = true, AllowSynchronousContinuations = true },
    ];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Calls_OfManyThreads_RunAloneAndInEachCallersOrder(SerialExecutorOptions options)
    {
        const int Callers = 4, Each = 1_500;
        await using var executor = new SerialExecutor(options);
        var log = new Log(Callers);
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Task.Run(async () =>
        {
            var window = new ValueTask<int>[16];
            for (int i = 0; i < Each; i++)
            {
                if (i >= window.Length) Assert.Equal(i - window.Length, await window[i % window.Length]);
                window[i % window.Length] = (i % 3) switch
                {
                    0 => executor.ExecuteAsync((log, caller, i), static state => state.log.Add(state.caller, state.i)),
                    1 => executor.ExecuteAsync((log, caller, i), static (in state) => state.log.Add(state.caller, state.i)),
                    _ => executor.ExecuteAsync((log, caller, i), static async (state, _) =>
                    {
                        int result = state.log.Enter(state.caller, state.i);
                        if (state.i % 5 == 0) await Task.Yield();
                        state.log.Leave();
                        return result;
                    }),
                };
            }

            for (int i = 0; i < window.Length; i++) await window[(Each + i) % window.Length];
        }))).OrHang();

        Assert.Equal(Callers * Each, log.Count);
        Assert.Null(log.Wrong);
    }

    [Fact]
    public async Task Handler_ThatSuspends_HoldsBackTheNext()
    {
        await using var executor = new SerialExecutor();
        var gate = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> first = executor.ExecuteAsync(gate, static async (gate, _) => await gate.Task).AsTask();
        bool ran = false;
        Task<int> second = executor.ExecuteAsync(0, _ =>
        {
            ran = true;
            return 2;
        }).AsTask();
        await PoolTurns.PassAsync();

        Assert.False(ran);
        gate.SetResult(42);
        Assert.Equal(42, await first.OrHang());
        Assert.Equal(2, await second.OrHang());
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Faults_OfHandlers_GoToTheirCallersOnly(SerialExecutorOptions options)
    {
        await using var executor = new SerialExecutor(options);
        await Assert.ThrowsAsync<FormatException>(
            async () => await executor.ExecuteAsync(0, static int (_) => throw new FormatException()));
        await Assert.ThrowsAsync<FormatException>(async () => await executor.ExecuteAsync(0, static async ValueTask<int> (_, _) =>
        {
            await Task.Yield();
            throw new FormatException();
        }));
        await Assert.ThrowsAsync<FormatException>(async () =>
            await executor.ExecuteAsync(0, static (_, _) => ValueTask.FromException<int>(new FormatException())));
        Assert.Equal(1, await executor.ExecuteAsync(1, static one => one).OrHang());
    }

    [Fact]
    public async Task Cancellation_OfACallThatWaits_EndsItAtOnceAndItNeverRuns()
    {
        await using var executor = new SerialExecutor();
        using var stop = new CancellationTokenSource();
        var gate = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> running = executor.ExecuteAsync(gate, static async (gate, _) => await gate.Task).AsTask();
        bool ran = false;
        Task<bool>[] waiting =
            [.. Enumerable.Range(0, 100).Select(_ => executor.ExecuteAsync(0, _ => ran = true, stop.Token).AsTask())];

        await stop.CancelAsync();

        foreach (Task<bool> one in waiting)
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => one.OrHang());
        Assert.False(running.IsCompleted);
        gate.SetResult(1);
        await running.OrHang();
        Assert.Equal(5, await executor.ExecuteAsync(5, static five => five).OrHang());
        Assert.False(ran);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await executor.ExecuteAsync(0, _ => ran = true, stop.Token));
        Assert.False(ran);
    }

    [Fact]
    public async Task Cancellation_OfACallThatHasBegun_IsTheHandlersBusiness()
    {
        await using var executor = new SerialExecutor();
        using var stop = new CancellationTokenSource();
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> call = executor.ExecuteAsync(begun, static async (begun, token) =>
        {
            begun.SetResult();
            await Task.Delay(Timeout.Infinite, token);
            return 1;
        }, stop.Token).AsTask();
        await begun.Task.OrHang();
        Assert.False(call.IsCompleted);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call.OrHang());
    }

    [Fact]
    public async Task Cancellation_RacingWithTheTurn_EndsEveryCallOnce()
    {
        await using var executor = new SerialExecutor();
        int ran = 0, cancelled = 0, completed = 0;
        for (int round = 0; round < 1_000; round++)
        {
            using var stop = new CancellationTokenSource();
            Task<int> call = executor.ExecuteAsync(0, _ => Interlocked.Increment(ref ran), stop.Token).AsTask();
            Task cancelling = Task.Run(stop.Cancel);
            try
            {
                await call.OrHang();
                completed++;
            }
            catch (OperationCanceledException)
            {
                cancelled++;
            }

            await cancelling;
        }

        Assert.Equal(1_000, completed + cancelled);
        Assert.Equal(completed, await executor.ExecuteAsync(0, _ => ran).OrHang());
    }

    [Fact]
    public async Task Complete_WithCallsWaiting_RunsThemAndTakesNoMore()
    {
        var executor = new SerialExecutor();
        var gate = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> running = executor.ExecuteAsync(gate, static async (gate, _) => await gate.Task).AsTask();
        Task<int>[] waiting = [.. Enumerable.Range(0, 50).Select(i => executor.ExecuteAsync(i, static i => i).AsTask())];

        executor.Complete();
        executor.Complete();

        await Assert.ThrowsAsync<ExecutorStoppedException>(async () => await executor.ExecuteAsync(0, static x => x));
        await Assert.ThrowsAsync<ExecutorStoppedException>(
            async () => await executor.ExecuteManyAsync([1], new int[1], static x => x));
        Assert.False(executor.TryExecute(0, static x => x, out _));
        Assert.False(await executor.WaitForRoomAsync());
        Assert.False(executor.Completion.IsCompleted);
        Assert.All(waiting, static one => Assert.False(one.IsCompleted));
        gate.SetResult(1);
        await executor.DisposeAsync().OrHang();
        Assert.Equal(Enumerable.Range(0, 50), await Task.WhenAll(waiting).OrHang());
        Assert.Equal(1, await running.OrHang());
        Assert.Contains("completed", executor.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Complete_RacingWithCalls_RunsWhatItTakes()
    {
        for (int round = 0; round < 100; round++)
        {
            var executor = new SerialExecutor();
            int ran = 0, taken = 0;
            Task calling = Task.Run(async () =>
            {
                try
                {
                    while (true)
                    {
                        await executor.ExecuteAsync(0, _ => ran++);
                        taken++;
                    }
                }
                catch (ExecutorStoppedException)
                {
                }
            });
            if (round % 2 == 0) await executor.ExecuteAsync(0, static x => x);
            await executor.DisposeAsync().OrHang();
            await calling.OrHang();
            Assert.Equal(ran, taken);
        }
    }

    [Fact]
    public async Task DisposeAsync_OfAnIdleExecutor_EndsAtOnce()
    {
        var executor = new SerialExecutor();
        await executor.DisposeAsync().OrHang();
        await executor.DisposeAsync().OrHang();
        Assert.True(executor.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Handler_ThatCallsItsOwnExecutor_IsFollowedByThatCall()
    {
        await using var executor = new SerialExecutor();
        ValueTask<int> inner = default;
        bool ranInside = false;
        await executor.ExecuteAsync(0, _ =>
        {
            bool outer = true;
            inner = executor.ExecuteAsync(7, seven =>
            {
                ranInside = outer;
                return seven;
            });
            outer = false;
            return 0;
        }).OrHang();

        Assert.Equal(7, await inner.OrHang());
        Assert.False(ranInside);
    }

    [Fact]
    public async Task Handler_ThatAwaitsItsOwnExecutor_WaitsUntilItsTokenEndsThat()
    {
        await using var executor = new SerialExecutor();
        using var stop = new CancellationTokenSource();
        Task<string> outer = executor.ExecuteAsync((executor, stop.Token), static async (state, _) =>
        {
            try
            {
                return await state.executor.ExecuteAsync("ran", static text => text, state.Token);
            }
            catch (OperationCanceledException)
            {
                return "gave up";
            }
        }).AsTask();
        Task<int> behind = executor.ExecuteAsync(1, static one => one).AsTask();
        await PoolTurns.PassAsync();
        Assert.False(outer.IsCompleted || behind.IsCompleted);

        await stop.CancelAsync();

        Assert.Equal("gave up", await outer.OrHang());
        Assert.Equal(1, await behind.OrHang());
    }

    [Fact]
    public void Handler_ThatReturnsATask_IsRefused()
    {
        var executor = new SerialExecutor();
        var refused = Assert.Throws<ArgumentException>(() => executor.ExecuteAsync(0, static x => Task.FromResult(x)));
        Assert.Contains("overload", refused.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => executor.ExecuteAsync(0, static x => ValueTask.FromResult(x)));
        Assert.Throws<ArgumentNullException>(() => executor.ExecuteAsync(0, (Func<int, int>)null!));
    }
}
