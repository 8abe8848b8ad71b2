using System.Threading.Channels;

namespace Raceway.Suites.PlansSuite;

/// <summary>A channel for each pipeline, and one task that reads it and does the work of all five stages: nothing is handed over between
/// them.</summary>
internal sealed class QuietChannels(QuietLoad load) : QuietContestant("channel", load)
{
    private readonly Channel<long>[] _channels = new Channel<long>[load.Pipelines];
    private readonly Task[] _readers = new Task[load.Pipelines];

    /// <inheritdoc/>
    protected override void Start(int index)
    {
        _channels[index] = Channel.CreateBounded<long>(new BoundedChannelOptions(1024) { SingleReader = true, SingleWriter = true });
        _readers[index] = Task.Run(() => ReadAsync(index));
    }

    /// <inheritdoc/>
    protected override void Publish(int index, long item)
    {
        if (!_channels[index].Writer.TryWrite(item)) throw new InvalidOperationException("A few items fill no channel.");
    }

    /// <inheritdoc/>
    protected override Task StopAsync(int index)
    {
        _channels[index].Writer.Complete();
        return _readers[index];
    }

    private async Task ReadAsync(int index)
    {
        await foreach (long item in _channels[index].Reader.ReadAllAsync().ConfigureAwait(false)) Handled(index, item + QuietLoad.Stages);
    }
}
