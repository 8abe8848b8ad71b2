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
    public async Task LeaveAsync_ByTwoThreadsAtOnce_GivesTheScopeBackOnce()
    {
        const int Rounds = 50_000;
        ScopeCore? core = null;
        long version = 0, begun = 0, ended = 0;
        Task other = Watchdog.Run(() =>
        {
            for (long round = 1; round <= Rounds; round++)
            {
                while (Volatile.Read(ref begun) < round) Thread.SpinWait(1);
                core!.LeaveAsync(version).AsTask().GetAwaiter().GetResult();
                Volatile.Write(ref ended, round);
            }
        });
        await Watchdog.Run(() =>
        {
            for (long round = 1; round <= Rounds; round++)
            {
                core = ScopeCore.Rent(failFast: false, CancellationToken.None);
                version = core.Version;
                core.JoinAsync().AsTask().GetAwaiter().GetResult();
                Volatile.Write(ref begun, round);
                core.LeaveAsync(version).AsTask().GetAwaiter().GetResult();
                while (Volatile.Read(ref ended) < round) Thread.Yield();
                Assert.Equal(version + 1, core.Version);
            }
        });
        await other.OrHang();
    }
}
