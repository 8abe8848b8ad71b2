using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>What is posted is handled once, in order, by one thread at a time; a bound holds.</summary>
public sealed class MailboxPostingTests
{
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(2);

    [Theory]
    [MemberData(nameof(Drivers.Bounds), MemberType = typeof(Drivers))]
    public async Task Post_ManyPosters_EachOnesOrderIsKeptAndNothingIsLost(string driver, int? bound)
    {
        const int Posters = 4;
        int each = bound < 64 ? 100 : 5_000;
        int[] next = new int[Posters];
        int inside = 0;
        bool ordered = true;
        await using Mailbox<(int Poster, int Number)> mailbox = Mailbox.Start<(int Poster, int Number)>(
            message =>
            {
                if (Interlocked.Increment(ref inside) != 1) ordered = false;
                if (next[message.Poster]++ != message.Number) ordered = false;
                Interlocked.Decrement(ref inside);
            },
            new() { Bound = bound, Wait = Drivers.Named(driver) });

        Thread[] posters = [.. Enumerable.Range(0, Posters).Select(poster => new Thread(() =>
        {
            for (int i = 0; i < each; i++) mailbox.Post((poster, i));
        }))];
        foreach (Thread poster in posters) poster.Start();
        foreach (Thread poster in posters) await Task.Run(poster.Join).OrHang();

        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        Assert.All(next, count => Assert.Equal(each, count));
        Assert.True(ordered);
        Assert.Equal(Posters * each, mailbox.GetStatistics().Items);
        Assert.Equal(0, mailbox.Count);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(5)]
    public async Task PostAsync_ManyPosters_NothingIsLost(int? bound)
    {
        const int Each = 500;
        long sum = 0;
        await using Mailbox<int> mailbox = Mailbox.Start<int>(message => sum += message, new() { Bound = bound });

        await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => Task.Run(async () =>
        {
            for (int i = 1; i <= Each; i++) await mailbox.PostAsync(i);
        }))).OrHang();

        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        Assert.Equal(3L * Each * (Each + 1) / 2, sum);
    }

    /// <summary>Every length around the sizes of chunks, one after another in one mailbox.</summary>
    [Fact]
    public async Task Post_BurstsOfEveryLengthAroundAChunk_AreHandledInOrder()
    {
        using var held = new Drivers.Held();
        long expected = 0;
        bool ordered = true;
        await using Mailbox<long> mailbox = Mailbox.Start<long>(message => ordered &= message == expected++);
        long next = 0;
        foreach (int burst in (int[])[1, 15, 16, 17, 239, 240, 241, 255, 256, 257, 8191, 8192, 8193, 70_000])
        {
            for (int i = 0; i < burst; i++) mailbox.Post(next++);
            long end = next;
            Watchdog.Until(() => Volatile.Read(ref expected) == end, "the burst");
        }

        Assert.True(ordered);
    }

    [Theory]
    [MemberData(nameof(Drivers.Bounds), MemberType = typeof(Drivers))]
    public async Task TryPost_HandlerHeld_TakesExactlyTheBound(string driver, int? bound)
    {
        using var held = new Drivers.Held();
        await using Mailbox<int> mailbox = Mailbox.Start<int>(_ => held.Hold(), new() { Bound = bound, Wait = Drivers.Named(driver) });
        mailbox.Post(0);
        held.AwaitEntered();

        int accepted = 1;
        while (accepted < 1000 && mailbox.TryPost(accepted) == ClaimStatus.Done) accepted++;

        Assert.Equal(bound ?? 1000, accepted);
        Assert.Equal(accepted, mailbox.Count);
        if (bound is not null)
        {
            Assert.Equal(ClaimStatus.Full, mailbox.TryPost(0));
            Assert.Equal(ClaimStatus.TimedOut, mailbox.TryPost(0, TimeSpan.Zero));
            Assert.Equal(ClaimStatus.TimedOut, mailbox.TryPost(0, TimeSpan.FromMilliseconds(2)));
        }

        held.LetGo();
        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        Assert.Equal(accepted, mailbox.GetStatistics().Items);
    }

    [Fact]
    public async Task PostAsync_Full_CompletesWithRoomAndIsCancelledWithoutOwning()
    {
        using var held = new Drivers.Held();
        int handled = 0;
        await using Mailbox<int> mailbox = Mailbox.Start<int>(
            message =>
            {
                if (message == 0) held.Hold();
                handled += message;
            },
            new() { Bound = 2 });
        mailbox.Post(0);
        held.AwaitEntered();
        mailbox.Post(1);
        using var cancel = new CancellationTokenSource();
        Task given = mailbox.PostAsync(100, cancel.Token).AsTask();
        Task waits = mailbox.PostAsync(10).AsTask();

        Assert.False(waits.IsCompleted);
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => given.OrHang());
        held.LetGo();
        await waits.OrHang();
        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        Assert.Equal(11, handled);
    }

    [Theory]
    [MemberData(nameof(Drivers.All), MemberType = typeof(Drivers))]
    public async Task Post_ByOwnHandlerIntoAFullMailbox_IsRefusedAtOnce(string driver)
    {
        Exception? blocking = null;
        Exception? timed = null;
        Exception? awaited = null;
        ClaimStatus tried = default;
        Mailbox<int>? own = null;
        var done = new TaskCompletionSource();
        await using Mailbox<int> mailbox = Mailbox.Start<int>(
            async (message, _) =>
            {
                if (message != 0) return;
                own!.Post(1);
                blocking = Record.Exception(() => own!.Post(2));
                await Task.Yield();
                timed = Record.Exception(() => own!.TryPost(2, s_long));
                awaited = await Record.ExceptionAsync(() => own!.PostAsync(2).AsTask());
                tried = own!.TryPost(2);
                done.SetResult();
            },
            new() { Bound = 2, Wait = Drivers.Named(driver) });
        own = mailbox;

        mailbox.Post(0);
        await done.Task.OrHang();

        Assert.IsType<ReentrantMailboxException>(blocking);
        Assert.Contains("bound=2", blocking.Message, StringComparison.Ordinal);
        Assert.IsType<ReentrantMailboxException>(timed);
        Assert.IsType<ReentrantMailboxException>(awaited);
        Assert.Equal(ClaimStatus.Full, tried);
        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        Assert.Equal(2, mailbox.GetStatistics().Items);
    }

    /// <summary>Two mailboxes that answer each other: the taker goes to rest and is rung for at every message.</summary>
    [Theory]
    [MemberData(nameof(Drivers.All), MemberType = typeof(Drivers))]
    public async Task Post_BackAndForth_NoWakeUpIsLost(string driver)
    {
        const int Rounds = 500;
        var done = new TaskCompletionSource();
        Mailbox<int>? there = null;
        await using Mailbox<int> here = Mailbox.Start<int>(
            message =>
            {
                if (message == Rounds) done.SetResult();
                else there!.Post(message + 1);
            },
            new() { Wait = Drivers.Named(driver) });
        await using Mailbox<int> other = Mailbox.Start<int>(message => here.Post(message), new() { Wait = Drivers.Named(driver) });
        there = other;

        here.Post(0);

        await done.Task.OrHang();
    }

    [Fact]
    public async Task References_HandledMessages_AreNotKept()
    {
        await using Mailbox<object> mailbox = Mailbox.Start<object>(_ => { });
        WeakReference posted = PostOne(mailbox);
        Watchdog.Until(() => mailbox.Count == 0, "the message");

        Watchdog.Until(
            () =>
            {
                GC.Collect();
                return !posted.IsAlive;
            },
            "the collection");

        static WeakReference PostOne(Mailbox<object> mailbox)
        {
            object message = new();
            mailbox.Post(message);
            return new WeakReference(message);
        }
    }
}
