using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>A writer for any number of threads: the ring's publisher as the writer of a channel.</summary>
internal sealed class SharedInlet<T>(RingBuffer<T> ring) : PipelineWriter<T>(ring)
{
    private readonly Publisher<T> _publisher = ring.GetPublisher();

    public override bool TryWrite(T item)
    {
        try
        {
            return _publisher.TryPublish(item) == ClaimStatus.Done;
        }
        catch (Exception refusal) when (IsLate(refusal))
        {
            return false;
        }
    }

    /// <summary>Waits for room on this thread.</summary>
    public void Publish(T item) => _publisher.Publish(item);

    public override ValueTask WriteAsync(T item, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        ValueTask published = _publisher.PublishAsync(item, cancellationToken);
        return published.IsCompletedSuccessfully ? published : Told(published);
    }

    public override ValueTask<bool> WaitToWriteAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<bool>(cancellationToken);
        return IsClosed ? Closed() : _publisher.WaitForRoomAsync(cancellationToken);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private static async ValueTask Told(ValueTask published)
    {
        try
        {
            await published.ConfigureAwait(false);
        }
        catch (Exception refusal) when (IsRefusal(refusal))
        {
            throw new ChannelClosedException(refusal);
        }
    }
}
