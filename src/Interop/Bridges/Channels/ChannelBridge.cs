using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop;

/// <summary>Pipelines and rings as channels, and channels into and out of them.</summary>
/// <example>
/// <code>
/// await using Pipeline&lt;Order> pipeline = definition.Run();
/// ChannelReader&lt;Order> reader = pipeline.AsChannelReader();
/// ChannelWriter&lt;Order> writer = pipeline.AsChannelWriter();
/// await writer.WriteAsync(order, cancellation);
/// writer.Complete();
/// await foreach (Order done in reader.ReadAllAsync(cancellation)) Console.WriteLine(done.Id);
/// </code>
/// </example>
public static class ChannelBridge
{
    /// <summary>The poller that <see cref="RunAsChannel"/> adds.</summary>
    internal const string ReaderName = "reader";

    /// <summary>The beginning of the pipeline as the writer of a channel.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: any, at the same time; it writes by <see cref="Pipeline{T}.Publisher"/>, so all such writers share
    /// one producer. With <paramref name="singleWriter"/> one at a time: the writer takes a producer of its own, each time one is
    /// asked for, and a write that waits must be awaited before the next.</para>
    /// <para><b>Blocking</b>: never; <c>WriteAsync</c> and <c>WaitToWriteAsync</c> wait for room without a thread.</para>
    /// <para><b>Cost</b>: an item is copied into its slot, nothing is allocated.</para>
    /// <para><b>Order</b>: of the calls. What was accepted is published; a write that is cancelled has published nothing.</para>
    /// <para><b>Errors</b>: completing lets the pipeline finish what it holds; with an error it then is faulted with that. Where
    /// the pipeline takes no more, <c>TryWrite</c> is false and <c>WriteAsync</c> throws <see cref="ChannelClosedException"/> with
    /// the reason inside.</para>
    /// </remarks>
    /// <param name="pipeline">Where to publish.</param>
    /// <param name="singleWriter">One writes at a time, as <see cref="ChannelOptions.SingleWriter"/>: faster. Default: no.</param>
    /// <exception cref="InvalidOperationException">The pipeline has all its producers.</exception>
    public static ChannelWriter<T> AsChannelWriter<T>(this Pipeline<T> pipeline, bool singleWriter = false)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return pipeline.Ring.AsChannelWriter(singleWriter);
    }

    /// <inheritdoc cref="AsChannelWriter{T}(Pipeline{T}, bool)"/>
    public static ChannelWriter<T> AsChannelWriter<T>(this RingBuffer<T> ring, bool singleWriter = false)
    {
        ArgumentNullException.ThrowIfNull(ring);
        return singleWriter ? ring.NewInlet() : new SharedInlet<T>(ring);
    }

    /// <summary>A poller as the reader of a channel; the same one whenever it is asked for.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: any, at the same time; each item goes to one of them. With <paramref name="singleReader"/> one at a
    /// time, which may be another one each time. It drives the poller's stage: nothing else may poll it.</para>
    /// <para><b>Blocking</b>: never. Before it sleeps, a read that finds nothing looks again for a microsecond or two.</para>
    /// <para><b>Cost</b>: items are copied, up to 256 a poll and never more than half the ring, and their slots are released
    /// then; a read is an array access. Nothing is allocated.</para>
    /// <para><b>Order</b>: of the sequences. Cancelling a read loses nothing: a wait has taken nothing.</para>
    /// <para><b>Errors</b>: what has been taken stays readable. Behind it: completed, where everything was handled;
    /// <see cref="RingFaultedException"/>, where a stage failed or the writer completed with an error;
    /// <see cref="RingStoppedException"/>, where a halt has left items behind. Payloads are released with their slots: read those
    /// by a handler, or by <see cref="PipeBridge"/>.</para>
    /// </remarks>
    /// <param name="poller">What to read.</param>
    /// <param name="singleReader">One reads at a time, as <see cref="ChannelOptions.SingleReader"/>: faster. Default: no.</param>
    /// <exception cref="InvalidOperationException">The poller's reader was asked for with another <paramref name="singleReader"/>.</exception>
    public static ChannelReader<T> AsChannelReader<T>(this Poller<T> poller, bool singleReader = false) =>
        poller.Outlet().For(singleReader);

    /// <summary>The end of the pipeline as the reader of a channel: a poller of its own behind all last stages.</summary>
    /// <remarks>
    /// Each call makes another one, beside those there are: each sees every item. It holds producers back, and sees what is
    /// passed by the stages before it from now on; before the start, everything. For items of another type than producers
    /// publish, define a poller. Otherwise as <see cref="AsChannelReader{T}(Poller{T}, bool)"/>.
    /// </remarks>
    /// <param name="pipeline">What to read.</param>
    /// <param name="singleReader">One reads at a time, as <see cref="ChannelOptions.SingleReader"/>: faster. Default: no.</param>
    /// <exception cref="PipelineBuildException">The pipeline does not end in items of this type, or not in one ring.</exception>
    /// <exception cref="InvalidOperationException">It is draining or has ended.</exception>
    public static ChannelReader<T> AsChannelReader<T>(this Pipeline<T> pipeline, bool singleReader = false)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return pipeline.AttachPoller().Outlet().For(singleReader);
    }

    /// <summary>A ring as the reader of a channel: a stage of its own behind all last stages, driven by its reader.</summary>
    /// <inheritdoc cref="AsChannelReader{T}(Pipeline{T}, bool)"/>
    public static ChannelReader<T> AsChannelReader<T>(this RingBuffer<T> ring, bool singleReader = false)
    {
        ArgumentNullException.ThrowIfNull(ring);
        return ring.AttachPoller().Outlet().For(singleReader);
    }

    /// <summary>Runs the pipeline defined so far, with a poller behind it, as a channel.</summary>
    /// <param name="definition">What happens to an item between writer and reader; nothing, where it has no stage.</param>
    /// <param name="plan">How the stages are driven.</param>
    /// <param name="singleWriter">One writes at a time, as <see cref="ChannelOptions.SingleWriter"/>: faster. Default: no.</param>
    /// <param name="singleReader">One reads at a time, as <see cref="ChannelOptions.SingleReader"/>: faster. Default: no.</param>
    /// <exception cref="PipelineBuildException">The definition is wrong; the message has all problems.</exception>
    public static PipelineChannel<TSource, T> RunAsChannel<TSource, T>(
        this PipelineBuilder<TSource, T> definition, Plan plan = Plan.Auto, bool singleWriter = false,
        bool singleReader = false)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return new PipelineChannel<TSource, T>(definition.Poller(ReaderName).Run(plan), ReaderName, singleWriter, singleReader);
    }

    /// <summary>Publishes what the channel holds and gets, until it is completed.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: the pool's, wherever something has been waited for; it is the one reader of the source meanwhile.</para>
    /// <para><b>Blocking</b>: none. Where the target is full it waits, and the source fills up in turn.</para>
    /// <para><b>Cost</b>: nothing allocated an item. <b>Order</b>: the source's.</para>
    /// <para><b>Errors</b>: the task fails with the source's error, or with <see cref="ChannelClosedException"/> where the target
    /// takes no more. Cancelled, it completes nothing, and every item is on one side or the other: from a pipeline they are
    /// looked at and taken when they have been written, into a pipeline they are taken when there is room.</para>
    /// </remarks>
    /// <param name="source">What to read.</param>
    /// <param name="pipeline">Where to.</param>
    /// <param name="complete">Whether the source's end, or error, is the pipeline's. Default: yes.</param>
    /// <param name="cancellation">Ends the pump between two items; it can be begun again.</param>
    public static Task PumpInto<T>(
        this ChannelReader<T> source, Pipeline<T> pipeline, bool complete = true, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(pipeline);
        return Pumps.WithInletAsync(pipeline, inlet => Pumps.IntoAsync(source, inlet, complete, cancellation));
    }

    /// <summary>Writes what is read, of a pipeline or of another channel, into a channel, until the source is completed.</summary>
    /// <inheritdoc cref="PumpInto{T}(ChannelReader{T}, Pipeline{T}, bool, CancellationToken)" path="/remarks"/>
    /// <exception cref="InvalidOperationException">Thrown by the task: another pump, a block or a sequence of batches still reads
    /// the reader of a pipeline, or a read of it waits. The target stays open. Await the end of the one before.</exception>
    /// <param name="source">What to read: <see cref="AsChannelReader{T}(Pipeline{T}, bool)"/>.</param>
    /// <param name="target">Where to.</param>
    /// <param name="complete">Whether the source's end, or error, is the target's. Default: yes.</param>
    /// <param name="cancellation">Ends the pump between two items; it can be begun again.</param>
    public static Task PumpInto<T>(
        this ChannelReader<T> source, ChannelWriter<T> target, bool complete = true, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(target);
        return Pumps.IntoAsync(source, target, complete, cancellation);
    }

    internal static Inlet<T> NewInlet<T>(this RingBuffer<T> ring) =>
        new(ring.CreateAnyProducer());

    internal static Outlet<T> Outlet<T>(this Poller<T> poller)
    {
        ArgumentNullException.ThrowIfNull(poller);
        return Outlets<T>.All.GetValue(poller, static poller => new Outlet<T>(poller));
    }

    /// <summary>One reader a poller: two would each hold items that the other misses.</summary>
    private static class Outlets<T>
    {
        public static readonly ConditionalWeakTable<Poller<T>, Outlet<T>> All = [];
    }
}
