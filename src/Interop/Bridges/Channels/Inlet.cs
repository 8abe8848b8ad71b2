using System.Threading.Channels;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>A writer for one thread at a time: a producer of its own behind the writer of a channel.</summary>
/// <remarks>What it accepts is published: it keeps nothing itself, so there is nothing to lose in it.</remarks>
internal sealed class Inlet<T>(Producer<T> producer) : PipelineWriter<T>(producer.Ring)
{
    private readonly Writing _writing = new();

    /// <summary>Where it publishes.</summary>
    public Producer<T> Producer => producer;

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
            Leave();
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
            Leave();
        }
    }

    /// <summary>Claims a slot, and then lets <paramref name="take"/> fill it: what it takes has a place already.</summary>
    /// <remarks>
    /// So it is published also where the ring is closed meanwhile. Only a halt, or a fault, between the two refuses it: then
    /// <see cref="ChannelClosedException"/> is thrown, and what was taken is lost.
    /// </remarks>
    /// <param name="state">What <paramref name="take"/> is given.</param>
    /// <param name="take">Takes an item, where there is one.</param>
    /// <param name="taken">Whether it has.</param>
    /// <returns>False where there is no room: it was not called.</returns>
    public bool TryTake<TState>(TState state, ItemTaker<T, TState> take, out bool taken)
    {
        taken = false;
        try
        {
            if (producer.TryClaim(1, out Claim<T> claim) != ClaimStatus.Done) return false;
            using Claim<T> owned = claim;
            taken = take(state, out T item);
            if (!taken) return true;
            owned.Slot = item;
            owned.Commit();
            return true;
        }
        catch (Exception refusal) when (IsLate(refusal))
        {
            throw new ChannelClosedException(refusal);
        }
        finally
        {
            Leave();
        }
    }

    public override ValueTask WriteAsync(T item, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        return TryWrite(item) ? ValueTask.CompletedTask : WriteWhenRoom(item, cancellationToken);
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
        return IsClosed ? Closed() : producer.WaitForRoomAsync(1, cancellationToken);
    }

    // One at a time is promised, the same one is not: tasks go on where the pool has a thread.
    private void Leave() => producer.TryReleaseThread();

    private ValueTask WriteWhenRoom(T item, CancellationToken cancellation)
    {
        try
        {
            return _writing.For(producer.PublishAsync(item, cancellation));
        }
        catch (Exception refusal) when (IsRefusal(refusal))
        {
            return ValueTask.FromException(new ChannelClosedException(refusal));
        }
    }

    /// <summary>Until an item that has found no room is published.</summary>
    private sealed class Writing : OwnWait
    {
        public ValueTask For(ValueTask published) => new(this, Begin(published));

        protected override bool IsOver(out bool result, out ValueTask next)
        {
            next = default;
            return result = true;
        }

        protected override Exception ErrorOf(Exception error) => IsRefusal(error) ? new ChannelClosedException(error) : error;
    }
}

/// <summary>Takes an item, where there is one, from where it cannot be given back.</summary>
internal delegate bool ItemTaker<T, in TState>(TState state, out T item);
