using Raceway.Interop.Journal.Writing;

namespace Raceway.Journal.Tests.Writing;

public sealed class DurableLineTests
{
    [Fact]
    public async Task Advance_PastSomeWaiters_CompletesThoseInAnyOrderTheyCame()
    {
        var line = new DurableLine(0);
        Task third = line.WaitAsync(3, default).AsTask();
        Task first = line.WaitAsync(1, default).AsTask();
        Task second = line.WaitAsync(2, default).AsTask();
        line.Advance(2);
        await first;
        await second;
        Assert.False(third.IsCompleted);
        line.Advance(1);
        line.Advance(9);
        await third;
        await line.WaitAsync(9, default);
    }

    [Fact]
    public async Task Fail_WithWaiters_FailsThemAndLaterOnesButNotWhatIsReached()
    {
        var line = new DurableLine(5);
        Task waits = line.WaitAsync(6, default).AsTask();
        line.Fail(new InvalidOperationException("no"));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await waits);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await line.WaitAsync(6, default));
        await line.WaitAsync(5, default);
    }

    [Fact]
    public async Task Cancel_OfAWaiter_LeavesTheOthers()
    {
        var line = new DurableLine(0);
        using var cancellation = new CancellationTokenSource();
        Task before = line.WaitAsync(1, default).AsTask();
        Task cancelled = line.WaitAsync(1, cancellation.Token).AsTask();
        Task after = line.WaitAsync(1, default).AsTask();
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await cancelled);
        line.Advance(1);
        await before;
        await after;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await line.WaitAsync(2, cancellation.Token));
    }

    /// <summary>Waiters are used again: no call gets the end of another one.</summary>
    [Fact]
    public async Task WaitAsync_WithCancelsAndAdvancesOnOtherThreads_EndsEachCallOnce()
    {
        var line = new DurableLine(0);
        long moves = 0;
        using var stop = new CancellationTokenSource();
        Task advancing = Task.Run(() =>
        {
            while (!stop.IsCancellationRequested) line.Advance(Interlocked.Increment(ref moves));
        });
        int cancelled = 0;
        Task[] waiting = [.. Enumerable.Range(0, 4).Select(async n =>
        {
            await Task.Yield();
            for (int i = 0; i < 5_000; i++)
            {
                using var cancel = new CancellationTokenSource();
                long target = Interlocked.Read(ref moves) + (i % 64);
                Task wait = line.WaitAsync(target, cancel.Token).AsTask();
                if (i % 3 == n % 3) await cancel.CancelAsync();
                try
                {
                    await wait;
                    Assert.True(Interlocked.Read(ref moves) >= target);
                }
                catch (OperationCanceledException)
                {
                    Interlocked.Increment(ref cancelled);
                }
            }
        })];
        await Task.WhenAll(waiting).OrHang();
        await stop.CancelAsync();
        await advancing;
        Assert.True(cancelled > 0);
    }
}
