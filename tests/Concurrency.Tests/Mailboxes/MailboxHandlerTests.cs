using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>Every form of handler: called for each message once, told of start and end.</summary>
public sealed class MailboxHandlerTests
{
    private const int Count = 10_000;
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(2);

    [Theory]
    [MemberData(nameof(Drivers.All), MemberType = typeof(Drivers))]
    public async Task EventHandler_WithHooks_SeesStartMessagesAndStop(string driver)
    {
        var handler = new Numbers();
        await using Mailbox<int> mailbox = Mailbox.Start(handler, new() { Wait = Drivers.Named(driver) });

        await PostAll(mailbox);

        Assert.Equal(Expected, handler.Seen);
        Assert.Equal((1, 1), (handler.Started, handler.Stopped));
        Assert.True(handler.SequencesRight);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(1024)]
    public async Task BatchHandler_MaxBatch_IsKept(int most)
    {
        var handler = new Batches();
        await using Mailbox<int> mailbox = Mailbox.Start(handler, new() { MaxBatch = most });

        await PostAll(mailbox);

        Assert.Equal(Expected, handler.Seen);
        Assert.InRange(handler.Largest, 1, most);
    }

    // Held up in its first call, so that the rest is there when the second begins.
    [Theory]
    [InlineData(false, 2, new long[] { 2, 2, 0 })] // of one, of two and more, of two and more, of two and none
    [InlineData(true, 2, new long[] { 2, 2, 0 })]
    [InlineData(false, 1024, new long[] { 2, 0, 0 })]
    public async Task CloseReasons_OfBatches_SayWhetherTheLimitEndedThem(bool awaits, int most, long[] drainedFullCut)
    {
        using var held = new Drivers.Held();
        // A thread of its own cuts nothing.
        MailboxOptions<int> options = new() { MaxBatch = most, Wait = Wait.Park() };
        await using Mailbox<int> mailbox = awaits
            ? Mailbox.StartBatches<int>(
                async (messages, _) =>
                {
                    int first = messages.Span[0];
                    await Task.Yield();
                    if (first == 0) held.Hold();
                },
                options)
            : Mailbox.Start<int>(message =>
            {
                if (message == 0) held.Hold();
            }, options);
        IReadOnlyList<long> reasons = await ReasonsAsync(mailbox, held, 6);
        Assert.Equal(drainedFullCut, new[] { CloseReason.Drained, CloseReason.Full, CloseReason.Cut }.Select(reason => reasons[(int)reason]));
    }

    // More messages than a step on the pool is given at first. A higher limit would change nothing.
    [Fact]
    public async Task CloseReasons_OnThePool_AreNeverTheLimitThatNoBatchReaches()
    {
        using var held = new Drivers.Held();
        await using Mailbox<int> mailbox = Mailbox.Start<int>(message =>
        {
            if (message == 0) held.Hold();
        }, new() { MaxBatch = 1 << 20 });
        IReadOnlyList<long> reasons = await ReasonsAsync(mailbox, held, 500);
        Assert.Equal(0, reasons[(int)CloseReason.Full]);
        Assert.InRange(reasons[(int)CloseReason.Cut], 1, 500);
    }

    // Of a first message that holds the mailbox up, and of so many behind it.
    private static async Task<IReadOnlyList<long>> ReasonsAsync(Mailbox<int> mailbox, Drivers.Held held, int behind)
    {
        mailbox.Post(0);
        held.AwaitEntered();
        for (int i = 1; i <= behind; i++) mailbox.Post(i);
        held.LetGo();
        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        return mailbox.GetStatistics().CloseReasons;
    }

    [Fact]
    public async Task State_IsTheActorsOwn()
    {
        long[] result = new long[1];
        await using Mailbox<int> mailbox = Mailbox.Start<(long Sum, long[] Out), int>(
            (0, result), static (ref (long Sum, long[] Out) state, int message) => state.Out[0] = state.Sum += message);

        await PostAll(mailbox);

        Assert.Equal(Count * (Count - 1L) / 2, result[0]);
    }

