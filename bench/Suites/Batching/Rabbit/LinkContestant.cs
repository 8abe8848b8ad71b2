using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.Batching.Rabbit;

/// <summary>The same lines over a link of ours: from one ring into frames, through four queues, and into another ring.</summary>
/// <param name="name">The name in the rows.</param>
internal sealed class LinkContestant(string name) : IContestant, IDisposable
{
    private const int Capacity = 16_384;
    private const int Partitions = 4;

    private readonly LinkItems _arrived = new();
    private LinkAddress? _link;
    private RabbitMqTransport? _transport;
    private LinkSource<LinkItem>? _source;
    private LinkSender<LinkItem>? _sender;
    private Pipeline<LinkItem>? _receiving;
    private Pipeline<LinkItem>? _sending;
    private SingleProducer<LinkItem>? _producer;
    private long _published;

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public int BusyThreads => 4;

    /// <inheritdoc/>
    public string Note => $"{Partitions} queues, order by key, each line once";

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation) => RunAsync(operations, cancellation).GetAwaiter().GetResult();

    /// <inheritdoc/>
    public void Dispose() => CloseAsync().GetAwaiter().GetResult();

    private async Task<Sample> RunAsync(long operations, CancellationToken cancellation)
    {
        if (_producer is null) await OpenAsync(cancellation).ConfigureAwait(false);
        LinkSenderStatistics before = _sender!.Statistics;
        Task arrived = _arrived.Expect(operations);
        Usage usage = Usage.Start();
        for (long last = _published + operations; _published < last; _published++)
        {
            if (_published % Capacity == 0) cancellation.ThrowIfCancellationRequested();
            _producer!.Publish(new LinkItem { Index = _published });
        }

        // A pipeline that fails lets nothing arrive any more.
        Task first = await Task.WhenAny(arrived.WaitAsync(cancellation), _sending!.Completion, _receiving!.Completion).ConfigureAwait(false);
        await first.ConfigureAwait(false);
        UsageReading used = usage.Stop();
        LinkSenderStatistics after = _sender.Statistics;
        return new Sample(operations, used.Seconds, _arrived.IsRight, used.CpuSeconds, used.AllocatedBytes)
        {
            MeanBatch = (double)(after.Items - before.Items) / Math.Max(1, after.Frames - before.Frames),
        };
    }

    private async Task OpenAsync(CancellationToken cancellation)
    {
        var options = new LinkOptions();
        var codec = new LinkItemCodec();
        _link = new LinkAddress($"bench.{Guid.NewGuid():n}", Partitions);
        _transport = new RabbitMqTransport(new RabbitMqOptions { Nodes = RabbitNode.All, Replicas = RabbitNode.All.Count >= 3 ? 3 : 1 });
        _source = new LinkSource<LinkItem>(_link, codec, options);
        _receiving = Pipeline.Of<LinkItem>(Capacity).Stage("check", _arrived).Stage("acknowledge", _source.Acknowledger).Run(Plan.Fused);
        await _source.StartAsync(_transport, _receiving, cancellation).ConfigureAwait(false);
        await _source.SubscribeAsync(Enumerable.Range(0, Partitions), cancellation).ConfigureAwait(false);
        _sender = await LinkSender<LinkItem>.OpenAsync<int>(
            _transport, _link, codec, static (ref readonly LinkItem item) => LinkItems.KeyOf(item.Index), options, cancellation).ConfigureAwait(false);
        _sending = Pipeline.Of<LinkItem>(Capacity).Stage("send", _sender, Dispatch.Batch(max: Capacity)).Run();
        _producer = _sending.CreateProducer();
    }

    private async Task CloseAsync()
    {
        _producer?.Dispose();
        if (_sending is not null) await _sending.DisposeAsync().ConfigureAwait(false);
        if (_sender is not null) await _sender.DisposeAsync().ConfigureAwait(false);
        if (_receiving is not null) await _receiving.DisposeAsync().ConfigureAwait(false);
        if (_source is not null) await _source.DisposeAsync().ConfigureAwait(false);
        if (_transport is null) return;
        await RabbitNode.DeleteAsync(limit => _transport.DeleteAsync(_link!, limit).AsTask()).ConfigureAwait(false);
        await _transport.DisposeAsync().ConfigureAwait(false);
    }
}
