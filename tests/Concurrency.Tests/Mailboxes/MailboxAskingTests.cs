using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>Request and reply: one answer, and an end to the waiting where there is none.</summary>
public sealed class MailboxAskingTests
{
    private static readonly TimeSpan s_long = TimeSpan.FromMinutes(2);

    private readonly record struct Question(int Number, Reply<int> Reply);

    [Theory]
    [MemberData(nameof(Drivers.Bounds), MemberType = typeof(Drivers))]
    public async Task AskAsync_ManyAtOnce_EachGetsItsOwnAnswer(string driver, int? bound)
    {
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(
            static question => question.Reply.TrySet(question.Number * 2), new() { Bound = bound, Wait = Drivers.Named(driver) });

        await Task.WhenAll(Enumerable.Range(0, 4).Select(asker => Task.Run(async () =>
        {
            for (int i = 0; i < 100; i++)
            {
                int number = (asker * 1000) + i;
                Assert.Equal(number * 2, await Ask(mailbox, number));
            }
        }))).OrHang();
    }

    [Fact]
    public async Task Reply_Later_ByAnotherThreadAndOnlyOnce()
    {
        Reply<int> kept = default;
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(question => kept = question.Reply);
        Task<int> answer = Ask(mailbox, 1).AsTask();
        Watchdog.Until(() => mailbox.Count == 0, "the question");

        Assert.True(kept.IsAwaited);
        Assert.True(kept.TrySet(7));
        Assert.False(kept.TrySet(8));
        Assert.False(kept.TryFail(new InvalidOperationException()));
        Assert.Equal(7, await answer.OrHang());
        Assert.False(kept.IsAwaited);
        Assert.False(default(Reply<int>).TrySet(1));
    }

    [Fact]
    public async Task Reply_Fails_TheAskerIsThrownIt()
    {
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(
            static question => question.Reply.TryFail(new InvalidTimeZoneException()));

        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => Ask(mailbox, 1).AsTask().OrHang());
    }

    [Fact]
    public async Task HandlerThrows_Skip_ThatAskerIsToldAndOthersAreNot()
    {
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(
            static question =>
            {
                if (question.Number == 1) throw new InvalidTimeZoneException();
                question.Reply.TrySet(question.Number);
            },
            new() { OnFault = FaultPolicy.Skip });

        Task<int>[] answers = [.. Enumerable.Range(0, 3).Select(number => Ask(mailbox, number).AsTask())];

        Assert.Equal(0, await answers[0].OrHang());
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => answers[1].OrHang());
        Assert.Equal(2, await answers[2].OrHang());
    }

    [Fact]
    public async Task HandlerThrows_Stop_EveryAskerIsTold()
    {
        using var held = new Drivers.Held();
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(_ =>
        {
            held.Hold();
            throw new InvalidTimeZoneException();
        });
        Task<int>[] answers = [.. Enumerable.Range(0, 3).Select(number => Ask(mailbox, number).AsTask())];
        held.LetGo();

        foreach (Task<int> answer in answers)
        {
            Exception fault = await Assert.ThrowsAsync<MailboxFaultedException>(() => answer.OrHang());
            Assert.IsType<InvalidTimeZoneException>(fault.InnerException);
        }

        await Assert.ThrowsAsync<MailboxFaultedException>(() => Ask(mailbox, 1).AsTask().OrHang());
    }

    [Fact]
    public async Task MailboxEnds_Unanswered_EveryAskerIsTold()
    {
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(static _ => { });
        Task<int> answer = Ask(mailbox, 1).AsTask();

        await mailbox.DrainAsync(s_long);

        await Assert.ThrowsAsync<MailboxStoppedException>(() => answer.OrHang());
        await Assert.ThrowsAsync<MailboxStoppedException>(() => Ask(mailbox, 1).AsTask().OrHang());
    }

    [Fact]
    public async Task Timeout_HandlerNeverAnswers_IsToldAndALateAnswerReachesNobody()
    {
        List<Reply<int>> kept = [];
        var time = new WatchedTime();
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(question => kept.Add(question.Reply), new() { Time = time });

        for (int i = 0; i < 3; i++)
        {
            Task<int> answer = mailbox.AskAsync<int, int>(i, static (n, reply) => new(n, reply), TimeSpan.FromHours(1)).AsTask();
            time.Advance(TimeSpan.FromHours(1));
            TimeoutException fault = await Assert.ThrowsAsync<TimeoutException>(() => answer.OrHang());
            Assert.Contains("mailbox='mailbox'", fault.Message, StringComparison.Ordinal);
        }

        Watchdog.Until(() => mailbox.Count == 0, "the questions");
        Assert.All(kept, static reply => Assert.False(reply.TrySet(1)));
    }

    [Fact]
    public async Task Cancelled_BeforeAndAfterPosting_EndsTheWait()
    {
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(static _ => { });
        using var cancel = new CancellationTokenSource();
        Task<int> answer = mailbox.AskAsync<int>(static reply => new Question(1, reply), cancel.Token).AsTask();

        cancel.Cancel();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => answer.OrHang());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => mailbox.AskAsync<int>(static reply => new Question(1, reply), cancel.Token).AsTask());
        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        Assert.Equal(1, mailbox.GetStatistics().Items);
    }

    [Fact]
    public async Task Full_AskWaitsForRoom_AndIsGivenUpByItsToken()
    {
        using var held = new Drivers.Held();
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(
            question =>
            {
                held.Hold();
                question.Reply.TrySet(question.Number);
            },
            new() { Bound = 1 });
        mailbox.Post(new Question(0, default));
        held.AwaitEntered();
        using var cancel = new CancellationTokenSource();
        Task<int> given = mailbox.AskAsync<int>(static reply => new Question(1, reply), cancel.Token).AsTask();
        Task<int> answer = Ask(mailbox, 2).AsTask();

        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => given.OrHang());
        Assert.False(answer.IsCompleted);
        held.LetGo();
        Assert.Equal(2, await answer.OrHang());
        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        Assert.Equal(2, mailbox.GetStatistics().Items);
    }

    [Fact]
    public async Task AskAsync_ByOwnHandler_IsRefusedAtOnce()
    {
        Mailbox<Question>? own = null;
        Exception? refused = null;
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(async (question, _) =>
        {
            await Task.Yield();
            refused = await Record.ExceptionAsync(() => Ask(own!, 2).AsTask());
            question.Reply.TrySet(1);
        });
        own = mailbox;

        Assert.Equal(1, await Ask(mailbox, 1).AsTask().OrHang());
        Assert.IsType<ReentrantMailboxException>(refused);
    }

    [Fact]
    public async Task Create_Throws_IsTheCallersAndNothingIsPosted()
    {
        await using Mailbox<Question> mailbox = Mailbox.Start<Question>(static _ => { });

        Assert.Throws<InvalidTimeZoneException>(
            () => { _ = mailbox.AskAsync<int>(static _ => throw new InvalidTimeZoneException()).AsTask(); });

        Assert.Equal(DrainStatus.Drained, await mailbox.DrainAsync(s_long));
        Assert.Equal(0, mailbox.GetStatistics().Items);
        Assert.Throws<ArgumentOutOfRangeException>(
            () => { _ = mailbox.AskAsync<int, int>(1, static (n, reply) => new(n, reply), TimeSpan.Zero).AsTask(); });
    }

    private static ValueTask<int> Ask(Mailbox<Question> mailbox, int number) =>
        mailbox.AskAsync<int, int>(number, static (n, reply) => new Question(n, reply), Timeout.InfiniteTimeSpan);
}
