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

    public static async Task<(double Seconds, bool IsRight)> RunAsync(string node, long items)
    {
        string[] parts = node.Split(':');
        var factory = new ConnectionFactory { HostName = parts[0], Port = int.Parse(parts[1], null) };
        await using IConnection sending = await factory.CreateConnectionAsync();
        await using IConnection receiving = await factory.CreateConnectionAsync();
        string queue = $"bench.single.{Guid.NewGuid():n}";
        await using IChannel channel = await sending.CreateChannelAsync(new CreateChannelOptions(true, false, null));
        await channel.QueueDeclareAsync(
            queue, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum" });
        var arrivals = new Arrivals(items);
        await using IChannel incoming = await receiving.CreateChannelAsync();
        await ConsumeAsync(incoming, queue, items, arrivals);

        long begun = Stopwatch.GetTimestamp();
        using var window = new SemaphoreSlim(Window);
        ulong confirmed = 0;
        channel.BasicAcksAsync += (_, ack) =>
        {
            // A queue confirms in order, many at a time.
            window.Release((int)(ack.DeliveryTag - confirmed));
            confirmed = ack.DeliveryTag;
            return Task.CompletedTask;
        };
        var properties = new BasicProperties { DeliveryMode = DeliveryModes.Persistent };
        for (long number = 0; number < items; number++)
        {
            await window.WaitAsync();
            Item item = Item.At(number);
            await channel.BasicPublishAsync("", queue, true, properties, MemoryMarshal.AsBytes(new ReadOnlySpan<Item>(in item)).ToArray());
        }

        await arrivals.Done.Task;
        double seconds = Stopwatch.GetElapsedTime(begun).TotalSeconds;
        await channel.QueueDeleteAsync(queue);
        return (seconds, arrivals.IsRight);
    }

    private static async Task ConsumeAsync(IChannel channel, string queue, long items, Arrivals arrivals)
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
