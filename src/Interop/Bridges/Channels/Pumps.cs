using System.Diagnostics;
using System.Threading.Channels;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>Moves items from one side to the other, so that nothing is ever taken that has no place.</summary>
internal static class Pumps
{
    /// <summary>Moves what <paramref name="source"/> has and gets: see <see cref="ChannelBridge.PumpInto{T}(ChannelReader{T}, Pipeline{T}, bool, CancellationToken)"/>.</summary>
    public static async Task IntoAsync<T>(
        ChannelReader<T> source, ChannelWriter<T> target, bool complete, CancellationToken cancellation)
    {
        var shared = source as SharedOutlet<T>;
        // Peeking would be wrong with a source that others read, too.
        Outlet<T>? outlet = shared is null ? source as Outlet<T> : await shared.TakeAsync().ConfigureAwait(false);
        try
        {
            if (outlet is not null) await MoveAsync(outlet, target, cancellation).ConfigureAwait(false);
            else await MoveAsync(source, target, cancellation).ConfigureAwait(false);
        }
        catch (Exception error) when (!IsOwnEnd(error, cancellation))
        {
            if (complete) target.TryComplete(error);
            throw;
        }
        finally
        {
            shared?.GiveBack();
        }

        if (complete) target.TryComplete();
    }

    /// <summary>
    /// Moves what <paramref name="source"/> yields; see
    /// <see cref="IntoAsync{T}(ChannelReader{T}, ChannelWriter{T}, bool, CancellationToken)"/>.
    /// </summary>
    public static async Task IntoAsync<T>(
        IAsyncEnumerable<T> source, Inlet<T> target, bool complete, CancellationToken cancellation)
    {
        try
        {
            await using IAsyncEnumerator<T> items = source.GetAsyncEnumerator(cancellation);
            while (true)
            {
                // First the room: what has been yielded cannot be given back.
                if (!await target.WaitToWriteAsync(cancellation).ConfigureAwait(false)) throw target.Refusal();
                if (!await items.MoveNextAsync().ConfigureAwait(false)) break;
                if (!target.TryWrite(items.Current)) throw target.Refusal();
            }
        }
        catch (Exception error) when (!IsOwnEnd(error, cancellation))
        {
            if (complete) target.TryComplete(error);
            throw;
        }

        if (complete) target.TryComplete();
    }

    /// <summary>Moves the batches that <paramref name="source"/> yields.</summary>
    public static async Task BatchesIntoAsync<T>(
        IAsyncEnumerable<ReadOnlyMemory<T>> source, Inlet<T> target, bool complete, CancellationToken cancellation)
    {
        try
        {
            await using IAsyncEnumerator<ReadOnlyMemory<T>> batches = source.GetAsyncEnumerator(cancellation);
            while (true)
            {
                if (!await target.WaitToWriteAsync(cancellation).ConfigureAwait(false)) throw target.Refusal();
                if (!await batches.MoveNextAsync().ConfigureAwait(false)) break;
                // To its end, as what has been yielded cannot be given back.
                await target.WriteAsync(batches.Current).ConfigureAwait(false);
            }
        }
        catch (Exception error) when (!IsOwnEnd(error, cancellation))
        {
            if (complete) target.TryComplete(error);
            throw;
        }

        if (complete) target.TryComplete();
    }

    /// <summary>Lends <paramref name="pump"/> a producer of the pipeline for as long as it runs.</summary>
    public static async Task WithInletAsync<T>(Pipeline<T> pipeline, Func<Inlet<T>, Task> pump)
    {
        Inlet<T> inlet = pipeline.Ring.NewInlet();
        using (inlet.Producer) await pump(inlet).ConfigureAwait(false);
    }

    /// <summary>Whether the pump has been cancelled, which ends it and nothing else.</summary>
    public static bool IsOwnEnd(Exception error, CancellationToken cancellation) =>
        error is OperationCanceledException && cancellation.IsCancellationRequested;

    private static async Task MoveAsync<T>(Outlet<T> source, ChannelWriter<T> target, CancellationToken cancellation)
    {
        while (await source.WaitToReadAsync(cancellation).ConfigureAwait(false))
        {
            while (source.TryPeek(out T? item))
            {
                // Not WriteAsync: that of a bounded channel which is cancelled may have written all the same.
                while (!target.TryWrite(item))
                    if (!await target.WaitToWriteAsync(cancellation).ConfigureAwait(false)) throw Closed(target);
                bool taken = source.TryRead(out _);
                Debug.Assert(taken, "What has been looked at can be taken: there is one reader.");
                cancellation.ThrowIfCancellationRequested();
            }
        }
    }

    private static async Task MoveAsync<T>(ChannelReader<T> source, ChannelWriter<T> target, CancellationToken cancellation)
    {
        // Where others claim as well, a slot claimed for nothing is a tombstone: so first whether there is anything.
        bool looks = source.CanPeek && target is Inlet<T> { Producer.Ring.Options.Producers: ProducerKind.Multi };
        while (await source.WaitToReadAsync(cancellation).ConfigureAwait(false))
        {
            bool more = true;
            while (more && !(looks && !source.TryPeek(out _)))
            {
                if (!await target.WaitToWriteAsync(cancellation).ConfigureAwait(false)) throw Closed(target);
                if (target is Inlet<T> inlet)
                {
                    more = !inlet.TryTake(source, static (queue, out item) => queue.TryRead(out item!), out bool taken) || taken;
                    continue;
                }

                more = source.TryRead(out T? next);
                // Another writer of a foreign target may have taken the room: then this item is waited for to its end.
                if (more && !target.TryWrite(next!)) await target.WriteAsync(next!, CancellationToken.None).ConfigureAwait(false);
            }
        }
    }

    private static ChannelClosedException Closed<T>(ChannelWriter<T> target) =>
        target is PipelineWriter<T> writer ? writer.Refusal() : new ChannelClosedException();
}
