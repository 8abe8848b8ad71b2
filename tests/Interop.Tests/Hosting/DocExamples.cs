using System.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>The code of docs/hosting.md and of the host's recipe: compiled here, and run.</summary>
public sealed class DocExamples
{
    [Fact]
    public async Task Adding_Run_HandlesWhatAServicePublishes()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddSingleton<OrderBook>();

        builder.Services
            .AddPipeline<Order>("orders", static (pipeline, handlers) => pipeline
                .MultiProducer()
                .Stage("check", static (ref Order order) => order.IsValid = order.Quantity > 0)
                .Stage("store", handlers.Get<StoreOrders>(), Dispatch.Batch(max: 256)))
            .Configure(static options => options.Capacity = 1 << 14);
        builder.Services.AddHealthChecks().AddPipeline("orders");
        builder.Services.AddHostedService<Import>();

        using IHost host = builder.Build();
        await host.StartAsync();
        await host.StopAsync();

        ShutdownReport report = host.Services.GetRequiredKeyedService<HostedPipeline>("orders").Shutdown!;
        Console.WriteLine(report);    // Drained: 0 left

        Assert.Equal("Drained: 0 left", report.ToString());
        Assert.Equal(4_950, host.Services.GetRequiredService<OrderBook>().Quantity);
    }

    [Fact]
    public async Task Shutdown_WithItsOwnTimeouts_HandlesWhatIsThere()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddSingleton<OrderBook>();
        builder.Services
            .AddPipeline<Order>("orders", static (pipeline, handlers) => pipeline
                .MultiProducer()
                .Stage("store", handlers.Get<StoreOrders>(), Dispatch.Batch(max: 256)))
            .Configure(static options => options.DrainTimeout = TimeSpan.FromSeconds(20));
        builder.Services.Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromSeconds(25));

        using IHost host = builder.Build();
        await host.StartAsync();
        host.Services.GetRequiredKeyedService<Publisher<Order>>("orders").Publish(new Order { Quantity = 3, IsValid = true });
        await host.StopAsync();

        Assert.Equal(3, host.Services.GetRequiredService<OrderBook>().Quantity);
    }

    [Fact]
    public async Task Tracing_Run_IsTheStageItselfWhereNobodyListens()
    {
        var book = new OrderBook();
        await using Pipeline<Order> pipeline = Pipeline.Of<Order>(64)
            .Stage("store", new StoreOrders(book).Traced("store", static (ref Order order) => order.PublishedBy))
            .Run();
        SingleProducer<Order> orders = pipeline.CreateProducer();

        orders.Publish(new Order { Quantity = 3, IsValid = true, PublishedBy = Activity.Current?.Context ?? default });

        await pipeline.DrainAsync(TimeSpan.FromSeconds(30)).OrHang();
        Assert.Equal(3, book.Quantity);
    }

    private struct Order
    {
        public int Quantity;
        public bool IsValid;
        public ActivityContext PublishedBy;
    }

    private sealed class OrderBook
    {
        public long Quantity { get; set; }
    }

    private sealed class StoreOrders(OrderBook book) : IBatchHandler<Order>
    {
        public void OnBatch(Batch<Order> batch)
        {
            foreach (ref Order order in batch)
                if (order.IsValid) book.Quantity += order.Quantity;
        }
    }

    private sealed class Import([FromKeyedServices("orders")] Publisher<Order> orders) : IHostedService
    {
        public async Task StartAsync(CancellationToken cancellationToken)
        {
            for (int quantity = 0; quantity < 100; quantity++)
                await orders.PublishAsync(new Order { Quantity = quantity }, cancellationToken);
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
