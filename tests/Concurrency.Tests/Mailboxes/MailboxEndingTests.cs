using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>How a mailbox ends: what was accepted is handled or counted, what comes later is refused, nobody hangs.</summary>
public sealed class MailboxEndingTests
{
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(2);

    [Theory]
    [MemberData(nameof(Drivers.Bounds), MemberType = typeof(Drivers))]
    public async Task Complete_AgainstPosting_WhatWasAcceptedIsHandled(string driver, int? bound)
    {
        for (int run = 0; run < 5; run++)
        {
            long handled = 0;
            await using Mailbox<int> mailbox = Mailbox.Start<int>(
                _ => Interlocked.Increment(ref handled), new() { Bound = bound, Wait = Drivers.Named(driver) });
            long accepted = 0;
            Task[] posters = [.. Enumerable.Range(0, 2).Select(_ => Task.Run(() =>
            {
                while (true)
                {
                    ClaimStatus status = mailbox.TryPost(1);
                    if (status == ClaimStatus.Done) Interlocked.Increment(ref accepted);
                    if (status == ClaimStatus.Stopped) return;
                }
            }))];
            Watchdog.Until(() => Volatile.Read(ref accepted) > run * 7, "posts");

            mailbox.Complete();

            await Task.WhenAll(posters).OrHang();
            await mailbox.Completion.OrHang();
            Assert.Equal(accepted, handled);
            Assert.Equal(0, mailbox.Unprocessed);
            Assert.Throws<MailboxStoppedException>(() => mailbox.Post(1));
        }
    }

    [Theory]
    [MemberData(nameof(Drivers.Bounds), MemberType = typeof(Drivers))]
    public async Task HaltAsync_AgainstPosting_HandledPlusUnprocessedIsAccepted(string driver, int? bound)
    {
        for (int run = 0; run < 5; run++)
        {
            long handled = 0;
            long offered = 0;
            await using Mailbox<int> mailbox = Mailbox.Start<int>(
                _ => Interlocked.Increment(ref handled),
                new() { Bound = bound, Wait = Drivers.Named(driver), OnUnprocessed = _ => offered++ });
            long accepted = 0;
            Task poster = Task.Run(() =>
            {
                try
                {
                    for (; ; accepted++) mailbox.Post(1);
                }
                catch (MailboxStoppedException)
                {
                }
            });
            Watchdog.Until(() => Volatile.Read(ref handled) > run * 7, "messages");

            await mailbox.HaltAsync().OrHang();

            await poster.OrHang();
            Assert.Equal(accepted, handled + mailbox.Unprocessed);
            Assert.Equal(mailbox.Unprocessed, offered);
        }
    }

    [Fact]
    public async Task HaltAsync_BlockedPosters_AreReleased()
    {
        using var held = new Drivers.Held();
        await using Mailbox<int> mailbox = Mailbox.Start<int>(_ => held.Hold(), new() { Bound = 1 });
        mailbox.Post(0);
        held.AwaitEntered();
        Task blocked = Task.Run(() => mailbox.Post(1));
        Task<ClaimStatus> timed = Task.Run(() => mailbox.TryPost(1, s_long * 10));
        Task awaiting = mailbox.PostAsync(1).AsTask();

        Task halt = mailbox.HaltAsync();

        await Assert.ThrowsAsync<MailboxStoppedException>(() => blocked.OrHang());
        await Assert.ThrowsAsync<MailboxStoppedException>(() => awaiting.OrHang());
        Assert.Equal(ClaimStatus.Stopped, await timed.OrHang());
        Assert.False(halt.IsCompleted);
        held.LetGo();
        await halt.OrHang();
    }

    [Fact]
    public async Task DrainAsync_HandlerHeld_TimesOutAndGoesOn()
    {
        using var held = new Drivers.Held();
        await using Mailbox<int> mailbox = Mailbox.Start<int>(_ => held.Hold());
        mailbox.Post(0);
        mailbox.Post(1);
        held.AwaitEntered();

        Assert.Equal(DrainStatus.TimedOut, await mailbox.DrainAsync(TimeSpan.Zero));
        Assert.Equal(RingState.Draining, mailbox.State);
        held.LetGo();
        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => mailbox.DrainAsync(TimeSpan.FromSeconds(-2)));
    }

    [Fact]
    public async Task DisposeAsync_Twice_DrainsThenRefusesAsDisposed()
    {
        int handled = 0;
        Mailbox<int> mailbox = Mailbox.Start<int>(_ => handled++, new() { DrainTimeout = Timeout.InfiniteTimeSpan });
        for (int i = 0; i < 1000; i++) mailbox.Post(i);

        await mailbox.DisposeAsync().OrHang();
        await mailbox.DisposeAsync().OrHang();

        Assert.Equal(1000, handled);
        Assert.Throws<ObjectDisposedException>(() => mailbox.Post(1));
        Assert.Equal(ClaimStatus.Stopped, mailbox.TryPost(1));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => mailbox.PostAsync(1).AsTask());
    }

    [Theory]
    [MemberData(nameof(Drivers.All), MemberType = typeof(Drivers))]
    public async Task DisposeAsync_ByItsOwnHandler_BeginsAndReturns(string driver)
    {
        Mailbox<int>? own = null;
        Mailbox<int> mailbox = Mailbox.Start<int>(
            async (_, _) =>
            {
                await Task.Yield();
                await own!.DisposeAsync();
            },
            new() { Wait = Drivers.Named(driver) });
        own = mailbox;

        mailbox.Post(0);

        await mailbox.Completion.OrHang();
        Assert.Equal(RingState.Stopped, mailbox.State);
    }

    [Fact]
    public async Task HaltAsync_AsyncHandlerPending_SignalsItsTokenAndWaitsForIt()
    {
        var entered = new TaskCompletionSource();
        await using Mailbox<int> mailbox = Mailbox.Start<int>(async (_, cancellation) =>
        {
            entered.SetResult();
            await Task.Delay(Timeout.Infinite, cancellation);
        });
        mailbox.Post(0);
        mailbox.Post(1);
        await entered.Task.OrHang();

        await mailbox.HaltAsync().OrHang();

        Assert.Equal(RingState.Stopped, mailbox.State);
        Assert.Equal(2, mailbox.Unprocessed);
    }

    [Fact]
    public async Task OnUnprocessed_Throws_MailboxFaults_AndTheOthersAreOffered()
    {
        List<int> offered = [];
        using var held = new Drivers.Held();
        await using Mailbox<int> mailbox = Mailbox.Start<int>(_ => held.Hold(), new()
        {
            OnUnprocessed = message =>
            {
                if (message == 1) throw new InvalidTimeZoneException();
                offered.Add(message);
            },
        });
        for (int i = 0; i < 6; i++) mailbox.Post(i);
        held.AwaitEntered();
        Task halt = mailbox.HaltAsync();
        held.LetGo();

        await halt.OrHang();

        Assert.Equal(RingState.Faulted, mailbox.State);
        Assert.Equal(5, mailbox.Unprocessed);
        Assert.Equal([2, 3, 4, 5], offered);
    }
}
