// What the examples of the documentation take for granted: a shop, its items, and what a method around them would have at hand.
global using System;
global using System.Buffers;
global using System.Buffers.Binary;
global using System.Collections.Generic;
global using System.Diagnostics;
global using System.IO;
global using System.IO.Pipelines;
global using System.Linq;
global using System.Numerics;
global using System.Text;
global using System.Threading;
global using System.Threading.Channels;
global using System.Threading.Tasks;
global using System.Threading.Tasks.Dataflow;
global using Microsoft.Extensions.DependencyInjection;
global using Microsoft.Extensions.Diagnostics.HealthChecks;
global using Microsoft.Extensions.Hosting;
global using Microsoft.Extensions.Logging;
global using Microsoft.Extensions.Logging.Abstractions;
global using Raceway.Concurrency;
global using Raceway.Interop;
global using Raceway.Interop.Distributed;
global using Raceway.Interop.Hosting;
global using Raceway.Interop.Journal;
global using Raceway.Interop.Logging;
global using Raceway.Interop.RabbitMq;
global using Raceway.Pipelines;
global using Raceway.Rings;
global using Raceway.Testing;
global using Serilog;
global using Xunit;
global using Shop;
global using static Shop.Given;

namespace Shop;

public struct Order
{
    public long Id;
    public long Customer;
    public int Pieces;
    public decimal Price;
    public bool IsValid;
}

public struct Message
{
    public int Id;
    public Payload Body;
    public ActivityContext Context;
}

public sealed class Quote
{
    public string Symbol = "";
    public decimal Price;
}

public sealed record Payment(long Id, decimal Amount);

public sealed record Page(string Text);

public class Accounts
{
    public void Book(Order order)
    {
    }

    public ValueTask BookAsync(Order order, CancellationToken cancellation = default) => default;

    public ValueTask<bool> IsOpenAsync(CancellationToken cancellation = default) => new(true);

    public void SaveAll(Batch<Order> orders)
    {
    }

    public ValueTask SaveAllAsync(Order[] orders, CancellationToken cancellation = default) => default;

    public bool TrySave(Order order) => true;

    public decimal BalanceOf(long customer) => 0;
}

public sealed class FakeAccounts(FaultPoints? faults = null) : Accounts
{
    public FaultPoints? Faults { get; } = faults;

    public List<Payment> Booked { get; } = [];
}

public sealed class Booking(FakeAccounts accounts) : IBatchHandler<Payment>
{
    public decimal Total { get; private set; }

    public void OnBatch(Batch<Payment> batch)
    {
        foreach (Payment payment in batch) Total += payment.Amount;
        accounts.Booked.AddRange(batch.ToArray());
    }
}

public sealed class Ledger
{
    public decimal Add(decimal amount) => amount;
}

public static class Given
{
    public static FakeAccounts accounts = new();
    public static Ledger ledger = new();
    public static decimal amount = 1;
    public static CancellationToken cancellation;
    public static string url = "";
    public static long customer = 1;
    public static string password = "";
    public static Order order;
    public static IReadOnlyList<Order> orders = [];
    public static Payment payment = new(1, 1);
    public static IReadOnlyList<Payment> payments = [payment];
    public static long rejected;
    public static ReadOnlyMemory<byte> body;
    public static byte[] key = [], oldKey = [];

    public static IBatchHandler<long> handler = null!;
    public static IBatchHandler<Order> write = null!;
    public static IBatchHandler<Message> save = null!;
    public static RingBuffer<Order> ring = null!;
    public static SingleProducer<Order> producer = null!;
    public static PipelineBuilder<Order, Order> definition = null!;
    public static Pipeline<Order> pipeline = null!;
    public static SplitPipeline<Order> split = null!;
    public static ILinkTransport transport = null!;
    public static Journal<Order> journal = null!;
    public static IObservable<Order> source = null!;
    public static IAsyncEnumerable<Order> rows = null!;
    public static Stream stream = Stream.Null;
    public static IHostApplicationBuilder builder = null!;
    public static IServiceProvider services = null!;

    public static PipelineBuilder<Payment, Payment> Define(FakeAccounts accounts) =>
        Pipeline.Of<Payment>(64).Stage("book", new Booking(accounts));

    public static ValueTask<Page> Download(string url, CancellationToken cancellation) => new(new Page(url));

    public static Task<Order> LoadOrderAsync(long id, CancellationToken cancellation) => Task.FromResult(order);

    public static decimal Discount(long customer, CancellationToken cancellation) => 0;
}
