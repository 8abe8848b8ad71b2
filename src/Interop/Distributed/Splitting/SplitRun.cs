using System.Diagnostics;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Distributed;

/// <summary>The parts of a split pipeline that run in this process.</summary>
/// <remarks><b>Threads</b>: every member by any thread.</remarks>
/// <typeparam name="T">The item.</typeparam>
public sealed class SplitRun<T> : IAsyncDisposable
{
    private readonly SplitOptions _options;
    private readonly string _firstPart;
    private readonly List<Running> _running = [];
    private readonly List<LinkSender<T>> _senders = [];
    private readonly List<Task> _standingBy = [];
    private readonly CancellationTokenSource _ending = new();

    internal SplitRun(SplitOptions options, string firstPart)
    {
        _options = options;
        _firstPart = firstPart;
    }

    /// <summary>The pipelines, one for each run of adjacent parts, in the order of the parts.</summary>
    public IReadOnlyList<Pipeline<T>> Pipelines => [.. _running.Select(static one => one.Pipeline)];

    /// <summary>What brings items from other processes.</summary>
    public IReadOnlyList<LinkSource<T>> Sources => [.. _running.Select(static one => one.Source).OfType<LinkSource<T>>()];

    /// <summary>What sends items to other processes.</summary>
    public IReadOnlyList<LinkSender<T>> Senders => _senders;

    /// <summary>A producer for the first part.</summary>
    /// <exception cref="InvalidOperationException">The first part does not run here.</exception>
    public SingleProducer<T> CreateProducer() =>
        _running.Count > 0 && _running[0].IsFirst ? _running[0].Pipeline.CreateProducer() : throw LinkErrors.NoProducer(_firstPart);

    /// <summary>Takes nothing more, handles what is here, and acknowledges it: in that order, part by part.</summary>
    /// <remarks>What a link sends is handled when it is confirmed. Other processes have the rest.</remarks>
    /// <param name="timeout">For all of it.</param>
    /// <param name="cancellation">Gives up waiting; the stages go on.</param>
    /// <returns>How the first pipeline ended that was not drained; that of the last where all were.</returns>
    public async Task<DrainResult> DrainAsync(TimeSpan timeout, CancellationToken cancellation = default)
    {
        long begun = Stopwatch.GetTimestamp();
        DrainResult? result = null;
        foreach (Running one in _running)
        {
            one.Source?.Stop();
            TimeSpan left = timeout == Timeout.InfiniteTimeSpan ? timeout : timeout - Stopwatch.GetElapsedTime(begun);
            result = await one.Pipeline
                .DrainAsync(left < TimeSpan.Zero && left != timeout ? TimeSpan.Zero : left, cancellation).ConfigureAwait(false);
            if (!result.IsDrained) return result;
            if (one.Source is { } source) await source.FlushAsync().ConfigureAwait(false);
        }

        return result!;
    }

    /// <summary>Ends at once: what is not acknowledged goes to other workers, what is not confirmed is not sent.</summary>
    public async ValueTask DisposeAsync()
    {
        await _ending.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(_standingBy).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        foreach (Running one in _running)
        {
            one.Source?.Stop();
            await one.Pipeline.HaltAsync().ConfigureAwait(false);
            if (one.Source is { } source) await source.DisposeAsync().ConfigureAwait(false);
            await one.Pipeline.DisposeAsync().ConfigureAwait(false);
        }

        foreach (LinkSender<T> sender in _senders) await sender.DisposeAsync().ConfigureAwait(false);
    }

    // Added from the last part to the first.
    internal void Add(Pipeline<T> pipeline, LinkSource<T>? source, bool isFirst) =>
        _running.Insert(0, new Running(pipeline, source, isFirst));

    internal void Add(LinkSender<T> sender) => _senders.Insert(0, sender);

    internal void StandBy(LinkSource<T> source, int[] partitions)
    {
        if (partitions.Length > 0 && _options.StandbyAfter != Timeout.InfiniteTimeSpan)
            _standingBy.Add(StandByAsync(source, partitions));
    }

    private async Task StandByAsync(LinkSource<T> source, int[] partitions)
    {
        await Task.Delay(_options.StandbyAfter, _ending.Token).ConfigureAwait(false);
        await source.SubscribeAsync(partitions, _ending.Token).ConfigureAwait(false);
    }

    private sealed record Running(Pipeline<T> Pipeline, LinkSource<T>? Source, bool IsFirst);
}
