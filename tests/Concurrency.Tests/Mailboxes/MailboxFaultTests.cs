using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>What happens to a mailbox whose handler throws, by policy, for every form of handler.</summary>
public sealed class MailboxFaultTests
{
    private const int Count = 100;
    private const int Bad = 41;
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(2);

    public static TheoryData<string> Forms => new("each", "batch", "async", "async-batch");

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task Stop_TheRestIsCountedAndPostsAreRefused(string form)
    {
        List<int> seen = [];
        List<int> left = [];
        await using Mailbox<int> mailbox = Start(form, seen, always: true, new() { OnUnprocessed = left.Add });

        PostUntilRefused(mailbox);

        MailboxFaultedException fault = await Assert.ThrowsAsync<MailboxFaultedException>(() => mailbox.Completion.OrHang());
        Assert.IsType<InvalidTimeZoneException>(fault.InnerException);
        Assert.Equal(RingState.Faulted, mailbox.State);
        Assert.Equal(DrainStatus.Faulted, await mailbox.DrainAsync(s_long));
        Assert.Throws<MailboxFaultedException>(() => mailbox.Post(1));
        Assert.Contains(Bad, left);
        Assert.Equal(left.Count, mailbox.Unprocessed);
        Assert.DoesNotContain(Bad, seen);
        Assert.Equal(Enumerable.Range(0, Bad), seen.Distinct().Order().Where(number => number < Bad));
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task Skip_OnlyTheFailingOneIsMissing(string form)
    {
        List<int> seen = [];
        await using Mailbox<int> mailbox = Start(form, seen, always: true, new() { OnFault = FaultPolicy.Skip });

        await PostAll(mailbox);

        Assert.Equal(Enumerable.Range(0, Count).Where(number => number != Bad), seen.Distinct());
        Assert.Equal(1, mailbox.GetStatistics().Skipped);
        Assert.Equal(Count - 1, mailbox.GetStatistics().Items);
    }

    // A batch handler that does all of a call or nothing, and is held up until all of its messages are there.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Skip_AllOrNothing_TheFailingOneIsFoundByHalves(bool awaits)
    {
        using var posted = new ManualResetEventSlim();
        List<int> seen = [];
        List<int[]> calls = [];
        // A thread of its own, so that no batch is cut for having taken long.
        MailboxOptions<int> options = new() { OnFault = FaultPolicy.Skip, Wait = Wait.Park() };
        await using Mailbox<int> mailbox = awaits
            ? Mailbox.StartBatches<int>(
                async (messages, _) =>
                {
                    await Task.Yield();
                    Handle(messages.ToArray());
                },
                options)
            : Mailbox.Start(new WholeBatches(Handle), options);

        for (int i = 0; i < Count; i++) mailbox.Post(i);
        posted.Set();
        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));

        Assert.Equal(Enumerable.Range(0, Count).Where(number => number != Bad), seen);
        int at = calls.FindIndex(static call => call.Contains(Bad));
        (int first, int end) = (calls[at][0], calls[at][^1] + 1);
        Assert.True(end - first > 8, "The bad message came nearly alone.");
        while (end - first > 1 || !calls[at].Contains(Bad))
        {
            int[] half = calls[++at];
            Assert.Equal(Enumerable.Range(first, (end - first + 1) / 2), half);
            if (half.Contains(Bad)) end = half[^1] + 1;
            else first = half[^1] + 1;
        }

        if (at + 1 < calls.Count) Assert.True(calls[at + 1].Length > 1, "The rest is not offered whole.");

