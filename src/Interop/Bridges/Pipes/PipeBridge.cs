using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>The bytes of an item that are a frame.</summary>
/// <typeparam name="T">The item type.</typeparam>
public delegate ReadOnlySpan<byte> FrameSelector<T>(ref T item);

/// <summary>Streams of bytes, cut into frames, into pipelines and out of them.</summary>
/// <example>
/// <code>
/// await using Pipeline&lt;Message> pipeline = Pipeline.Of&lt;Message>(1024)
///     .Stage("print", static (ref Message message) => Console.WriteLine(message.Id))
///     .Run();
/// await PipeReader.Create(stream).PumpInto(
///     pipeline, Framing.Newline(), static (ref Message message, ReadOnlySpan&lt;byte> line) => message.Id = int.Parse(line));
/// </code>
/// </example>
public static class PipeBridge
{
    private const int MostAtOnce = 256;

    /// <summary>Publishes the frames that the pipe brings, until its end; each is written into its slot, or its slot's payload.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: the pool's, wherever something has been waited for; it is the one reader of the pipe meanwhile.</para>
    /// <para><b>Blocking</b>: none. Where the ring is full it waits and consumes nothing, so the pipe's writer waits in turn.</para>
    /// <para><b>Cost</b>: nothing allocated a frame; one that lies in several segments of the pipe is copied once more.</para>
    /// <para><b>Order</b>: of the bytes.</para>
    /// <para><b>Errors</b>: bytes are consumed when their frame is published, never before: cancelled, the pump leaves the rest in
    /// the pipe and completes nothing. Otherwise the pipe's reader is completed when it ends, with the error where there is one
    /// (bad framing, what <paramref name="write"/> throws, a pipeline that takes no more), which the task throws too.</para>
    /// </remarks>
    /// <param name="source">Where frames come from.</param>
    /// <param name="pipeline">Where to.</param>
    /// <param name="framing">Where a frame ends.</param>
    /// <param name="write">Fills the slot: <c>slot.Payload.Write(frame)</c>, or parse it.</param>
    /// <param name="complete">Whether the stream's end, or error, is the pipeline's. Default: yes.</param>
    /// <param name="cancellation">Ends the pump between two frames; it can be begun again.</param>
    public static Task PumpInto<T>(
        this PipeReader source, Pipeline<T> pipeline, Framing framing, SlotWriter<T, ReadOnlySpan<byte>> write,
        bool complete = true, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(pipeline);
        ArgumentNullException.ThrowIfNull(framing);
        ArgumentNullException.ThrowIfNull(write);
        return Pumps.WithInletAsync(pipeline, inlet => ReadAllAsync(source, inlet, framing, write, complete, cancellation));
    }

    /// <summary>Writes a frame for each item that the poller gives into the pipe, until the pipeline's end.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: the pool's, wherever something has been waited for; no other code may poll meanwhile.</para>
    /// <para><b>Blocking</b>: none. Where the pipe is full it waits, and the ring fills up in turn.</para>
    /// <para><b>Cost</b>: a copy into the pipe and nothing allocated an item; a flush a batch of up to 256.</para>
    /// <para><b>Order</b>: of the sequences. Slots, and payloads, are released when their frames are in the pipe.</para>
    /// <para><b>Errors</b>: a frame that cannot be written, or a selector that throws, is a fault of that item for the stage's
    /// policy; what lies before it is done. The pipe is completed with the pipeline, and with its error, which a pipe shows its
    /// reader at once: in front of the frames that were not read yet. If the pipe's reader has gone, the pump ends with an
    /// <see cref="IOException"/>. Cancelled, it completes nothing.</para>
    /// </remarks>
    /// <param name="source">What to write.</param>
    /// <param name="target">Where to.</param>
    /// <param name="framing">How frames are told apart.</param>
    /// <param name="frame">The bytes of an item; called while its slot is lent.</param>
    /// <param name="complete">Whether the pipeline's end, or error, is the pipe's. Default: yes.</param>
    /// <param name="cancellation">Ends the pump between two batches; it can be begun again.</param>
    public static Task PumpInto<T>(
        this Poller<T> source, PipeWriter target, Framing framing, FrameSelector<T> frame,
        bool complete = true, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(framing);
        ArgumentNullException.ThrowIfNull(frame);
        return WriteAllAsync(source, target, framing, frame, complete, cancellation);
    }

