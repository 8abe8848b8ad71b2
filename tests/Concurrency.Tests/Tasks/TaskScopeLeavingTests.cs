namespace Raceway.Concurrency.Tests.Tasks;

/// <summary>A scope that is left without a join, and one that several threads leave.</summary>
public sealed class TaskScopeLeavingTests
{
    /// <summary>The token is cancelled also if a child first asks for it after that.</summary>
    [Fact]
    public async Task DisposeAsync_WithoutAJoin_CancelsATokenThatIsAskedForLater()
    {
        TaskScope scope = TaskScope.Rent();
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool cancelled = false;
        async Task ChildAsync()
        {
            await go.Task;
            await ForEachTests.UntilCancelled(scope.Token);
            cancelled = true;
        }

        scope.Add(ChildAsync());
        ValueTask leaving = scope.DisposeAsync();
        go.SetResult();
        await leaving.OrHang();

        Assert.True(cancelled);
    }

    [Fact]
    public async Task DisposeAsync_ByTwoThreadsAtOnce_GivesTheScopeBackOnce()
    {
        const int Rounds = 20_000;
        using var barrier = new Barrier(2);
        TaskScope scope = default;
        Task other = Watchdog.Run(() =>
        {
            for (int round = 0; round < Rounds; round++)
            {
                barrier.SignalAndWait();
                scope.DisposeAsync().AsTask().GetAwaiter().GetResult();
                barrier.SignalAndWait();
            }
        });
        await Watchdog.Run(() =>
        {
            for (int round = 0; round < Rounds; round++)
            {
                scope = TaskScope.Rent();
                scope.JoinAsync().AsTask().GetAwaiter().GetResult();
                barrier.SignalAndWait();
                scope.DisposeAsync().AsTask().GetAwaiter().GetResult();
                barrier.SignalAndWait();
                TaskScope one = TaskScope.Rent(), two = TaskScope.Rent();
                Assert.NotEqual(one, two);
                foreach (TaskScope rented in new[] { one, two })
                {
                    rented.JoinAsync().AsTask().GetAwaiter().GetResult();
                    rented.DisposeAsync().AsTask().GetAwaiter().GetResult();
                }
            }
        });
        await other.OrHang();
    }
}