        void Handle(int[] messages)
        {
            posted.Wait();
            calls.Add(messages);
            if (messages.Contains(Bad)) throw new InvalidTimeZoneException();
            seen.AddRange(messages);
        }
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task DeadLetter_TheSinkGetsTheMessage(string form)
    {
        List<int> seen = [];
        List<int> dead = [];
        FaultPolicy policy = FaultPolicy.DeadLetter((ref int message, in FaultContext context) =>
        {
            Assert.Equal(Bad, context.Sequence);
            dead.Add(message);
        });
        await using Mailbox<int> mailbox = Start(form, seen, always: true, new() { OnFault = policy });

        await PostAll(mailbox);

        Assert.Equal([Bad], dead);
        Assert.Equal(1, mailbox.GetStatistics().DeadLettered);
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task Retry_WithAndWithoutPause_SucceedsInTheEnd(string form)
    {
        foreach (TimeSpan pause in (TimeSpan[])[TimeSpan.Zero, TimeSpan.FromMilliseconds(2)])
        {
            List<int> seen = [];
            await using Mailbox<int> mailbox = Start(form, seen, always: false, new() { OnFault = FaultPolicy.Retry(2, pause) });

            await PostAll(mailbox);

            Assert.Equal(Enumerable.Range(0, Count), seen.Distinct());
            Assert.Equal(0, mailbox.GetStatistics().Skipped);
            Assert.InRange(mailbox.GetStatistics().Retries, form.EndsWith("batch", StringComparison.Ordinal) ? 0 : 1, 2);
        }
    }

    [Fact]
    public async Task Retry_UsedUp_ThenDoesAsItSays()
    {
        await using Mailbox<int> mailbox = Start(
            "each", [], always: true, new() { OnFault = FaultPolicy.Retry(3, TimeSpan.Zero, FaultPolicy.Skip) });

        await PostAll(mailbox);

        StageStatistics done = mailbox.GetStatistics();
        Assert.Equal((4, 3, 1), (done.Faults, done.Retries, done.Skipped));
    }

    [Theory]
    [InlineData(FaultAction.Skip, RingState.Stopped)]
    [InlineData(FaultAction.Stop, RingState.Faulted)]
    [InlineData(FaultAction.Detach, RingState.Faulted)]
    public async Task Decide_AnswerIsDone(FaultAction answer, RingState end)
    {
        FaultPolicy policy = FaultPolicy.Decide((ref int message, in FaultContext _) => message == Bad ? answer : FaultAction.Stop);
        await using Mailbox<int> mailbox = Start("each", [], always: true, new() { OnFault = policy });

        PostUntilRefused(mailbox);
        await mailbox.DrainAsync(s_long);

        Assert.Equal(end, mailbox.State);
    }

    private static Mailbox<int> Start(string form, List<int> seen, bool always, MailboxOptions<int> options)
    {
        int failures = 0;
        return form switch
        {
            "each" => Mailbox.Start<int>(Handle, options),
            "batch" => Mailbox.Start(new Batches(Handle), options),
            "async" => Mailbox.Start<int>(
                async (message, _) =>
                {
                    if (message % 2 == 1) await Task.Yield();
                    Handle(message);
                },
                options),
            _ => Mailbox.StartBatches<int>(
                async (messages, _) =>
                {
                    await Task.Yield();
                    for (int i = 0; i < messages.Length; i++) Handle(messages.Span[i]);
                },
                options),
        };

        void Handle(int message)
        {
            if (message == Bad && (always || failures++ == 0)) throw new InvalidTimeZoneException();
            seen.Add(message);
        }
    }

    private static void PostUntilRefused(Mailbox<int> mailbox)
    {
        for (int i = 0; i < Count; i++)
            if (mailbox.TryPost(i) == ClaimStatus.Stopped) return;
    }

    private static async Task PostAll(Mailbox<int> mailbox)
    {
        for (int i = 0; i < Count; i++) mailbox.Post(i);
        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
    }

    private sealed class WholeBatches(Action<int[]> handle) : IBatchHandler<int>
    {
        public void OnBatch(Batch<int> batch) => handle(batch.ToArray());
    }

    private sealed class Batches(Action<int> handle) : IBatchHandler<int>
    {
        public void OnBatch(Batch<int> batch)
        {
            foreach (ref int item in batch) handle(item);
        }
    }
}
