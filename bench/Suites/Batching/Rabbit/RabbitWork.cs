using Raceway.Suites.Batching.Network;
using RabbitMQ.Client;

namespace Raceway.Suites.Batching.Rabbit;

/// <summary>Publishes the messages of a call as one message of the broker to a quorum queue, and reads them back from there.</summary>
/// <remarks>
/// With a window of 1, a call returns when the broker has confirmed what it published. With more, up to so many calls are
/// under way, as a program without batches would have it; the round lasts until all are confirmed and have come back.
/// </remarks>
internal sealed class RabbitWork : IBatchWork
{
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(30);
    private static readonly BasicProperties s_properties = new() { DeliveryMode = DeliveryModes.Persistent };

    private readonly string _queue = $"raceway.bench.{Guid.NewGuid():n}";
    private readonly IConnection _sending;
    private readonly IConnection _receiving;
    private readonly IChannel _channel;
    private readonly RabbitReader _reader;

    // A place for each call that may be under way: what it published must stay as it is until it is confirmed.
    private readonly byte[][] _bodies;
    private readonly Task[] _confirms;
    private long _calls;
    private long _jobs;

    public RabbitWork(int window)
    {
        _bodies = [.. Enumerable.Range(0, window).Select(static _ => Array.Empty<byte>())];
        _confirms = [.. Enumerable.Range(0, window).Select(static _ => Task.CompletedTask)];
        _sending = Wait(RabbitNode.ConnectAsync());
        _receiving = Wait(RabbitNode.ConnectAsync());
        _channel = Wait(_sending.CreateChannelAsync(new CreateChannelOptions(
            publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true, outstandingPublisherConfirmationsRateLimiter: null)));
        Wait(_channel.QueueDeclareAsync(
            _queue, durable: true, exclusive: false, autoDelete: false,
            // A run that is killed leaves no queue behind.
            new Dictionary<string, object?> { ["x-queue-type"] = "quorum", ["x-expires"] = (int)TimeSpan.FromMinutes(10).TotalMilliseconds }));
        _reader = Wait(RabbitReader.StartAsync(_receiving, _queue));
    }

    public void Begin()
    {
        _calls = 0;
        _jobs = 0;
        _reader.Begin();
    }

    public void Do(ReadOnlySpan<Job> jobs)
    {
        int place = (int)(_calls++ % _confirms.Length);
        Wait(_confirms[place]);
        int length = FrameWriter.Write(jobs, ref _bodies[place]);
        _confirms[place] = _channel.BasicPublishAsync("", _queue, mandatory: true, s_properties, _bodies[place].AsMemory(0, length)).AsTask();
        if (_confirms.Length == 1) Wait(_confirms[place]);
        _jobs += jobs.Length;
    }

    public void Complete()
    {
        foreach (Task confirm in _confirms) Wait(confirm);
        _reader.Await(_jobs, s_longest);
    }

    public bool Verify(long jobs) => _reader.IsAll(jobs);

    public void Dispose()
    {
        RabbitNode.DeleteAsync(DeleteAsync).GetAwaiter().GetResult();
        _sending.Dispose();
        _receiving.Dispose();
    }

    private static void Wait(Task task) => task.WaitAsync(s_longest).GetAwaiter().GetResult();

    private static T Wait<T>(Task<T> task) => task.WaitAsync(s_longest).GetAwaiter().GetResult();

    // By the connection that is not in the middle of a call, if a round has failed.
    private async Task DeleteAsync(CancellationToken limit)
    {
        await using IChannel last = await _receiving.CreateChannelAsync(null, limit).ConfigureAwait(false);
        await last.QueueDeleteAsync(_queue, false, false, false, limit).ConfigureAwait(false);
    }
}
