using System.Threading.Channels;
using Raceway.Pipelines;

namespace Raceway.Interop;

/// <summary>A pipeline as a channel: written at its beginning, read behind its last stage.</summary>
/// <remarks>
/// <para><b>Threads</b>: any write and read, at the same time, as with every channel; each item is read once. It was said
/// otherwise by <c>singleWriter</c> or <c>singleReader</c>: then one at a time does, which is faster.</para>
/// <para><b>Back-pressure</b>: the writer waits where the ring is full. The reader holds up to 256 items more, or half the
/// ring, which it has taken out already.</para>
/// <para><b>Order</b>: as written. <b>Cost</b>: nothing allocated an item.</para>
/// <para><b>Errors</b>: completing it with an error lets the reader have all items first, then
/// <see cref="Rings.RingFaultedException"/> with that error inside. A stage that fails ends both sides at once.</para>
/// </remarks>
/// <typeparam name="TSource">What is written.</typeparam>
/// <typeparam name="T">What is read.</typeparam>
/// <example>
/// <code>
/// await using PipelineChannel&lt;Order, Order> channel = definition.RunAsChannel();
/// await channel.Writer.WriteAsync(order, cancellation);
/// Order booked = await channel.Reader.ReadAsync(cancellation);
/// </code>
/// </example>
public sealed class PipelineChannel<TSource, T> : Channel<TSource, T>, IAsyncDisposable
{
    internal PipelineChannel(Pipeline<TSource> pipeline, string poller, bool singleWriter, bool singleReader)
    {
        Pipeline = pipeline;
        Writer = pipeline.AsChannelWriter(singleWriter);
        Reader = pipeline.GetPoller<T>(poller).AsChannelReader(singleReader);
    }

    /// <summary>The pipeline: its statistics, stages and end.</summary>
    public Pipeline<TSource> Pipeline { get; }

    /// <inheritdoc cref="Pipeline{T}.DisposeAsync"/>
    public ValueTask DisposeAsync() => Pipeline.DisposeAsync();
}
