using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>Every limit of time of a mailbox goes by the provider of its options, and wakes what waits for it.</summary>
public sealed class MailboxTimeTests
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);
    private static readonly TimeSpan s_tick = TimeSpan.FromTicks(1);

    private readonly WatchedTime _time = new();

    public static TheoryData<string> Waits => ["pool", "thread"];

    [Fact]
    public async Task TryPost_Full_TimesOutAsTheProviderSays()
    {
        using var held = new Drivers.Held();
        await using Mailbox<int> mailbox = Mailbox.Start<int>(_ => held.Hold(), new() { Bound = 1, Time = _time });
        mailbox.Post(0);
        held.AwaitEntered();
        Task<ClaimStatus> posting = Task.Factory.StartNew(
            () => mailbox.TryPost(1, s_hour), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, "the poster to sleep");
        _time.Advance(s_hour - s_tick);
        AssertStillWaits(_time);
        _time.Advance(s_tick);
        Assert.Equal(ClaimStatus.TimedOut, await posting.OrHang());
        held.LetGo();
    }

    [Fact]
    public async Task Ask_NoAnswer_TimesOutAsTheProviderSays()
    {
        await using Mailbox<Reply<int>> mailbox = Mailbox.Start<Reply<int>>(static _ => { }, new() { Time = _time });
        Task<int> answer = Ask(mailbox);
        _time.Advance(s_hour - s_tick);
        AssertStillWaits(_time);
        _time.Advance(s_tick);
        await Assert.ThrowsAsync<TimeoutException>(() => answer.OrHang());
        Assert.Equal(0, _time.SetTimers);
    }

    // The pool of requests is of all mailboxes: one that has been of a mailbox with another clock keeps none of it.
    [Fact]
    public async Task Ask_MailboxesOfSeveralClocks_EachGoesByItsOwn()
    {
        var other = new WatchedTime();
        await using Mailbox<Reply<int>> mine = Mailbox.Start<Reply<int>>(static _ => { }, new() { Time = _time });
        await using Mailbox<Reply<int>> others = Mailbox.Start<Reply<int>>(static _ => { }, new() { Time = other });
        for (int round = 0; round < 4; round++)
        {
            (Mailbox<Reply<int>> mailbox, WatchedTime time, WatchedTime wrong) = round % 2 == 0 ? (mine, _time, other) : (others, other, _time);
            Task<int> answer = Ask(mailbox);
            wrong.Advance(10 * s_hour);
            AssertStillWaits(time);
            time.Advance(s_hour);
            await Assert.ThrowsAsync<TimeoutException>(() => answer.OrHang());
        }
    }

    [Fact]
    public async Task Ask_TimePassesWhileItIsPosted_TimesOut()
    {
        await using Mailbox<Reply<int>> mailbox = Mailbox.Start<Reply<int>>(static _ => { }, new() { Time = _time });
        _time.BeforeSetting = () =>
        {
            _time.BeforeSetting = null;
            _time.Advance(s_hour);
        };
        await Assert.ThrowsAsync<TimeoutException>(() => Ask(mailbox).OrHang());
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task Retry_MailboxSleeps_IsWoken(string wait)
    {
        int calls = 0;
        await using Mailbox<int> mailbox = Mailbox.Start<int>(
            _ =>
            {
                if (Interlocked.Increment(ref calls) == 1) throw new InvalidOperationException("at first");
            },
            new() { OnFault = FaultPolicy.Retry(1, s_hour), Wait = Drivers.Named(wait), Time = _time });
        mailbox.Post(1);
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, "the mailbox to sleep");
        _time.Advance(s_hour - s_tick);
        AssertStillWaits(_time);
        _time.Advance(s_tick);
        await Watchdog.UntilAsync(() => Volatile.Read(ref calls) == 2, "the retry");
    }

    [Fact]
    public async Task Drain_HandlerStands_TimesOutAsTheProviderSays()
    {
        using var held = new Drivers.Held();
        await using Mailbox<int> mailbox = Mailbox.Start<int>(_ => held.Hold(), new() { Time = _time });
        mailbox.Post(0);
        held.AwaitEntered();
        Task<DrainStatus> drain = mailbox.DrainAsync(s_hour);
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, "the drain to wait");
        _time.Advance(s_hour - s_tick);
        AssertStillWaits(_time);
        _time.Advance(s_tick);
        Assert.Equal(DrainStatus.TimedOut, await drain.OrHang());
        held.LetGo();
    }

    [Fact]
    public async Task Dispose_HandlerStands_HaltsAsTheProviderSays()
    {
        using var held = new Drivers.Held();
        Mailbox<int> mailbox = Mailbox.Start<int>(_ => held.Hold(), new() { MaxBatch = 1, DrainTimeout = s_hour, Time = _time });
        mailbox.Post(0);
        mailbox.Post(1);
        held.AwaitEntered();
        Task disposal = mailbox.DisposeAsync().AsTask();
        await Watchdog.UntilAsync(() => _time.SetTimers > 0, "the disposal to wait");
        _time.Advance(s_hour - s_tick);
        AssertStillWaits(_time);
        _time.Advance(s_tick);
        await Watchdog.UntilAsync(() => mailbox.HaltToken.IsCancellationRequested, "the halt");
        held.LetGo();
        await disposal.OrHang();
        Assert.Equal(1, mailbox.Unprocessed);
    }

    // A timer that came too early would have gone off by now, on the thread that moved the time. What it wakes may run later,
    // so looking at that would prove nothing.
    private static void AssertStillWaits(WatchedTime time) => Assert.Equal(1, time.SetTimers);

    private static Task<int> Ask(Mailbox<Reply<int>> mailbox) =>
        mailbox.AskAsync<int, int>(0, static (_, reply) => reply, s_hour).AsTask();
}
