using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Distributed;

/// <summary>
/// The receiving side of a link: it publishes what comes into a pipeline, and acknowledges what the pipeline has passed.
/// </summary>
/// <remarks>
/// <para>1. A frame is checked; one that is not right is parked. 2. What its stream has brought before is dropped. 3. The rest is
/// published; while the ring has no room the next frame waits at the broker. 4. The acknowledging stage
/// (<see cref="Acknowledger"/>, the last of the pipeline) says how far the items are; the frames up to there are acknowledged,
/// in their order.</para>
/// <para>Nothing confirmed is lost: a worker that dies has not acknowledged what it had not passed. What it had passed and not
/// acknowledged comes again, to the worker that has the partition next: by <see cref="TryLocate"/> a last stage that keeps the
/// position of an item with its result knows it again.</para>
/// <para><b>Threads</b>: items are published on the transport's threads, one frame at a time.</para>
/// <para><b>Cost</b>: nothing is allocated for an item or a frame, beside what the transport does. Memory: what the transport
/// holds of <see cref="LinkOptions.Prefetch"/> frames a partition.</para>
/// <para><b>Order</b>: that of each partition.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// var link = new LinkAddress("orders.priced", Partitions: 8);
/// await using var source = new LinkSource&lt;Order>(link, ItemCodec.Unmanaged&lt;Order>());
/// await using Pipeline&lt;Order> pipeline = definition.Stage("acknowledge", source.Acknowledger).Run();
/// await source.StartAsync(transport, pipeline, cancellation);
/// await source.SubscribeAsync([0, 1, 2, 3], cancellation);
/// </code>
/// </example>
public sealed partial class LinkSource<T> : IAsyncDisposable
{
    private readonly object _gate = new();
    private readonly LinkAddress _link;
    private readonly IItemCodec<T> _codec;
    private readonly LinkOptions _options;
    private readonly uint _tag;
    private readonly PendingFrames _pending = new();
    private readonly PlacedRuns _placed = new();
    private readonly Receiving _handler;
    private SingleProducer<T>? _producer;
    private IFrameReceiver? _receiver;
    private LinkSourceStatistics _statistics;
    private long _session = -1;
    private long _disowned = -1;
    private long _passed = -1;
    private long _lastPlaced = -1;
    private readonly List<Release> _releasing = [];
    private readonly Pulse _emptied = new();
    private bool _isEmptying;
    private Task _pipelineEnd = Task.CompletedTask;
    private bool _stopped;
    private bool _disposed;

    /// <summary>Of a link; nothing happens before <see cref="StartAsync"/>.</summary>
    /// <param name="link">Which link.</param>
    /// <param name="codec">How bytes become items.</param>
    /// <param name="options">How much is taken ahead; null for the defaults.</param>
    /// <exception cref="ArgumentException">Something is out of range.</exception>
    public LinkSource(LinkAddress link, IItemCodec<T> codec, LinkOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(link);
        ArgumentNullException.ThrowIfNull(codec);
        _link = link.Checked();
        _codec = codec;
        _options = (options ?? new LinkOptions()).Checked();
        _tag = _link.Tag;
        _handler = new Receiving(this);
        Acknowledger = new Acknowledging(this);
    }

    /// <summary>The stage that acknowledges: to be the last of the pipeline, behind every other.</summary>
    public IBatchHandler<T> Acknowledger { get; }

    /// <summary>What it has received so far.</summary>
    public LinkSourceStatistics Statistics
    {
        get
        {
            lock (_gate) return _statistics with { Unacknowledged = _pending.Count };
        }
    }

    /// <summary>Takes part in partitions: their frames come when no other worker has them.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The link has no such partition.</exception>
    /// <exception cref="InvalidOperationException">It has not been started.</exception>
    /// <exception cref="ObjectDisposedException">This has been disposed of.</exception>
    public async ValueTask SubscribeAsync(IEnumerable<int> partitions, CancellationToken cancellation = default)
    {
        IFrameReceiver receiver = Receiver();
        foreach (int partition in Checked(partitions))
            await receiver.SubscribeAsync(partition, cancellation).ConfigureAwait(false);
    }