    [Theory]
    [MemberData(nameof(Drivers.All), MemberType = typeof(Drivers))]
    public async Task AsyncHandler_SomeComplete_LaterOneAtATimeInOrder(string driver)
    {
        List<int> seen = [];
        int inside = 0;
        bool alone = true;
        await using Mailbox<int> mailbox = Mailbox.Start<int>(
            async (message, _) =>
            {
                alone &= Interlocked.Increment(ref inside) == 1;
                if (message % 3 == 0) await Task.Yield();
                seen.Add(message);
                Interlocked.Decrement(ref inside);
            },
            new() { Wait = Drivers.Named(driver) });

        await PostAll(mailbox);

        Assert.Equal(Expected, seen);
        Assert.True(alone);
    }

    [Fact]
    public async Task AsyncBatchHandler_KeepsItsMessagesAcrossAnAwait()
    {
        List<int> seen = [];
        await using Mailbox<int> mailbox = Mailbox.StartBatches<int>(async (messages, _) =>
        {
            await Task.Yield();
            seen.AddRange(messages.Span);
        });

        await PostAll(mailbox);

        Assert.Equal(Expected, seen);
    }

    [Fact]
    public async Task OnStart_Throws_MailboxFaultsAndIsNotStopped()
    {
        var handler = new Numbers { Fails = true };
        await using Mailbox<int> mailbox = Mailbox.Start(handler);

        MailboxFaultedException fault = await Assert.ThrowsAsync<MailboxFaultedException>(() => mailbox.Completion.OrHang());

        Assert.IsType<InvalidTimeZoneException>(fault.InnerException);
        Assert.Equal(0, handler.Stopped);
        Assert.Throws<MailboxFaultedException>(() => mailbox.Post(1));
    }

    [Fact]
    public void Start_BadInput_SaysRuleValueAndRemedy()
    {
        Assert.Throws<ArgumentNullException>(() => Mailbox.Start((Action<int>)null!));
        Refused<ArgumentOutOfRangeException>(new() { Bound = 0 }, "bound=0");
        Refused<ArgumentOutOfRangeException>(new() { Bound = -5 }, "bound=-5");
        Refused<ArgumentOutOfRangeException>(new() { MaxBatch = 0 }, "maxBatch=0");
        Refused<ArgumentOutOfRangeException>(new() { DrainTimeout = TimeSpan.FromSeconds(-2) }, "DrainTimeout");
        Refused<ArgumentException>(new() { OnFault = FaultPolicy.Detach }, "Detach");
        Refused<ArgumentException>(new() { OnFault = FaultPolicy.Retry(1, default, FaultPolicy.Detach) }, "Detach");
        Refused<ArgumentException>(
            new() { OnFault = FaultPolicy.DeadLetter((ref string _, in FaultContext _) => { }) }, "Int32");
        Assert.Throws<ArgumentOutOfRangeException>(() => Wait.Async(TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => Wait.Async(TimeSpan.FromSeconds(2)));

        static void Refused<TException>(MailboxOptions<int> options, string says)
            where TException : ArgumentException =>
            Assert.Contains(says, Assert.Throws<TException>(() => Mailbox.Start<int>(_ => { }, options)).Message, StringComparison.Ordinal);
    }

    private static IEnumerable<int> Expected => Enumerable.Range(0, Count);

    private static async Task PostAll(Mailbox<int> mailbox)
    {
        for (int i = 0; i < Count; i++) mailbox.Post(i);
        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        Assert.Equal(RingState.Stopped, mailbox.State);
        await mailbox.Completion;
    }

    private sealed class Numbers : IEventHandler<int>, IStageLifetime
    {
        public List<int> Seen { get; } = [];

        public int Started { get; private set; }

        public int Stopped { get; private set; }

        public bool Fails { get; init; }

        public bool SequencesRight { get; private set; } = true;

        public void OnStart()
        {
            Started++;
            if (Fails) throw new InvalidTimeZoneException();
        }

        public void OnStop() => Stopped++;

        public void OnEvent(ref int item, long sequence, bool endOfBatch)
        {
            SequencesRight &= sequence == Seen.Count && Started == 1 && Stopped == 0;
            Seen.Add(item);
        }
    }

    private sealed class Batches : IBatchHandler<int>
    {
        public List<int> Seen { get; } = [];

        public int Largest { get; private set; }

        public void OnBatch(Batch<int> batch)
        {
            Largest = Math.Max(Largest, batch.Count);
            foreach (ref int item in batch) Seen.Add(item);
        }
    }
}
