using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>A message costs no allocation, nor does a request, once warm.</summary>
[Collection(AloneCollection.Name)]
public sealed class MailboxAllocationTests
{
    private const int Count = 100_000;

    [Theory]
    [MemberData(nameof(Drivers.All), MemberType = typeof(Drivers))]
    public async Task Post_Unbounded_AllocatesNothing(string driver)
    {
        long handled = 0;
        await using Mailbox<long> mailbox = Mailbox.Start<long>(_ => handled++, new() { Wait = Drivers.Named(driver) });
        AssertFree(
            () =>
            {
                for (int i = 0; i < Count; i++) mailbox.Post(i);
            },
            () => Volatile.Read(ref handled));
    }

    [Theory]
    [MemberData(nameof(Drivers.All), MemberType = typeof(Drivers))]
    public async Task Post_FullNowAndThen_AllocatesNothing(string driver)
    {
        long handled = 0;
        await using Mailbox<long> mailbox = Mailbox.Start<long>(
            _ => handled++, new() { Bound = 64, Wait = Drivers.Named(driver) });
        AssertFree(
            () =>
            {
                for (int i = 0; i < Count; i++) mailbox.Post(i);
            },
            () => Volatile.Read(ref handled));
    }

    /// <summary>Without a task, or with one that the runtime keeps for a common result.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Post_AsyncHandlerThatAwaitsNothing_AllocatesNothing(bool isKept)
    {
        long handled = 0;
        Task kept = Task.FromResult(1);
        await using Mailbox<long> mailbox = Mailbox.Start<long>(
            (_, _) =>
            {
                handled++;
                return isKept ? new ValueTask(kept) : default;
            },
            new() { Wait = Drivers.Named("async") });
        AssertFree(
            () =>
            {
                for (int i = 0; i < Count; i++) mailbox.Post(i);
            },
            () => Volatile.Read(ref handled));
    }

    [Fact]
    public async Task PostAsync_FullNowAndThen_AllocatesNothing()
    {
        long handled = 0;
        await using Mailbox<long> mailbox = Mailbox.Start<long>(_ => handled++, new() { Bound = 64 });
        AssertFree(
            () => Task.Run(async () =>
            {
                for (int i = 0; i < Count; i++) await mailbox.PostAsync(i);
            }).Wait(),
            () => Volatile.Read(ref handled));
    }

    [Fact]
    public async Task AskAsync_OneAfterAnother_AllocatesNothing()
    {
        const int Questions = 5_000;
        await using Mailbox<Reply<int>> mailbox = Mailbox.Start<Reply<int>>(static reply => reply.TrySet(1));
        long answered = 0;
        AssertFree(
            () => Task.Run(async () =>
            {
                for (int i = 0; i < Questions; i++) answered += await mailbox.AskAsync<int>(static reply => reply);
            }).Wait(),
            () => Volatile.Read(ref answered),
            Questions);
    }

    private static void AssertFree(Action post, Func<long> handled, int count = Count)
    {
        long done = 0;
        Post();
        // Starting the poster takes a few objects, however many messages there are.
        Allocated.AssertFewer((count / 1024) + 40, Post);

        void Post()
        {
            post();
            done += count;
            Watchdog.Until(() => handled() == done, "the messages");
        }
    }
}
