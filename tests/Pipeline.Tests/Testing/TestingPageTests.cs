using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>The code of docs/testing.md, as it stands there (PageCodeTests).</summary>
public sealed class TestingPageTests
{
    public record struct Payment(int Customer, decimal Amount);

    public interface IAccounts
    {
        void Add(IReadOnlyList<Payment> payments);
    }

    public sealed class Booking(IAccounts accounts) : IBatchHandler<Payment>
    {
        public decimal Total { get; private set; }

        public void OnBatch(Batch<Payment> batch)
        {
            accounts.Add(batch.ToArray());
            foreach (ref Payment payment in batch) Total += payment.Amount;
        }
    }

    public sealed class FakeAccounts(FaultPoints? faults = null) : IAccounts
    {
        public List<Payment> Booked { get; } = [];

        public void Add(IReadOnlyList<Payment> payments)
        {
            faults?.Visit("accounts");
            Booked.AddRange(payments);
        }
    }

    [Fact]
    public void Booking_ABatch_IsBookedAsAWhole()
    {
        var accounts = new FakeAccounts();
        var booking = new Booking(accounts);

        HandedBatch<Payment> handed = TestBatch.Of(s_payments).WrappedAfter(2).GiveTo(booking);

        Assert.Equal(s_payments.Length, handed.Done);
        Assert.Equal(s_payments, accounts.Booked);
    }

    private static readonly Payment[] s_payments =
    [
        .. Enumerable.Range(1, 10).Select(static n => new Payment(n % 3, n)),
    ];

    [Fact]
    public void Booking_AnyDispatch_BooksTheSame() =>
        DispatchInvariance.Check(s_payments, static () => new Booking(new FakeAccounts()), static booking => booking.Total);

    [Fact]
    public void Booking_AccountsFail_BooksTheSame() =>
        DispatchInvariance.Check(s_payments, static trial =>
        {
            var accounts = new FakeAccounts(trial.Faults);
            var booking = new Booking(accounts);
            trial.Pipeline.Stage("book", booking);
            return (accounts, booking);
        }, static run => (run.accounts.Booked, run.booking.Total));

    public static PipelineBuilder<Payment, Payment> Define(IAccounts accounts) =>
        Pipeline.Of<Payment>(64)
            .Stage("check", static (ref Payment payment) => ArgumentOutOfRangeException.ThrowIfNegative(payment.Amount))
            .Stage("book", new Booking(accounts), new StageOptions
            {
                Dispatch = Dispatch.Batch(min: 4, maxAge: TimeSpan.FromSeconds(30)),
                OnFault = FaultPolicy.Retry(3, backoff: TimeSpan.FromMinutes(1)),
            });

    [Fact]
    public void Pipeline_OnePayment_IsBookedAfterHalfAMinute()
    {
        var accounts = new FakeAccounts();
        using PipelineHarness<Payment> harness = PipelineHarness.Run(Define(accounts));

        harness.Source.Send(s_payments[0]);
        harness.Advance(TimeSpan.FromSeconds(29));
        Assert.Empty(accounts.Booked);

        harness.Advance(TimeSpan.FromSeconds(1));
        Assert.Single(accounts.Booked);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Pipeline_AccountsAreDown_TriesAgainAfterAMinute(int seed)
    {
        var faults = new FaultPoints();
        var accounts = new FakeAccounts(faults);
        var options = new HarnessOptions<Payment> { Seed = seed, StallChance = 0.2 };
        using PipelineHarness<Payment> harness = PipelineHarness.Run(Define(accounts), options);

        faults.FailNext("accounts", times: 2);
        harness.Source.Send(s_payments);
        harness.Finish();

        Assert.Equal(s_payments, accounts.Booked);
        Assert.Equal(2, faults.Thrown);
    }

    [Fact]
    public void Pipeline_ReaderIsSlow_HoldsProducersBack()
    {
        using PipelineHarness<Payment> harness = PipelineHarness.Run(Define(new FakeAccounts()).Poller("booked"));
        SinkProbe<Payment> sink = harness.Sink<Payment>("booked");

        for (int i = 0; i < 64; i++) harness.Source.Send(s_payments[i % 10]);
        harness.Settle();
        Assert.Equal(ClaimStatus.Full, harness.Source.TrySend(s_payments[0]));

        sink.Expect(s_payments[0], s_payments[1]);
        Assert.Equal(ClaimStatus.Done, harness.Source.TrySend(s_payments[0]));
    }

    public sealed class Quote
    {
        public string Symbol { get; set; } = "";

        public decimal Price { get; set; }
    }

    public sealed class Latest : IEventHandler<Quote>
    {
        public Dictionary<string, decimal> Prices { get; } = [];

        public void OnEvent(ref Quote item, long sequence, bool endOfBatch) => Prices[item.Symbol] = item.Price;
    }

    [Fact]
    public void Latest_ManyQuotes_KeepsNoSlot()
    {
        var latest = new Latest();
        using PipelineHarness<Quote> harness = PipelineHarness.Run(
            Pipeline.Of<Quote>(8).Configure(ring => ring with { CreateSlot = () => new Quote() }).Stage("latest", latest));

        for (int i = 1; i <= 100; i++)
            harness.Source.Send(i, static (ref Quote quote, int n) => (quote.Symbol, quote.Price) = ($"S{n % 3}", n));
        harness.Finish();

        Assert.Equal(100, latest.Prices["S1"]);
    }
}
