using Raceway.Interop;
using Raceway.Pipelines;

// Payments of many accounts: those of one account one after another, different accounts beside each other, on four lanes.
const int Payments = 100_000;
const int Accounts = 500;
var balances = new Account[Accounts];

await using Pipeline<Payment> pipeline = Pipeline.Of<Payment>(capacity: 1024)
    .Lanes("book", lanes: 4, static (ref readonly Payment payment) => payment.Account, (ref Payment payment) => Book(ref payment))
    .Poller("booked")
    .Run();

// In from any asynchronous sequence, out as one: the sequence is held back where the lanes are slower, and nothing is lost.
Task source = PaymentsAsync().PumpInto(pipeline);
long booked = 0;
long refused = 0;
bool inOrder = true;
await foreach (Payment payment in pipeline.GetPoller<Payment>("booked").AsAsyncEnumerable())
{
    inOrder &= payment.Number == booked++;
    if (payment.Refused) refused++;
}

await source;
Console.WriteLine($"booked {booked} payments of {Accounts} accounts, {refused} refused, read in order {inOrder}");
Console.WriteLine($"each account in its order: {balances.All(account => account.InOrder)}");
Console.WriteLine($"balance of account 7: {balances[7].Balance}; of all: {balances.Sum(account => account.Balance)}");
KeyedLanes lanes = pipeline.GetLanes("book");
Console.WriteLine($"the lanes {string.Join(", ", lanes.Lanes.Select(lane => lane.Name))} have passed all: "
    + $"{lanes.Lanes.All(lane => lane.Position == Payments - 1)}");

// On the lane of its account: no lock, as nobody else books that account meanwhile.
void Book(ref Payment payment)
{
    ref Account account = ref balances[payment.Account];
    account.InOrder = (account.Payments == 0 || account.InOrder) && payment.OfAccount == account.Payments++;
    payment.Refused = account.Balance + payment.Amount < 0;
    if (!payment.Refused) account.Balance += payment.Amount;
}

static async IAsyncEnumerable<Payment> PaymentsAsync()
{
    for (int number = 0; number < Payments; number++)
    {
        if (number % 1000 == 0) await Task.Yield();
        yield return new Payment
        {
            Number = number, Account = number % Accounts, OfAccount = number / Accounts, Amount = number % 7 * 10 - 25,
        };
    }
}

/// <summary>What travels.</summary>
internal struct Payment
{
    public int Number;
    public int Account;
    public int OfAccount;
    public int Amount;
    public bool Refused;
}

/// <summary>What one lane alone writes.</summary>
internal struct Account
{
    public long Balance;
    public int Payments;
    public bool InOrder;
}
