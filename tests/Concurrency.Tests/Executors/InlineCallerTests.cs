// Value tasks are kept, to be awaited later and elsewhere.
#pragma warning disable CA2012

namespace Raceway.Concurrency.Tests.Executors;

/// <summary>Callers that go on inside of the executor, and call it again from there.</summary>
public sealed class InlineCallerTests
{
    [Fact]
    public async Task Calls_FromWithinAndFromElsewhere_RunInTheOrderInWhichTheyCame()
    {
        await using SerialExecutor executor = Inline();
        var gate = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> held = executor.ExecuteAsync(gate, static (gate, _) => new ValueTask<int>(gate.Task)).AsTask();
        List<string> log = [];
        Task caller = CallOnAsync(executor, Add(executor, log, "first"), log);
        gate.SetResult(0);
        await Task.WhenAll(held, caller).OrHang();

        Assert.Equal(["first", "second", "elsewhere", "third", "fourth"], log);

        static async Task CallOnAsync(SerialExecutor executor, ValueTask<int> first, List<string> log)
        {
            await first.ConfigureAwait(false);
            ValueTask<int> second = Add(executor, log, "second"), elsewhere = default;
            // Another thread's call comes in between: the next one from here may not overtake it.
            var other = new Thread(() => elsewhere = Add(executor, log, "elsewhere"));
            other.Start();
            other.Join();
            ValueTask<int> third = Add(executor, log, "third");
            ValueTask<int> fourth = Add(executor, log, "fourth");
            Assert.Equal(4, await second + await elsewhere + await third + await fourth);
        }

        static ValueTask<int> Add(SerialExecutor executor, List<string> log, string name) =>
            executor.ExecuteAsync((log, name), static state => { state.log.Add(state.name); return 1; });
    }

    [Fact]
    public async Task Calls_AwaitedHereThereAndLate_LoseNoCallerAndKeepEachOnesOrder()
    {
        const int Callers = 4, Each = 3_000;
        await using SerialExecutor executor = Inline(), another = Inline();
        using var token = new CancellationTokenSource();
        var log = new Log(Callers);
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Task.Run(() => CallAsync(caller)))).OrHang();

        Assert.Equal(Callers * Each, log.Count);
        Assert.Null(log.Wrong);

        async Task CallAsync(int caller)
        {
            for (int i = 0; i < Each; i += 3)
            {
                ValueTask<int> first = Call(caller, i), second = Call(caller, i + 1), third = Call(caller, i + 2);
                // Made inside of one executor, and awaited there; inside of another one; on a thread that is nobody's.
                if (i % 2 == 0) await another.ExecuteAsync(0, static x => x).ConfigureAwait(false);
                if (i % 5 == 0) await Task.Yield();
                Assert.Equal(i, await first.ConfigureAwait(false));
                Assert.Equal(i + 2, await third.ConfigureAwait(false));
                Assert.Equal(i + 1, await second.ConfigureAwait(false));
            }
        }

        // Those with a token may end by it, on any thread.
        ValueTask<int> Call(int caller, int item) => executor.ExecuteAsync(
            (log, caller, item), static state => state.log.Add(state.caller, state.item), item % 4 == 0 ? token.Token : default);
    }

    [Fact]
    public async Task Cancellation_OfACallFromWithin_EndsItWhileItIsBeingAwaited()
    {
        const int Count = 2_000;
        await using SerialExecutor executor = Inline();
        int ended = 0;
        await Task.Run(async () =>
        {
            for (int i = 0; i < Count; i++)
            {
                await executor.ExecuteAsync(0, static x => x).ConfigureAwait(false);
                using var stop = new CancellationTokenSource();
                Task cancelling = Task.Run(stop.Cancel);
                try
                {
                    await executor.ExecuteAsync(i, static x => x, stop.Token).ConfigureAwait(false);
                    ended++;
                }
                catch (OperationCanceledException)
                {
                    ended++;
                }

                await cancelling.ConfigureAwait(false);
            }
        }).OrHang();

        Assert.Equal(Count, ended);
    }

    private static SerialExecutor Inline() => new(new SerialExecutorOptions { AllowSynchronousContinuations = true });
}
