namespace Raceway.Concurrency.Tests.Executors;

public sealed class ManyCallTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100_000)]
    public async Task States_OfEachKindOfHandler_GiveAllResultsInOrder(int count)
    {
        await using var executor = new SerialExecutor();
        int[] states = [.. Enumerable.Range(0, count)];
        int[] expected = [.. states.Select(static x => 3 * x)];
        int[] byValue = new int[count], byReference = new int[count], suspending = new int[count];
        Task first = executor.ExecuteManyAsync(states, byValue, static x => 3 * x).AsTask();
        Task second = executor.ExecuteManyAsync(states, byReference, static (in x) => 3 * x).AsTask();
        Task third = executor.ExecuteManyAsync(states, suspending, static async (x, _) =>
        {
            if (x % 1_000 == 7) await Task.Yield();
            return 3 * x;
        }).AsTask();
        // They are the executor's own copy by now.
        Array.Clear(states);
        await Task.WhenAll(first, second, third).OrHang();

        Assert.Equal(expected, byValue);
        Assert.Equal(expected, byReference);
        Assert.Equal(expected, suspending);
    }

    [Fact]
    public async Task Order_BesideOtherCalls_IsThatOfTheCalls()
    {
        await using var executor = new SerialExecutor();
        List<int> log = [];
        Task before = executor.ExecuteAsync(-1, Note).AsTask();
        // Long enough for several slices.
        Task many = executor.ExecuteManyAsync([.. Enumerable.Range(0, 200_000)], new int[200_000], Note).AsTask();
        Task after = executor.ExecuteAsync(200_000, Note).AsTask();
        await Task.WhenAll(before, many, after).OrHang();

        Assert.Equal(Enumerable.Range(-1, 200_002), log);

        int Note(int item)
        {
            log.Add(item);
            return item;
        }
    }

    [Fact]
    public async Task Fault_InTheMidst_KeepsWhatWasAndRunsNoMore()
    {
        await using var executor = new SerialExecutor();
        int[] results = new int[5];
        int ran = 0;

        await Assert.ThrowsAsync<FormatException>(async () => await executor.ExecuteManyAsync([1, 2, 3, 4, 5], results, x =>
        {
            ran++;
            return x == 3 ? throw new FormatException() : x;
        }));

        Assert.Equal([1, 2, 0, 0, 0], results);
        Assert.Equal(3, ran);
        Assert.Equal(9, await executor.ExecuteAsync(9, static x => x).OrHang());
    }

    [Fact]
    public async Task Cancellation_InTheMidst_StopsBetweenTwoRuns()
    {
        await using var executor = new SerialExecutor();
        using var stop = new CancellationTokenSource();
        int ran = 0;

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await executor.ExecuteManyAsync(
            [1, 2, 3, 4], new int[4], x =>
            {
                if (++ran == 2) stop.Cancel();
                return x;
            }, stop.Token));

        Assert.Equal(2, ran);
    }

    [Fact]
    public async Task Results_FewerThanStates_AreRefused()
    {
        await using var executor = new SerialExecutor();
        var refused = await Assert.ThrowsAsync<ArgumentException>(
            async () => await executor.ExecuteManyAsync([1, 2], new int[1], static x => x));
        Assert.Contains("states=2, results=1", refused.Message, StringComparison.Ordinal);
    }
}