    /// <summary>Writes a frame for each item that comes behind the pipeline's last stages into the pipe, until its end.</summary>
    /// <inheritdoc cref="PumpInto{T}(Poller{T}, PipeWriter, Framing, FrameSelector{T}, bool, CancellationToken)"/>
    public static Task PumpInto<T>(
        this Pipeline<T> source, PipeWriter target, Framing framing, FrameSelector<T> frame,
        bool complete = true, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(framing);
        ArgumentNullException.ThrowIfNull(frame);
        return WriteAllAsync(source.AttachPoller(), target, framing, frame, complete, cancellation);
    }

    private static async Task ReadAllAsync<T>(
        PipeReader source, Inlet<T> target, Framing framing, SlotWriter<T, ReadOnlySpan<byte>> write, bool complete,
        CancellationToken cancellation)
    {
        try
        {
            while (await ReadSomeAsync(source, target, framing, write, cancellation).ConfigureAwait(false))
            {
            }
        }
        catch (Exception error) when (!Pumps.IsOwnEnd(error, cancellation))
        {
            await source.CompleteAsync(error).ConfigureAwait(false);
            if (complete) target.TryComplete(error);
            throw;
        }

        await source.CompleteAsync().ConfigureAwait(false);
        if (complete) target.TryComplete();
    }

    /// <summary>Publishes the frames of one read; false behind the last one.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<bool> ReadSomeAsync<T>(
        PipeReader source, Inlet<T> target, Framing framing, SlotWriter<T, ReadOnlySpan<byte>> write, CancellationToken cancellation)
    {
        ReadResult read = await source.ReadAsync(cancellation).ConfigureAwait(false);
        ReadOnlySequence<byte> left = read.Buffer;
        // What has been looked at without being a frame is not worth a further look alone.
        SequencePosition examined = left.Start;
        try
        {
            ReadOnlySequence<byte> behind = left;
            while (framing.TryRead(ref behind, read.IsCompleted, out ReadOnlySequence<byte> frame))
            {
                while (!TryWrite(target, frame, write))
                    if (!await target.WaitToWriteAsync(cancellation).ConfigureAwait(false)) throw target.Refusal();
                left = behind;
                examined = left.Start;
                cancellation.ThrowIfCancellationRequested();
            }

            examined = left.End;
        }
        finally
        {
            source.AdvanceTo(left.Start, examined);
        }

        return !read.IsCompleted;
    }

    private static bool TryWrite<T>(
        Inlet<T> target, in ReadOnlySequence<byte> frame, SlotWriter<T, ReadOnlySpan<byte>> write)
    {
        if (frame.IsSingleSegment) return target.TryWrite(frame.FirstSpan, write);
        byte[] whole = ArrayPool<byte>.Shared.Rent((int)frame.Length);
        try
        {
            frame.CopyTo(whole);
            return target.TryWrite(new ReadOnlySpan<byte>(whole, 0, (int)frame.Length), write);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(whole);
        }
    }

    private static async Task WriteAllAsync<T>(
        Poller<T> source, PipeWriter target, Framing framing, FrameSelector<T> frame, bool complete, CancellationToken cancellation)
    {
        try
        {
            PollStatus status;
            while ((status = WriteSome(source, target, framing, frame)) != PollStatus.Ended)
            {
                if (status == PollStatus.Idle)
                {
                    await source.WaitAsync(cancellation).ConfigureAwait(false);
                    continue;
                }

                FlushResult flush = await target.FlushAsync(cancellation).ConfigureAwait(false);
                if (flush.IsCompleted)
                    throw new IOException("The pipe's reader has gone: what is written is not taken. Drain the pipeline elsewhere, or halt it.");
            }

            await source.Completion.WaitAsync(cancellation).ConfigureAwait(false);
        }
        catch (Exception error) when (!Pumps.IsOwnEnd(error, cancellation))
        {
            if (complete) await target.CompleteAsync(error).ConfigureAwait(false);
            throw;
        }

        if (complete) await target.CompleteAsync().ConfigureAwait(false);
    }

    private static PollStatus WriteSome<T>(Poller<T> source, PipeWriter target, Framing framing, FrameSelector<T> frame)
    {
        using PolledBatch<T> batch = source.Poll(MostAtOnce);
        int written = 0;
        try
        {
            foreach (ref T item in batch)
            {
                framing.Write(target, frame(ref item));
                written++;
            }
        }
        catch (Exception fault)
        {
            // Those before it are in the pipe, and must not come again.
            batch.Items.Complete(written);
            batch.Fail(fault);
        }

        return batch.Status;
    }
}
