using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>Tasks that a mailbox's async handler starts and does not await: once its call has ended they are callers like any other.</summary>
public sealed class MailboxEscapedTests
{
    /// <summary>The call ends later, or by a task that takes no awaiter.</summary>
    [Theory]
    [InlineData("park", false)]
    [InlineData("park", true)]
    [InlineData("async", false)]
    [InlineData("async", true)]
    public async Task DisposeAsync_ByATaskThatOutlivesTheHandlersCall_WaitsForTheEnd(string driver, bool isRefused)
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
                    if (isRefused) return new ValueTask(new StaleSource(int.MaxValue), 0);
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
