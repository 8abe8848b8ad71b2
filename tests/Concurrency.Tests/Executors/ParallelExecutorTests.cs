// Value tasks are kept until their calls are let go on.
#pragma warning disable CA2012

namespace Raceway.Concurrency.Tests.Executors;

public sealed class ParallelExecutorTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Handlers_OfManyCallers_AreNeverMoreThanAllowed(int turns)
    {
        const int Callers = 4, Each = 1_500;
        await using var executor = new ParallelExecutor(turns);
        var inside = new Inside(turns);
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Task.Run(async () =>
        {
            using var stop = new CancellationTokenSource();
            var window = new ValueTask<int>[8];
            for (int i = 0; i < Each; i++)
            {
                if (i >= window.Length) Assert.Equal(i - window.Length, await window[i % window.Length]);
                CancellationToken token = i % 2 == 0 ? stop.Token : default;
                window[i % window.Length] = (i % 3) switch
                {
                    0 => executor.ExecuteAsync((inside, i), static state => state.inside.Pass(state.i), token),
                    1 => executor.ExecuteAsync((inside, i), static (in state) => state.inside.Pass(state.i), token),
                    _ => executor.ExecuteAsync((inside, i), static async (state, _) =>
                    {
                        state.inside.Enter();
                        await Task.Yield();
                        return state.inside.Leave(state.i);
                    }, token),
                };
            }

            for (int i = 0; i < window.Length; i++) await window[(Each + i) % window.Length];
        }))).OrHang();

        Assert.Equal(Callers * Each, inside.Count);
        Assert.False(inside.TooMany);
        Assert.Contains($"0 of {turns} running, 0 waiting", executor.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Call_WithAFreeTurn_RunsOnTheCallersThread()
    {
        await using var executor = new ParallelExecutor(1);
        int caller = Environment.CurrentManagedThreadId;
        ValueTask<int> call = executor.ExecuteAsync(0, static _ => Environment.CurrentManagedThreadId);
        Assert.True(call.IsCompletedSuccessfully);
        Assert.Equal(caller, await call);
    }

    [Fact]
    public async Task Calls_ThatWait_BeginInTheirOrder()
    {
        await using var executor = new ParallelExecutor(1);
        TaskCompletionSource<int> gate = Block(executor);
        List<int> log = [];
        Task<int>[] waiting = [.. Enumerable.Range(0, 100).Select(i => executor.ExecuteAsync(i, i =>
        {
            log.Add(i);
            return i;
        }).AsTask())];
        Assert.Empty(log);
        gate.SetResult(0);

        await Task.WhenAll(waiting).OrHang();

        Assert.Equal(Enumerable.Range(0, 100), log);
    }

    [Fact]
    public async Task Cancellation_OfCallsThatWait_EndsThemAndLeavesTheirTurnsToOthers()
    {
        await using var executor = new ParallelExecutor(1);
        using var stop = new CancellationTokenSource();
        TaskCompletionSource<int> gate = Block(executor);
        bool ran = false;
        Task<bool>[] cancelled =
            [.. Enumerable.Range(0, 20).Select(_ => executor.ExecuteAsync(0, _ => ran = true, stop.Token).AsTask())];
        Task<int> last = executor.ExecuteAsync(1, static one => one).AsTask();

        await stop.CancelAsync();

        foreach (Task<bool> one in cancelled) await Assert.ThrowsAnyAsync<OperationCanceledException>(() => one.OrHang());
        gate.SetResult(0);
        Assert.Equal(1, await last.OrHang());
        Assert.False(ran);
        Assert.Equal(2, await executor.ExecuteAsync(2, static two => two).OrHang());
    }

    [Fact]
    public async Task Faults_OfHandlers_GoToTheirCallersAndGiveTheTurnBack()
    {
        await using var executor = new ParallelExecutor(1);
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        for (int i = 0; i < 3; i++)
        {
            await Assert.ThrowsAsync<FormatException>(
                async () => await executor.ExecuteAsync(0, static int (_) => throw new FormatException()));
            await Assert.ThrowsAsync<FormatException>(async () => await executor.ExecuteAsync(0, static async ValueTask<int> (_, _) =>
            {
                await Task.Yield();
                throw new FormatException();
            }));
            ValueTask<int> gaveUp = executor.ExecuteAsync(cancelled.Token, static int (token) =>
            {
                token.ThrowIfCancellationRequested();
                return 0;
            });
            Assert.True(gaveUp.IsCanceled);
            TaskCompletionSource<int> gate = Block(executor);
            Task<int> waiting = executor.ExecuteAsync(0, static int (_) => throw new FormatException()).AsTask();
            gate.SetResult(0);
            await Assert.ThrowsAsync<FormatException>(() => waiting.OrHang());
        }

        Assert.Equal(1, await executor.ExecuteAsync(1, static one => one).OrHang());
    }

    [Fact]
    public async Task Complete_WithCallsRunningAndWaiting_RunsThemAndTakesNoMore()
    {
        var executor = new ParallelExecutor(1);
        TaskCompletionSource<int> gate = Block(executor);
        Task<int> waiting = executor.ExecuteAsync(1, static one => one).AsTask();

        executor.Complete();
        executor.Complete();

        await Assert.ThrowsAsync<ExecutorStoppedException>(async () => await executor.ExecuteAsync(0, static x => x));
        Assert.Contains("completing, 1 of 1 running, 1 waiting", executor.ToString(), StringComparison.Ordinal);
        Assert.False(executor.Completion.IsCompleted);
        gate.SetResult(0);
        await executor.DisposeAsync().OrHang();
        Assert.Equal(1, await waiting.OrHang());
        await Assert.ThrowsAsync<ExecutorStoppedException>(async () => await executor.ExecuteAsync(0, static x => x));
        var idle = new ParallelExecutor(1);
        await idle.DisposeAsync().OrHang();
    }

    [Fact]
    public async Task Complete_RacingWithCalls_RunsWhatItTakes()
    {
        for (int round = 0; round < 100; round++)
        {
            var executor = new ParallelExecutor(1 + round % 2);
            int ran = 0;
            Task<int>[] callers = [.. Enumerable.Range(0, 3).Select(_ => Task.Run(async () =>
            {
                for (int taken = 0; ; taken++)
                {
                    try
                    {
                        await executor.ExecuteAsync(0, _ => Interlocked.Increment(ref ran));
                    }
                    catch (ExecutorStoppedException)
                    {
                        return taken;
                    }
                }
            }))];
            await Task.Yield();
            await executor.DisposeAsync().OrHang();
            int[] taken = await Task.WhenAll(callers).OrHang();
            Assert.Equal(ran, taken.Sum());
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-5)]
    [InlineData(1 << 21)]
    public void MaxConcurrency_OutOfRange_IsRefused(int turns) =>
        Assert.Contains(
            $"maxConcurrency={turns}",
            Assert.Throws<ArgumentOutOfRangeException>(() => new ParallelExecutor(turns)).Message,
            StringComparison.Ordinal);

    [Fact]
    public void Handler_ThatReturnsATask_IsRefused()
    {
        var executor = new ParallelExecutor(1);
        Assert.Throws<ArgumentException>(() => { executor.ExecuteAsync(0, static x => Task.FromResult(x)); });
        Assert.Throws<ArgumentNullException>(() => { executor.ExecuteAsync(0, (Func<int, int>)null!); });
    }

    private static TaskCompletionSource<int> Block(ParallelExecutor executor)
    {
        var gate = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = executor.ExecuteAsync(gate, static async (gate, _) => await gate.Task).AsTask();
        return gate;
    }

    private sealed class Inside(int most)
    {
        private int _now;
        private int _count;

        public int Count => _count;

        public bool TooMany { get; private set; }

        public int Pass(int item)
        {
            Enter();
            return Leave(item);
        }

        public void Enter()
        {
            if (Interlocked.Increment(ref _now) > most) TooMany = true;
            Interlocked.Increment(ref _count);
        }

        public int Leave(int item)
        {
            Interlocked.Decrement(ref _now);
            return item;
        }
    }
}
