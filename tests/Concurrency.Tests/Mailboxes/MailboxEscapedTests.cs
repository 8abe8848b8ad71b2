using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>Tasks that a mailbox's async handler starts and does not await: once its call has ended they are callers like any other.</summary>
public sealed class MailboxEscapedTests
{
    /// <summary>The call ends later; or behind an await that is over when the driver looks; or by a task that takes no awaiter.</summary>
    [Theory]
    [InlineData("park", "later")]
    [InlineData("park", "by now")]
    [InlineData("park", "refused")]
    [InlineData("async", "later")]
    [InlineData("async", "by now")]
    [InlineData("async", "refused")]
    public async Task DisposeAsync_ByATaskThatOutlivesTheHandlersCall_WaitsForTheEnd(string driver, string ends)
    {
        var mayGoOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var mayReturn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task escaped = Task.CompletedTask;
        var wasOver = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Mailbox<int>? mailbox = null;
        mailbox = Mailbox.Start<int>(
            (message, _) =>
            {
                if (message == 0)
                {
                    escaped = Task.Run(async () =>
                    {
                        await mayGoOn.Task;
                        ValueTask disposal = mailbox!.DisposeAsync();
                        wasOver.SetResult(disposal.IsCompleted);
                        await disposal;
                    }, CancellationToken.None);
                    if (ends == "refused") return new ValueTask(new StaleSource(int.MaxValue), 0);
                    if (ends == "by now") return new ValueTask(OverByNow());
                }

                return LaterAsync(message);
            },
            new() { Wait = Drivers.Named(driver), OnFault = FaultPolicy.Skip });
        async ValueTask LaterAsync(int message)
        {
            await Task.Yield();
            if (message == 1) await mayReturn.Task;
        }

        mailbox.Post(0);
        await Watchdog.UntilAsync(() => mailbox.GetStatistics() is { Items: 1 } or { Skipped: 1 }, "the first call");
        // A call is under way, but not the one that has started the task.
        mailbox.Post(1);

        mayGoOn.SetResult();
        await Watchdog.UntilAsync(() => mailbox.TryPost(2) == ClaimStatus.Stopped, "the disposal to begin");
        Assert.False(await wasOver.Task.OrHang());
        mayReturn.SetResult();
        await escaped.OrHang();

        Assert.Equal(0, mailbox.Count);
    }

    /// <summary>Both messages wait together, and the first one's await is over when the driver looks.</summary>
    [Theory]
    [InlineData("park")]
    [InlineData("async")]
    public async Task DisposeAsync_ByATaskOfTheMessageBefore_WaitsForTheEnd(string driver)
    {
        var isCalled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var mayReturn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var arePosted = new ManualResetEventSlim();
        Task escaped = Task.CompletedTask;
        var wasOver = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Mailbox<int>? mailbox = null;
        mailbox = Mailbox.Start<int>(
            async (message, _) =>
            {
                switch (message)
                {
                    case 0:
                        Assert.True(arePosted.Wait(TimeSpan.FromMinutes(5), CancellationToken.None));
                        break;
                    case 1:
                        escaped = Task.Run(async () =>
                        {
                            await isCalled.Task;
                            ValueTask disposal = mailbox!.DisposeAsync();
                            wasOver.SetResult(disposal.IsCompleted);
                            await disposal;
                        }, CancellationToken.None);
                        await OverByNow();
                        break;
                    default:
                        isCalled.SetResult();
                        await mayReturn.Task;
                        break;
                }
            },
            new() { Wait = Drivers.Named(driver) });
        mailbox.Post(0);
        mailbox.Post(1);
        mailbox.Post(2);
        arePosted.Set();

        Assert.False(await wasOver.Task.OrHang());
        mayReturn.SetResult();
        await escaped.OrHang();

        Assert.Equal(0, mailbox.Count);
    }

    // As where the driver's thread has lost its processor behind the call.
    private static Task OverByNow()
    {
        var later = Task.Run(static async () => await Task.Yield());
        later.Wait();
        return later;
    }

    [Theory]
    [InlineData("park", false)]
    [InlineData("park", true)]
    [InlineData("async", false)]
    [InlineData("async", true)]
    public async Task AskAsync_ByATaskThatOutlivesTheHandlersCall_IsAnswered(string driver, bool pends)
    {
        var mayGoOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> escaped = Task.FromResult(0);
        Mailbox<Reply<int>?>? mailbox = null;
        mailbox = Mailbox.Start<Reply<int>?>(
            async (message, _) =>
            {
                if (message is { } reply)
                {
                    // Not while it is asked: a call that completes at once has the mark of those before it.
                    Assert.True(reply.TrySet(7));
                    return;
                }

                escaped = Task.Run(async () =>
                {
                    await mayGoOn.Task;
                    return await mailbox!.AskAsync<int>(static reply => reply);
                }, CancellationToken.None);
                if (pends) await Task.Yield();
            },
            new() { Wait = Drivers.Named(driver) });
        mailbox.Post(null);
        await Watchdog.UntilAsync(() => mailbox.GetStatistics().Items == 1, "the first call");

        mayGoOn.SetResult();

        Assert.Equal(7, await escaped.OrHang());
        await mailbox.DisposeAsync().OrHang();
    }
}
