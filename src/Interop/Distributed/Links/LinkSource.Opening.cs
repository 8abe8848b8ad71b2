using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Distributed;

/// <content>From its pipeline and transport to a receiver.</content>
public sealed partial class LinkSource<T>
{
    /// <summary>Opens the link for a pipeline that runs. Nothing comes before <see cref="SubscribeAsync"/>.</summary>
    /// <param name="transport">By what.</param>
    /// <param name="pipeline">With the <see cref="Acknowledger"/> as its last stage, and no other producer.</param>
    /// <param name="cancellation">Gives up opening.</param>
    /// <exception cref="LinkTransportException">The broker cannot be reached, or refuses.</exception>
    /// <exception cref="InvalidOperationException">The acknowledging stage is not behind all others.</exception>
    /// <exception cref="ObjectDisposedException">This has been disposed of.</exception>
    public async ValueTask StartAsync(ILinkTransport transport, Pipeline<T> pipeline, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(transport);
        ArgumentNullException.ThrowIfNull(pipeline);
        bool oneSegment = pipeline.Rings.Count == 1 || pipeline.Plan == Plan.RingPerStage;
        Stage? ours = pipeline.Rings[^1].Stages.FirstOrDefault(IsOurs);
        if (!oneSegment || ours is null) throw LinkErrors.Segments(_link.Name, pipeline.Rings.Count);
        if (Followed(ours).Count < pipeline.Rings[^1].Stages.Count) throw LinkErrors.NotLast(ours.Name);
        lock (_gate) ThrowIfDisposed();
        _producer = pipeline.CreateProducer();
        _pipelineEnd = pipeline.Completion;
        _ = _pipelineEnd.ContinueWith(
            static (_, emptied) => ((Pulse)emptied!).Signal(), _emptied, CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        try
        {
            IFrameReceiver receiver = await transport
                .OpenReceiverAsync(_link, _options.Prefetch, _handler, cancellation).ConfigureAwait(false);
            if (!TryKeep(receiver))
            {
                await receiver.DisposeAsync().ConfigureAwait(false);
                throw LinkErrors.SourceDisposed(_link.Name);
            }
        }
        catch
        {
            // It may be started again.
            _producer.Dispose();
            throw;
        }
    }

    private IFrameReceiver Receiver()
    {
        lock (_gate)
        {
            ThrowIfDisposed();
            return _receiver ?? throw LinkErrors.NotStarted(_link.Name);
        }
    }

    // False where this was disposed of while the receiver was being opened.
    private bool TryKeep(IFrameReceiver receiver)
    {
        lock (_gate)
        {
            if (!_disposed) _receiver = receiver;
            return !_disposed;
        }
    }

    // With the lock held.
    private void ThrowIfDisposed()
    {
        if (_disposed) throw LinkErrors.SourceDisposed(_link.Name);
    }

    private bool IsOurs(Stage stage) => stage.GetHandler<object>() == Acknowledger;

    // The stage, and everything it comes after.
    private static HashSet<Stage> Followed(Stage stage)
    {
        HashSet<Stage> followed = [];
        var next = new Stack<Stage>([stage]);
        while (next.TryPop(out Stage? one))
        {
            if (!followed.Add(one)) continue;
            foreach (Stage upstream in one.Upstream) next.Push(upstream);
        }

        return followed;
    }
}
