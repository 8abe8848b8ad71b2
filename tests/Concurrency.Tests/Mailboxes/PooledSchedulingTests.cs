using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>The pool's own ready queue: turns are taken, other work gets its turn, blocked handlers block nobody else.</summary>
[Collection(AloneCollection.Name)]
public sealed class PooledSchedulingTests
{
    /// <summary>Mailboxes that never run dry, and an unrelated work item: it runs before they have ended.</summary>
    [Fact]
    public async Task UnrelatedWork_WhileManyMailboxesAreBusy_GetsItsTurn()
    {
        bool stop = false;
        Mailbox<int>[] own = new Mailbox<int>[20];
        for (int i = 0; i < own.Length; i++)
        {
            int me = i;
            own[i] = Mailbox.Start<int>(message =>
            {
                if (!Volatile.Read(ref stop)) own[me].Post(message);
            });
        }

        foreach (Mailbox<int> mailbox in own)
            for (int i = 0; i < 100; i++) mailbox.Post(i);

        for (int i = 0; i < 20; i++)
        {
            var ran = new TaskCompletionSource();
            ThreadPool.UnsafeQueueUserWorkItem(static ran => ran.SetResult(), ran, preferLocal: false);
            await ran.Task.OrHang();
        }

        // And each of them was stepped, many times.
        Assert.All(own, mailbox => Watchdog.Until(() => mailbox.GetStatistics().Items > 1_000, "a turn"));
        Volatile.Write(ref stop, true);
        foreach (Mailbox<int> mailbox in own) await mailbox.DisposeAsync().OrHang();
    }

    /// <summary>More handlers block than there are processors, all waiting for one that is ready behind them.</summary>
    [Fact]
    public async Task BlockedHandlers_AllWaitForAnother_ItIsStepped()
    {
        using var go = new ManualResetEventSlim();
        int entered = 0;
        int blocked = Environment.ProcessorCount + 2;
        Mailbox<int>[] blocking = [.. Enumerable.Range(0, blocked).Select(_ => Mailbox.Start<int>(_ =>
        {
            Interlocked.Increment(ref entered);
            go.Wait();
        }))];
        foreach (Mailbox<int> mailbox in blocking) mailbox.Post(0);
        await using Mailbox<int> releasing = Mailbox.Start<int>(_ => go.Set());
        releasing.Post(0);

        Watchdog.Until(() => go.IsSet, "the mailbox that releases the others");

        foreach (Mailbox<int> mailbox in blocking) await mailbox.DisposeAsync().OrHang();
        Assert.Equal(blocked, entered);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(50)]
    [InlineData(1_000_000)]
    public async Task Slice_OfAnyLength_EverythingIsHandled(int microseconds)
    {
        const int Count = 50_000;
        var options = new MailboxOptions<int> { Wait = Wait.Async(TimeSpan.FromMicroseconds(microseconds)) };
        long[] sums = new long[8];
        Mailbox<int>[] all = [.. Enumerable.Range(0, sums.Length).Select(me => Mailbox.Start<int>(message => sums[me] += message, options))];

        for (int i = 0; i < Count; i++)
            foreach (Mailbox<int> mailbox in all) mailbox.Post(i);

        foreach (Mailbox<int> mailbox in all) await mailbox.DisposeAsync().OrHang();
        Assert.All(sums, static sum => Assert.Equal(Count * (Count - 1L) / 2, sum));
    }
}
