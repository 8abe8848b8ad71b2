using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>The way in that all bridges share: a producer behind the writer of a channel.</summary>
/// <remarks>What it accepts is published: it keeps nothing itself, so there is nothing to lose in it.</remarks>
internal sealed class Inlet<T>(Producer<T> producer) : ChannelWriter<T>
{
    private readonly Life _life = new(producer.Ring);

    // One at a time is promised, the same one is not: tasks go on where the pool has a thread.
    private readonly bool _checks = producer.Ring.Options.CheckProducer;

    /// <summary>Where it publishes.</summary>
    public Producer<T> Producer => producer;

    /// <summary>What it publishes into, as a whole.</summary>
    public Life Life => _life;

    public override bool TryWrite(T item)
    {
        try
        {
            return producer.TryPublish(item) == ClaimStatus.Done;
        }
        catch (Exception refusal) when (IsLate(refusal))
        {
            return false;
        }
        finally
        {
            if (_checks) producer.ForgetThread();
        }
    }

    /// <summary>Fills a slot by <paramref name="write"/>, where there is room.</summary>
    public bool TryWrite<TState>(TState state, SlotWriter<T, TState> write)
        where TState : allows ref struct
    {
        try
        {
            return producer.TryPublish(state, write) == ClaimStatus.Done;
        }
        catch (Exception refusal) when (IsLate(refusal))
        {
            return false;
        }
        finally
        {
            if (_checks) producer.ForgetThread();
        }
    }

    /// <summary>Waits for room on this thread.</summary>
    public void Publish(T item)
    {
        try
        {
            producer.Publish(item);
        }
        finally
        {
            if (_checks) producer.ForgetThread();
        }
    }

    public override ValueTask WriteAsync(T item, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        return TryWrite(item) ? ValueTask.CompletedTask : WriteWhenRoomAsync(item, cancellationToken);
    }

    /// <summary>Writes all of them, waiting for room.</summary>
    public async ValueTask WriteAsync(ReadOnlyMemory<T> items)
    {
        try
        {
            await producer.PublishAsync(items).ConfigureAwait(false);
        }
        catch (Exception refusal) when (IsRefusal(refusal))
        {
            throw new ChannelClosedException(refusal);
        }
    }

    public override ValueTask<bool> WaitToWriteAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<bool>(cancellationToken);
        return producer.Ring.Control.IsClosed ? Closed() : producer.WaitForRoomAsync(1, cancellationToken);
    }

    public override bool TryComplete(Exception? error = null) => _life.Complete(error);

    /// <summary>Why it takes no more, as writers of channels are told.</summary>
    public ChannelClosedException Refusal() => new(producer.Ring.Refusal());

    private static bool IsRefusal(Exception error) =>
        error is RingStoppedException or RingFaultedException or ObjectDisposedException;

    // Where the ring ends while an item is written, the producer throws: the status of a try was decided before. Only then: what
    // is thrown while the ring is open is the caller's, and a false would make it wait for room and try for ever.
    private bool IsLate(Exception error) => IsRefusal(error) && producer.Ring.Control.IsClosed;

    private ValueTask<bool> Closed() =>
        _life.Refusal() is { } refusal ? ValueTask.FromException<bool>(refusal) : ValueTask.FromResult(false);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WriteWhenRoomAsync(T item, CancellationToken cancellation)
    {
        try
        {
            await producer.PublishAsync(item, cancellation).ConfigureAwait(false);
        }
        catch (Exception refusal) when (IsRefusal(refusal))
        {
            throw new ChannelClosedException(refusal);
        }
    }
}
