using System.Diagnostics;
using System.Runtime.InteropServices;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Raceway.RabbitBench;

/// <summary>
/// One item a message, by the client alone, as it is written without a library: a quorum queue, confirms with a window of 500
/// messages, acknowledgements 100 at a time.
/// </summary>
internal static class SingleRun
{
    private const int Window = 500;

    public static async Task<(double Seconds, bool IsRight)> RunAsync(string node, int items, CancellationToken cancellation)
    {
        int colon = node.LastIndexOf(':');
        var factory = new ConnectionFactory { HostName = node[..colon], Port = int.Parse(node.AsSpan(colon + 1), null) };
        await using IConnection sending = await factory.CreateConnectionAsync(cancellation);
        await using IConnection receiving = await factory.CreateConnectionAsync(cancellation);
        string queue = $"bench.single.{Guid.NewGuid():n}";
        await using IChannel channel =
            await sending.CreateChannelAsync(new CreateChannelOptions(true, false, null), cancellation);
        await channel.QueueDeclareAsync(
            queue, durable: true, exclusive: false, autoDelete: false,
            new Dictionary<string, object?> { ["x-queue-type"] = "quorum" }, cancellationToken: cancellation);
        try
        {
            var arrivals = new Arrivals(items);
            await using IChannel incoming = await receiving.CreateChannelAsync(null, cancellation);
            await ConsumeAsync(incoming, queue, items, arrivals);
            long begun = Stopwatch.GetTimestamp();
            await SendAsync(channel, queue, items, arrivals, cancellation);
            return (Stopwatch.GetElapsedTime(begun).TotalSeconds, arrivals.IsRight);
        }
        finally
        {
            await Cleanup.DeleteAsync($"queue {queue}", async limit =>
            {
                await using IChannel last = await receiving.CreateChannelAsync(null, limit);
                await last.QueueDeleteAsync(queue, false, false, false, limit);
            });
        }
    }

    private static async Task SendAsync(
        IChannel channel, string queue, int items, Arrivals arrivals, CancellationToken cancellation)
    {
        var window = new SemaphoreSlim(Window);
        var confirms = new Confirms();
        channel.BasicAcksAsync += (_, ack) =>
        {
            if (confirms.Add(ack.DeliveryTag, ack.Multiple) is > 0 and int count) window.Release(count);
            return Task.CompletedTask;
        };
        // There is nobody here to send again: without an item the run would wait for ever.
        channel.BasicNacksAsync += (_, _) => Fail("The broker has refused an item.");
        channel.ChannelShutdownAsync += (_, shutdown) => Fail($"The connection was lost: {shutdown.ReplyText}.");
        Task done = arrivals.Done.Task;
        var properties = new BasicProperties { DeliveryMode = DeliveryModes.Persistent };
        for (int number = 0; number < items; number++)
        {
            while (!await window.WaitAsync(TimeSpan.FromSeconds(1), cancellation))
                if (done.IsFaulted) await done;
            Item item = Item.At(number);
            await channel.BasicPublishAsync(
                "", queue, true, properties, MemoryMarshal.AsBytes(new ReadOnlySpan<Item>(in item)).ToArray(), cancellation);
        }

        await done.WaitAsync(cancellation);

        Task Fail(string reason)
        {
            arrivals.Done.TrySetException(new IOException(reason));
            return Task.CompletedTask;
        }
    }

    private static async Task ConsumeAsync(IChannel channel, string queue, int items, Arrivals arrivals)
    {
        await channel.BasicQosAsync(0, Window, false);
        var consumer = new AsyncEventingBasicConsumer(channel);
        long got = 0;
        consumer.ReceivedAsync += async (_, delivery) =>
        {
            arrivals.Add(MemoryMarshal.Read<Item>(delivery.Body.Span));
            if (++got % 100 == 0 || got == items) await channel.BasicAckAsync(delivery.DeliveryTag, multiple: true);
        };
        await channel.BasicConsumeAsync(queue, autoAck: false, consumer);
    }
}
