namespace Raceway.Concurrency.Tests.Tasks;

/// <summary>What a for-each promises, whatever it goes over.</summary>
public sealed class ForEachTests
{
    /// <summary>What the items come from.</summary>
    public enum Source
    {
        Array,
        List,
        Memory,
        Numbers,
        Sequence,
        AsyncSequence,
    }

    public static TheoryData<Source> Sources => [.. Enum.GetValues<Source>()];

    public static TheoryData<Source, int, int> Runs => Cross.Of(Enum.GetValues<Source>(), [1, 2, 7, 1000], [1, 3, 64]);

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task ForEachAsync_BodiesOfAllKinds_HandlesEachItemOnceWithinTheBound(Source source, int items, int bound)
    {
        var seen = new int[items];
        int inFlight = 0, peak = 0;
        await Run(source, items, bound, async (item, _) =>
        {
            int now = Interlocked.Increment(ref inFlight);
            InterlockedMax(ref peak, now);
            // Some complete at once, some yield, some are completed by another thread.
            if (item % 3 == 1) await Task.Yield();
            if (item % 7 == 2) await Task.Run(static () => { }, CancellationToken.None);
            Interlocked.Increment(ref seen[item]);
            Interlocked.Decrement(ref inFlight);
        }).OrHang();

        Assert.All(seen, count => Assert.Equal(1, count));
        Assert.InRange(peak, 1, bound);
    }

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task ForEachAsync_BodiesWait_ReachesTheBound(Source source)
    {
        const int Bound = 5;
        int begun = 0;
        var open = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task run = Run(source, 20, Bound, async (_, _) =>
        {
            Interlocked.Increment(ref begun);
            await open.Task;
        });

        Watchdog.Until(() => Volatile.Read(ref begun) == Bound, "bodies up to the bound");
        open.SetResult();
        await run.OrHang();
        Assert.Equal(20, begun);
    }

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task ForEachAsync_NoItems_CompletesWithoutABody(Source source) =>
        await Run(source, 0, 4, static (_, _) => throw new InvalidOperationException("a body ran")).OrHang();

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task ForEachAsync_BodyThrows_StopsAndThrowsItWithTheLaterOnes(Source source)
    {
        const int Bound = 3;
        int begun = 0;
        var first = new InvalidDataException("first");
        Task run = Run(source, 1000, Bound, async (_, token) =>
        {
            int number = Interlocked.Increment(ref begun);
            if (number < Bound)
            {
                // In flight when the third fails: one heeds the token, one fails by itself.
                await UntilCancelled(token);
                if (number == 2) throw new InvalidDataException("later");
                token.ThrowIfCancellationRequested();
            }

            throw first;
        });

        InvalidDataException thrown = await Assert.ThrowsAsync<InvalidDataException>(() => run.OrHang());
        Assert.Same(first, thrown);
        Assert.Equal("later", Assert.Single(SuppressedFailures.Of(thrown)).Message);
        Assert.Equal(Bound, begun);
    }

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task ForEachAsync_BodyThrowsBeforeItsFirstAwait_StopsAndThrowsIt(Source source)
    {
        int begun = 0;
        Task run = Run(source, 1000, 1, (item, _) =>
        {
            begun++;
            return item == 4 ? throw new InvalidDataException("at 4") : default;
        });

        InvalidDataException thrown = await Assert.ThrowsAsync<InvalidDataException>(() => run.OrHang());
        Assert.Equal("at 4", thrown.Message);
        Assert.Empty(SuppressedFailures.Of(thrown));
        Assert.Equal(5, begun);
    }

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task ForEachAsync_CallerCancels_EndsBodiesAndThrowsTheCallersToken(Source source)
    {
        using var cancellation = new CancellationTokenSource();
        int begun = 0, ended = 0;
        Task run = Run(source, 1000, 4, async (_, token) =>
        {
            if (Interlocked.Increment(ref begun) == 4) await cancellation.CancelAsync();
            await UntilCancelled(token);
            Interlocked.Increment(ref ended);
            token.ThrowIfCancellationRequested();
        }, cancellation.Token);

        var thrown = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run.OrHang());
        Assert.Equal(cancellation.Token, thrown.CancellationToken);
        Assert.Equal(4, begun);
        Assert.Equal(4, ended);
    }

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task ForEachAsync_CancelledBefore_BeginsNothing(Source source)
    {
        Task run = Run(
            source, 10, 2, static (_, _) => throw new InvalidOperationException("a body ran"), new CancellationToken(true));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run.OrHang());
    }

    [Theory]
    [MemberData(nameof(Sources))]
    public async Task ForEachAsync_CancelledWhenAllIsDone_Succeeds(Source source)
    {
        using var cancellation = new CancellationTokenSource();
        int ended = 0;
        await Run(source, 6, 1, (_, _) =>
        {
            if (++ended == 6 && source < Source.Sequence) cancellation.Cancel();
            return default;
        }, cancellation.Token).OrHang();
        Assert.Equal(6, ended);
    }

    [Fact]
    public async Task ForEachAsync_LongBodyAfterShortOnes_DoesNotHoldBackTheItemsBehindIt()
    {
        // All but a few are short, so that ranges have grown when the first that waits comes: who is idle must take over
        // what lies behind it, until the bound is reached.
        const int Items = 20_000, Waiting = 8, Bound = 8;
        int begun = 0;
        var open = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task run = BoundedParallel.ForAsync(0, Items, Bound, async (item, _) =>
        {
            if (item < Items - Waiting) return;
            Interlocked.Increment(ref begun);
            await open.Task;
        }).AsTask();

        Watchdog.Until(() => Volatile.Read(ref begun) == Waiting, "all bodies that wait");
        open.SetResult();
        await run.OrHang();
    }

    // The last item may be claimed while the rest of a range lies behind a body that waits: who took that item must see to the rest.
    [Fact]
    public async Task ForEachAsync_LastItemIsTakenWhileARangeHasARest_BeginsAllTheSame()
    {
        const int Bound = 4;
        for (int items = Bound; items < 2_000; items++)
        {
            int begun = 0, waitsFrom = items - Bound;
            var open = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Task run = BoundedParallel.ForAsync(0, items, Bound, async (item, _) =>
            {
                if (item < waitsFrom) return;
                Interlocked.Increment(ref begun);
                await open.Task;
            }).AsTask();
            await Watchdog.UntilAsync(() => Volatile.Read(ref begun) == Bound, $"all bodies that wait, of {items} items");
            open.SetResult();
            await run.OrHang();
        }
    }

    // Where both workers that the bound allows are active, one may find nothing more to do just before the other leaves a rest.
    [Fact]
    public async Task ForEachAsync_ABodyWaitsForTheNextOne_WhichAWorkerThatEndsDoesNotLeave()
    {
        const int Items = 64, Bound = 2;
        var random = new Random(1);
        for (int run = 0; run < 20_000; run++)
        {
            int waits = Items - random.Next(2, 12), spins = random.Next(200);
            var next = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            await BoundedParallel.ForAsync(0, Items, Bound, async (item, _) =>
            {
                if (item == waits + 1) next.SetResult();
                if (item != waits) return;
                Thread.SpinWait(spins);
                await next.Task;
            }).OrHang();
        }
    }

    [Fact]
    public async Task ForEachAsync_CallersContext_IsSeenByBodiesAndNotChangedByThem()
    {
        var local = new AsyncLocal<int> { Value = 7 };
        int wrong = 0;
        await BoundedParallel.ForAsync(0, 2000, 4, async (item, _) =>
        {
            if (local.Value != 7) Interlocked.Increment(ref wrong);
            local.Value = item;
            if (item % 2 == 0) await Task.Yield();
            if (local.Value != item) Interlocked.Increment(ref wrong);
        }).OrHang();
        Assert.Equal(0, wrong);
        Assert.Equal(7, local.Value);
    }

    [Fact]
    public async Task ForEachAsync_State_ReachesTheBodies()
    {
        int[] items = [1, 2, 3];
        var sums = new Counter[6];
        for (int i = 0; i < sums.Length; i++) sums[i] = new Counter();
        await BoundedParallel.ForEachAsync(items, 2, sums[0], Add);
        await BoundedParallel.ForEachAsync(new List<int>(items), 2, sums[1], Add);
        await BoundedParallel.ForEachAsync(new ReadOnlyMemory<int>(items, 1, 2), 2, sums[2], Add);
        await BoundedParallel.ForEachAsync(items.Where(static _ => true), 2, sums[3], Add);
        await BoundedParallel.ForEachAsync(Asynchronous(items), 2, sums[4], Add);
        await BoundedParallel.ForAsync(1, 4, 2, sums[5], Add);
        Assert.Equal([6, 6, 5, 6, 6, 6], sums.Select(static one => one.Value));

        static ValueTask Add(int item, Counter sum, CancellationToken cancellation)
        {
            Interlocked.Add(ref sum.Value, item);
            return default;
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void ForEachAsync_NoBound_IsToldSo(int bound)
    {
        var thrown = Assert.Throws<ArgumentOutOfRangeException>(
            () => { _ = BoundedParallel.ForEachAsync(new[] { 1 }, bound, static (_, _) => default).AsTask(); });
        Assert.Equal("maxConcurrency", thrown.ParamName);
        Assert.Contains($"maxConcurrency={bound}", thrown.Message);
    }

    [Fact]
    public void ForEachAsync_Nulls_AreTold()
    {
        Func<int, CancellationToken, ValueTask> body = static (_, _) => default;
        Assert.Throws<ArgumentNullException>("source", () => { _ = BoundedParallel.ForEachAsync((int[])null!, 1, body).AsTask(); });
        Assert.Throws<ArgumentNullException>(
            "source", () => { _ = BoundedParallel.ForEachAsync((IEnumerable<int>)null!, 1, body).AsTask(); });
        Assert.Throws<ArgumentNullException>(
            "source", () => { _ = BoundedParallel.ForEachAsync((IAsyncEnumerable<int>)null!, 1, body).AsTask(); });
        Assert.Throws<ArgumentNullException>("body", () => { _ = BoundedParallel.ForEachAsync<int>(new[] { 1 }, 1, null!).AsTask(); });
    }

    [Fact]
    public async Task ForAsync_ExtremeNumbers_AreHandled()
    {
        long sum = 0;
        await BoundedParallel.ForAsync(int.MaxValue - 3, int.MaxValue, 2, (number, _) =>
        {
            Interlocked.Add(ref sum, number);
            return default;
        });
        await BoundedParallel.ForAsync(5, -5, 2, static (_, _) => throw new InvalidOperationException("a body ran"));
        Assert.Equal((3L * int.MaxValue) - 6, sum);
        Assert.Throws<ArgumentOutOfRangeException>(
            "toExclusive", () => { _ = BoundedParallel.ForAsync(int.MinValue, 0, 1, static (_, _) => default).AsTask(); });
    }

    internal static Task Run(
        Source source, int items, int bound, Func<int, CancellationToken, ValueTask> body,
        CancellationToken cancellation = default)
    {
        int[] array = [.. Enumerable.Range(0, items)];
        return source switch
        {
            Source.Array => BoundedParallel.ForEachAsync(array, bound, body, cancellation).AsTask(),
            Source.List => BoundedParallel.ForEachAsync(new List<int>(array), bound, body, cancellation).AsTask(),
            Source.Memory => BoundedParallel.ForEachAsync(new ReadOnlyMemory<int>(array), bound, body, cancellation).AsTask(),
            Source.Numbers => BoundedParallel.ForAsync(0, items, bound, body, cancellation).AsTask(),
            Source.Sequence => BoundedParallel.ForEachAsync(array.Where(static _ => true), bound, body, cancellation).AsTask(),
            _ => BoundedParallel.ForEachAsync(Asynchronous(array), bound, body, cancellation).AsTask(),
        };
    }

    private static async IAsyncEnumerable<int> Asynchronous(IEnumerable<int> items)
    {
        foreach (int item in items)
        {
            if (item % 5 == 3) await Task.Yield();
            yield return item;
        }
    }

    internal static async Task UntilCancelled(CancellationToken token)
    {
        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration registration = token.Register(() => cancelled.SetResult());
        await cancelled.Task;
    }

    private static void InterlockedMax(ref int most, int value)
    {
        int seen;
        while (value > (seen = Volatile.Read(ref most)) && Interlocked.CompareExchange(ref most, value, seen) != seen)
        {
            // Another has raised it.
        }
    }

    private sealed class Counter
    {
        public int Value;
    }
}