    /// <summary>
    /// Gives partitions up: takes no further frames of them, and completes when those taken are handled and acknowledged.
    /// </summary>
    /// <remarks>
    /// For partitions that no other worker has subscribed to yet: another worker would begin with newer frames at once. Where others
    /// stand by, <see cref="Stop"/>, drain and dispose instead.
    /// <para>A frame that waits for one before it (<see cref="LinkOptions.HeldFrames"/>), of these partitions or delivered before
    /// one of theirs, is taken without it: acknowledgements go in order of delivery. So deliveries of other partitions before
    /// theirs are waited for, and items that are in the ring by then; what was delivered behind theirs is not.</para>
    /// <para>Cancelled, it waits no longer; the partitions asked for so far are given up all the same.</para>
    /// </remarks>
    /// <inheritdoc cref="SubscribeAsync"/>
    /// <exception cref="RingFaultedException">
    /// A stage has failed: what it has not handled comes again, once this is disposed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">This, or the pipeline, has ended before everything was handled.</exception>
    public async ValueTask ReleaseAsync(IEnumerable<int> partitions, CancellationToken cancellation = default)
    {
        IFrameReceiver receiver = Receiver();
        int[] all = Checked(partitions);
        foreach (int partition in all) await receiver.UnsubscribeAsync(partition, cancellation).ConfigureAwait(false);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            _releasing.Add(new Release(_pending.EndOf(all), _lastPlaced, done));
            EndReleases();
        }

        await Task.WhenAny(done.Task, _pipelineEnd).WaitAsync(cancellation).ConfigureAwait(false);
        // Items that no stage will handle any more.
        if (!done.Task.IsCompleted) await _pipelineEnd.ConfigureAwait(false);
        if (!done.Task.IsCompletedSuccessfully) throw LinkErrors.ReleaseEnded(_link.Name);
        await FlushAsync().ConfigureAwait(false);
    }

    /// <summary>
    /// Takes no further frames: the first step of a drain. What was taken is handled and acknowledged as before.
    /// </summary>
    public void Stop() => Volatile.Write(ref _stopped, true);

    /// <summary>Completes when the acknowledgements given so far have been sent.</summary>
    public ValueTask FlushAsync() => _receiver?.FlushAsync() ?? ValueTask.CompletedTask;

    /// <summary>Closes its side of the link. What is not acknowledged goes to other workers.</summary>
    public ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _disposed = true;
            EndReleases();
        }

        return _receiver?.DisposeAsync() ?? ValueTask.CompletedTask;
    }

    /// <summary>Which item of the link a slot holds, for a stage that keeps positions with its state.</summary>
    /// <param name="sequence">The slot's sequence, in the batch that the stage is handling.</param>
    /// <param name="position">The item: the same when it is delivered again.</param>
    /// <param name="following">How many slots behind it hold the items numbered after it.</param>
    /// <returns>False where the last stage has passed it.</returns>
    public bool TryLocate(long sequence, out LinkPosition position, out int following)
    {
        lock (_gate) return _placed.TryLocate(sequence, out position, out following);
    }

    private int[] Checked(IEnumerable<int> partitions)
    {
        ArgumentNullException.ThrowIfNull(partitions);
        int[] all = [.. partitions];
        foreach (int one in all)
            if ((uint)one >= (uint)_link.Partitions) throw LinkErrors.Partition(one, _link.Partitions);
        return all;
    }

    private void Passed(long sequence)
    {
        bool isEmptied;
        lock (_gate)
        {
            _passed = sequence;
            _placed.RemoveThrough(sequence);
            Settle();
            isEmptied = _isEmptying && _lastPlaced <= sequence;
        }

        if (isEmptied) _emptied.Signal();
    }

    // Until everything published has been passed; false where the pipeline ended first. Goes on on the thread of the stage that
    // acknowledges, or of the caller that ended the pipeline.
    private async ValueTask<bool> EmptyAsync()
    {
        while (true)
        {
            lock (_gate)
            {
                _isEmptying = _lastPlaced > _passed;
                if (!_isEmptying) return true;
            }

            if (_pipelineEnd.IsCompleted) return false;
            await _emptied.WaitAsync().ConfigureAwait(false);
        }
    }

    // With the lock held: acknowledges what is done.
    private void Settle()
    {
        if (_pending.TakeThrough(_passed) is { } tag && _session != _disowned) _receiver!.Acknowledge(_session, tag);
        EndReleases();
    }

    // With the lock held. A delivery that has ended with its session may have items in the ring still.
    private void EndReleases(bool sessionEnded = false)
    {
        for (int i = _releasing.Count - 1; i >= 0; i--)
        {
            Release one = _releasing[i];
            if (sessionEnded) _releasing[i] = one = one with { Placed = _lastPlaced };
            bool isDone = one.Through <= _pending.FirstId && one.Placed <= _passed;
            if (!isDone && !_disposed) continue;
            if (isDone) one.Done.SetResult();
            else one.Done.SetCanceled();
            _releasing.RemoveAt(i);
        }
    }

    // Until which delivery, and until which sequence of the ring.
    private readonly record struct Release(ulong Through, long Placed, TaskCompletionSource Done);

    private sealed class Acknowledging(LinkSource<T> source) : IBatchHandler<T>
    {
        public void OnBatch(Batch<T> batch) => source.Passed(batch.Sequence + batch.Count - 1);
    }
}
