namespace Raceway.Concurrency.Tests.Tasks;

/// <summary>Fork, join, failure and cancellation of a scope.</summary>
public sealed class TaskScopeTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100)]
    public async Task JoinAsync_ChildrenOfAllKinds_WaitsForAllOfThem(int count)
    {
        var ran = new int[count * 4];
        await using (var scope = TaskScope.Rent())
        {
            for (int i = 0; i < count; i++)
            {
                scope.Add(YieldingAsync(ran, 4 * i));
                scope.Add(new ValueTask(YieldingAsync(ran, (4 * i) + 1)));
                scope.Spawn((ran, i), static (child, _) => child.ran[(4 * child.i) + 2]++);
                scope.SpawnAsync((ran, i), static async (child, _) => await YieldingAsync(child.ran, (4 * child.i) + 3));
            }

            await scope.JoinAsync().OrHang();
            Assert.All(ran, static times => Assert.Equal(1, times));
        }
    }

    [Fact]
    public async Task DisposeAsync_ASecondTimeWhileTheFirstWaits_DoesNothing()
    {
        TaskScope scope = TaskScope.Rent();
        var child = new TaskCompletionSource();
        scope.Add(child.Task);
        Task first = scope.DisposeAsync().AsTask();

        await scope.DisposeAsync().OrHang();

        Assert.False(first.IsCompleted);
        child.SetResult();
        await first.OrHang();
        // Given back once: what is rented twice is two scopes.
        TaskScope one = TaskScope.Rent(), other = TaskScope.Rent();
        Assert.NotEqual(one, other);
        one.Add(Task.CompletedTask);
        await one.DisposeAsync().OrHang();
        await other.JoinAsync().OrHang();
        await other.DisposeAsync().OrHang();
    }

    [Fact]
    public async Task Results_AfterTheJoin_AreThere()
    {
        ScopeResult<int> spawned;
        await using (var scope = TaskScope.Rent())
        {
            ScopeResult<string> added = scope.Add(Task.Run(static () => "added"));
            ScopeResult<string> value = scope.Add(new ValueTask<string>("value"));
            spawned = scope.Spawn(20, static (state, _) => state + 1);
            ScopeResult<int> asynchronous = scope.SpawnAsync(30, static async (state, _) =>
            {
                await Task.Yield();
                return state + 1;
            });
            Assert.Contains("Await JoinAsync", Assert.Throws<InvalidOperationException>(() => spawned.Value).Message);
            await scope.JoinAsync().OrHang();
            Assert.Equal(("added", "value", 21, 31), (added.Value, value.Value, spawned.Value, asynchronous.Value));
        }

        Assert.Throws<ObjectDisposedException>(() => spawned.Value);
        Assert.Throws<ObjectDisposedException>(() => default(ScopeResult<int>).Value);
    }

    [Fact]
    public async Task JoinAsync_SpawnedChildFails_CancelsTheRestAndThrowsIt()
    {
        int left = 0;
        await using var scope = TaskScope.Rent();
        scope.Add(ForEachTests.UntilCancelled(scope.Token));
        var began = new TaskCompletionSource();
        scope.SpawnAsync(began, static async (began, token) =>
        {
            began.SetResult();
            await ForEachTests.UntilCancelled(token);
            throw new InvalidDataException("later");
        });
        await began.Task.OrHang();
        ScopeResult<int> failed = scope.Spawn(0, static int (_, _) => throw new InvalidDataException("first"));
        Watchdog.Until(() => scope.Token.IsCancellationRequested, "the failure to cancel");
        // One that has not begun does not begin any more.
        for (int i = 0; i < 10; i++) scope.Spawn(0, (_, _) => Interlocked.Increment(ref left));

        Task join = scope.JoinAsync().AsTask();
        var thrown = await Assert.ThrowsAsync<InvalidDataException>(() => join.OrHang());
        Assert.Equal("first", thrown.Message);
        Assert.Equal("later", Assert.Single(SuppressedFailures.Of(thrown)).Message);
        Assert.Equal(0, left);
        Assert.Contains("JoinAsync has thrown why", Assert.Throws<InvalidOperationException>(() => failed.Value).Message);
    }

    [Fact]
    public async Task JoinAsync_AddedChildFails_CancelsTheRestAndThrowsIt()
    {
        var fail = new TaskCompletionSource();
        await using var scope = TaskScope.Rent();
        // The eldest waits for the failure of a younger one.
        scope.Add(ForEachTests.UntilCancelled(scope.Token));
        for (int i = 0; i < 50; i++) scope.Add(ForEachTests.UntilCancelled(scope.Token));
        scope.Add(fail.Task);
        Task join = scope.JoinAsync().AsTask();
        fail.SetException(new InvalidDataException("added"));
        await Assert.ThrowsAsync<InvalidDataException>(() => join.OrHang());
    }

    [Fact]
    public async Task RentFailFast_AddedChildFailsBeforeTheJoin_CancelsAtOnce()
    {
        await using var scope = TaskScope.RentFailFast();
        CancellationToken token = scope.Token;
        scope.Add(FailAsync());
        Watchdog.Until(() => token.IsCancellationRequested, "the failure to cancel");
        Task join = scope.JoinAsync().AsTask();
        await Assert.ThrowsAsync<InvalidDataException>(() => join.OrHang());

        static async Task FailAsync()
        {
            await Task.Yield();
            throw new InvalidDataException("added");
        }
    }

    [Fact]
    public async Task JoinAsync_CallerCancels_ThrowsTheCallersToken()
    {
        using var cancellation = new CancellationTokenSource();
        await using var scope = TaskScope.Rent(cancellation.Token);
        scope.SpawnAsync(0, static async (_, token) =>
        {
            await ForEachTests.UntilCancelled(token);
            token.ThrowIfCancellationRequested();
        });
        Task join = scope.JoinAsync().AsTask();
        await cancellation.CancelAsync();
        var thrown = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => join.OrHang());
        Assert.Equal(cancellation.Token, thrown.CancellationToken);
    }

    [Fact]
    public async Task JoinAsync_CancelledButAllSucceeded_Succeeds()
    {
        using var cancellation = new CancellationTokenSource();
        await using var scope = TaskScope.Rent(cancellation.Token);
        scope.Add(Task.Delay(1));
        await cancellation.CancelAsync();
        await scope.JoinAsync().OrHang();
    }

    [Fact]
    public async Task DisposeAsync_WithoutAJoin_CancelsAndWaits()
    {
        int ended = 0;
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        async Task Body()
        {
            await using var scope = TaskScope.Rent();
            scope.SpawnAsync(0, async (_, token) =>
            {
                begun.SetResult();
                await ForEachTests.UntilCancelled(token);
                await Task.Yield();
                Interlocked.Increment(ref ended);
                throw new InvalidOperationException("dropped");
            });
            await begun.Task;
            throw new InvalidDataException("the body");
        }

        var thrown = await Assert.ThrowsAsync<InvalidDataException>(() => Body().OrHang());
        Assert.Equal("the body", thrown.Message);
        Assert.Equal(1, ended);
    }

    [Fact]
    public async Task DisposeAsync_AfterAJoinThatNobodyAwaited_WaitsToo()
    {
        int ended = 0;
        var open = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var scope = TaskScope.Rent();
        scope.Add(WaitAsync());
        Forget(scope.JoinAsync());
        Task over = scope.DisposeAsync().AsTask();
        Assert.False(over.IsCompleted);
        open.SetResult();
        await over.OrHang();
        Assert.Equal(1, ended);

        async Task WaitAsync()
        {
            await open.Task;
            ended++;
        }
    }

    [Fact]
    public async Task Nested_OuterFails_CancelsTheInnerScope()
    {
        await using var outer = TaskScope.Rent();
        outer.SpawnAsync(0, static async (_, token) =>
        {
            await using var inner = TaskScope.Rent(token);
            inner.Add(ForEachTests.UntilCancelled(inner.Token));
            await inner.JoinAsync();
        });
        outer.Spawn(0, static (_, _) => throw new InvalidDataException("outer"));
        Task join = outer.JoinAsync().AsTask();
        await Assert.ThrowsAsync<InvalidDataException>(() => join.OrHang());
    }

    [Fact]
    public async Task Spawn_CallersContext_IsSeenAndNotChanged()
    {
        var local = new AsyncLocal<int> { Value = 3 };
        await using var scope = TaskScope.Rent();
        ScopeResult<int> seen = scope.Spawn(local, static (local, _) =>
        {
            int value = local.Value;
            local.Value = 4;
            return value;
        });
        await scope.JoinAsync().OrHang();
        Assert.Equal(3, seen.Value);
        Assert.Equal(3, local.Value);
    }

    [Fact]
    public async Task Misuse_IsTold()
    {
        var scope = TaskScope.Rent();
        await scope.JoinAsync();
        Assert.Contains("rent another", Assert.Throws<InvalidOperationException>(() => scope.Add(Task.CompletedTask)).Message);
        Assert.Contains("rent another", Assert.Throws<InvalidOperationException>(() => { _ = scope.JoinAsync().AsTask(); }).Message);
        await scope.DisposeAsync();
        await scope.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(() => scope.Token);
        Assert.Throws<ObjectDisposedException>(() => scope.Spawn(0, static (_, _) => { }));
        Assert.Throws<ObjectDisposedException>(() => default(TaskScope).Token);
        await using var other = TaskScope.Rent();
        Assert.NotEqual(scope, other);
        Assert.Throws<ArgumentNullException>("child", () => other.Add((Task)null!));
        Assert.Throws<ArgumentNullException>("work", () => other.Spawn(0, (Action<int, CancellationToken>)null!));
    }

    [Fact]
    public async Task Scopes_UsedAgainByMany_KeepTheirChildrenApart()
    {
        long sum = 0;
        await BoundedParallel.ForAsync(0, 2000, 8, async (run, token) =>
        {
            await using var scope = TaskScope.Rent(token);
            ScopeResult<int> result = scope.Spawn(run, static (state, _) => state);
            for (int i = 0; i < run % 20; i++) scope.Add(Add(1));
            await scope.JoinAsync();
            Interlocked.Add(ref sum, result.Value);
        }).OrHang();
        Assert.Equal((2000L * 1999 / 2) + (100 * 190), sum);

        async Task Add(int value)
        {
            await Task.Yield();
            Interlocked.Add(ref sum, value);
        }
    }

    private static void Forget(ValueTask task) => Assert.False(task.IsCompleted);

    private static async Task YieldingAsync(int[] ran, int child)
    {
        await Task.Yield();
        ran[child]++;
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Add_ValueTaskThatWasAwaitedBefore_ThrowsAndTheScopeGoesOn(bool failFast)
    {
        var stale = new ValueTask(new StaleSource(0), 0);
        await using TaskScope scope = failFast ? TaskScope.RentFailFast() : TaskScope.Rent();

        Assert.Contains("stale", Assert.Throws<InvalidOperationException>(() => scope.Add(stale)).Message, StringComparison.Ordinal);

        bool ran = false;
        scope.Add(Task.Run(() => ran = true));
        await scope.JoinAsync().OrHang();
        Assert.True(ran);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Join_ValueTaskAwaitedElsewhereSinceItWasAdded_IsAFailureOfThatChild(bool failFast)
    {
        var source = new StaleSource(1);
        await using TaskScope scope = failFast ? TaskScope.RentFailFast() : TaskScope.Rent();
        Exception? early = Record.Exception(() => scope.Add(new ValueTask(source, 0)));
        scope.Add(Task.Run(static () => { }));

        Exception? late = await Record.ExceptionAsync(() => scope.JoinAsync().OrHang());

        // One that is watched at once is refused at once.
        Assert.Contains("stale", Assert.IsType<InvalidOperationException>(early ?? late).Message, StringComparison.Ordinal);
        Assert.Equal(failFast, early is not null);
    }
}
