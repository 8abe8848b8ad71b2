using System.Diagnostics;
using Raceway.Suites.Batching.Network;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Raceway.Suites.Batching.Rabbit;

/// <summary>Reads a queue, checks what comes, and acknowledges it a hundred at a time.</summary>
internal sealed class RabbitReader
{
    private const int Window = 500;
    private const int PerAcknowledgement = 100;

    private readonly object _gate = new();
    private readonly IChannel _channel;
    private Arrivals _arrivals;
    private Exception? _failure;

    private RabbitReader(IChannel channel) => _channel = channel;

    /// <summary>Starts to read.</summary>
    public static async Task<RabbitReader> StartAsync(IConnection connection, string queue)
    {
        IChannel channel = await connection.CreateChannelAsync().ConfigureAwait(false);
        await channel.BasicQosAsync(0, Window, global: false).ConfigureAwait(false);
        var reader = new RabbitReader(channel);
        var consumer = new AsyncEventingBasicConsumer(channel);
        consumer.ReceivedAsync += (_, delivery) => reader.TakeAsync(delivery);
        consumer.ShutdownAsync += (_, shutdown) =>
        {
            reader.Fail(new IOException($"The broker has closed the connection: {shutdown.ReplyText}."));
            return Task.CompletedTask;
        };
        await channel.BasicConsumeAsync(queue, autoAck: false, consumer).ConfigureAwait(false);
        return reader;
    }

    /// <summary>Begins a round.</summary>
    public void Begin()
    {
        lock (_gate) _arrivals = default;
    }

    /// <summary>Waits until so many messages have come.</summary>
    /// <exception cref="TimeoutException">They have not within <paramref name="longest"/>.</exception>
    public void Await(long jobs, TimeSpan longest)
    {
        long until = Stopwatch.GetTimestamp() + (long)(longest.TotalSeconds * Stopwatch.Frequency);
        lock (_gate)
        {
            while (_arrivals.Count < jobs)
            {
                if (_failure is { } failure) throw new IOException("The queue cannot be read.", failure);
                TimeSpan left = Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), until);
                if (left <= TimeSpan.Zero || !Monitor.Wait(_gate, left))
                    throw new TimeoutException($"All messages must come back within {longest.TotalSeconds} s: {_arrivals.Count} of {jobs} have.");
            }
        }
    }

    /// <summary>Whether what came is the first messages of the corpus, unchanged and in order.</summary>
    public bool IsAll(long jobs)
    {
        lock (_gate) return _arrivals.IsAll(jobs);
    }

    private async Task TakeAsync(BasicDeliverEventArgs delivery)
    {
        Take(delivery.Body.Span);
        if (delivery.DeliveryTag % PerAcknowledgement == 0)
            await _channel.BasicAckAsync(delivery.DeliveryTag, multiple: true).ConfigureAwait(false);
    }

    private void Take(ReadOnlySpan<byte> body)
    {
        try
        {
            lock (_gate)
            {
                if (_arrivals.Take(body, out _) != body.Length) throw new InvalidDataException("A message is cut off.");
                Monitor.PulseAll(_gate);
            }
        }
        catch (InvalidDataException failure)
        {
            Fail(failure);
        }
    }

    private void Fail(Exception failure)
    {
        lock (_gate)
        {
            _failure ??= failure;
            Monitor.PulseAll(_gate);
        }
    }
}
