using Raceway.Rings;

namespace Raceway.Concurrency.Tests;

/// <summary>
/// Handlers and bodies that return a task which was awaited before. Such a task throws at each look, or takes no other awaiter: that is
/// a failure of the call like any other, and nothing behind it is lost or waits for good.
/// </summary>
public sealed class StaleTaskTests
{
    /// <summary>How many looks find the task pending before it throws.</summary>
    public static TheoryData<int> Looks => [0, 1, 2, 3];

    [Theory]
    [MemberData(nameof(Looks))]
    public async Task SerialExecutor_CallIsThrownIt_AndTheNextRuns(int looks)
    {
        foreach (bool isDirect in new[] { false, true })
        {
            await using var executor = new SerialExecutor(new() { RunDirectlyWhenIdle = isDirect });
            await AssertThrownAsync(() => executor.ExecuteAsync(0, (_, _) => Task(looks)));
            Assert.Equal(7, await executor.ExecuteAsync(7, static state => state).OrHang());
            var results = new int[2];
            await AssertThrownAsync(async () =>
            {
                await executor.ExecuteManyAsync([1, 2], results, (_, _) => Task(looks));
                return 0;
            });
            Assert.Equal(8, await executor.ExecuteAsync(8, static state => state).OrHang());
        }
    }

    [Theory]
    [MemberData(nameof(Looks))]
    public async Task ParallelExecutor_CallIsThrownIt_AndItsTurnIsGivenOn(int looks)
    {
        await using var executor = new ParallelExecutor(1);
        await AssertThrownAsync(() => executor.ExecuteAsync(0, (_, _) => Task(looks)));
        // One that waits for its turn as well.
        var held = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        ValueTask<int> first = executor.ExecuteAsync(1, (_, _) => new ValueTask<int>(held.Task));
        Task second = AssertThrownAsync(() => executor.ExecuteAsync(2, (_, _) => Task(looks)));
        held.SetResult(5);
        Assert.Equal(5, await first.OrHang());
        await second;
        Assert.Equal(7, await executor.ExecuteAsync(7, static state => state).OrHang());
    }

    [Theory]
    [MemberData(nameof(Looks))]
    public async Task BoundedParallel_OfAllSources_IsThrownIt(int looks)
    {
        int[] items = [.. Enumerable.Range(0, 20)];
        ValueTask Body(int item, CancellationToken _) => item == 9 ? new ValueTask(new StaleSource(looks), 0) : default;

        await AssertThrownAsync(() => Done(BoundedParallel.ForEachAsync(items, 3, Body)));
        await AssertThrownAsync(() => Done(BoundedParallel.ForEachAsync(items.Where(static _ => true), 3, Body)));
        await AssertThrownAsync(() => Done(BoundedParallel.ForEachAsync(new Source(items.Length, fails: -1, looks), 3, Body)));
        // The source's own task: whether another worker waits for the source just then, differs from run to run.
        for (int run = 0; run < 100; run++)
            await AssertThrownAsync(() => Done(BoundedParallel.ForEachAsync(new Source(items.Length, fails: 9, looks), 3, static (_, _) => default)));
    }

    [Theory]
    [MemberData(nameof(Looks))]
    public async Task Mailbox_MessageIsSkipped_AndAllOthersAreHandledOnce(int looks)
    {
        List<int> seen = [];
        // The first message is held until all are posted: so the stale one has others before it in one run.
        using var posted = new ManualResetEventSlim();
        var mailbox = Mailbox.Start<int>(
            (message, _) =>
            {
                if (message == 0) posted.Wait(TimeSpan.FromMinutes(1), CancellationToken.None);
                if (message == 3) return new ValueTask(new StaleSource(looks), 0);
                seen.Add(message);
                return message < 5 ? default : LaterAsync();
            },
            new() { OnFault = FaultPolicy.Skip });
        for (int i = 0; i < 10; i++) mailbox.Post(i);
        posted.Set();
        mailbox.Complete();
        await mailbox.Completion.OrHang();
        await mailbox.DisposeAsync().OrHang();

        // Calls behind it end when their own tasks do.
        static async ValueTask LaterAsync() => await System.Threading.Tasks.Task.Yield();

        Assert.Equal([0, 1, 2, 4, 5, 6, 7, 8, 9], seen);
        Assert.Equal((0, 1), (mailbox.Unprocessed, mailbox.GetStatistics().Skipped));
    }

    private static ValueTask<int> Task(int looks) => new(new StaleSource(looks), 0);

    private static async ValueTask<int> Done(ValueTask run)
    {
        await run;
        return 0;
    }

    private static async Task AssertThrownAsync(Func<ValueTask<int>> call) =>
        Assert.Contains("stale", (await Assert.ThrowsAsync<InvalidOperationException>(() => call().OrHang())).Message, StringComparison.Ordinal);

    /// <summary>Numbers; the task of one of its moves is a stale one.</summary>
    private sealed class Source(int count, int fails, int looks) : IAsyncEnumerable<int>, IAsyncEnumerator<int>
    {
        public int Current { get; private set; } = -1;

        public IAsyncEnumerator<int> GetAsyncEnumerator(CancellationToken cancellationToken = default) => this;

        public ValueTask<bool> MoveNextAsync()
        {
            Current++;
            return Current == fails ? new ValueTask<bool>(new StaleSource(looks), 0) : new ValueTask<bool>(Current < count);
        }

        public ValueTask DisposeAsync() => default;
    }
}
