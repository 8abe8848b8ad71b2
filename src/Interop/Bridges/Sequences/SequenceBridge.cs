using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Raceway.Pipelines;

namespace Raceway.Interop;

/// <summary>Pipelines as asynchronous sequences, and sequences into pipelines.</summary>
/// <example>
/// <code>
/// await using Pipeline&lt;Order> pipeline = definition.Run();
/// IAsyncEnumerable&lt;Order> booked = pipeline.AsAsyncEnumerable();
/// Task pump = rows.PumpInto(pipeline, cancellation: cancellation);
/// await foreach (Order order in booked.WithCancellation(cancellation)) Console.WriteLine(order.Id);
/// await pump;
/// </code>
/// </example>
public static class SequenceBridge
{
    /// <summary>What comes behind the pipeline's last stages, item by item.</summary>
    /// <remarks>
    /// Enumerating it again goes on behind the last item seen; of several that enumerate, each item goes to one. Otherwise as
    /// <see cref="ChannelBridge.AsChannelReader{T}(Pipeline{T}, bool)"/>: it reads the reader of that.
    /// </remarks>
    /// <inheritdoc cref="ChannelBridge.AsChannelReader{T}(Pipeline{T}, bool)" path="/exception"/>
    public static IAsyncEnumerable<T> AsAsyncEnumerable<T>(this Pipeline<T> pipeline) =>
        pipeline.AsChannelReader().ReadAllAsync();

    /// <summary>What the poller gives, item by item.</summary>
    /// <inheritdoc cref="AsAsyncEnumerable{T}(Pipeline{T})" path="/remarks"/>
    public static IAsyncEnumerable<T> AsAsyncEnumerable<T>(this Poller<T> poller) => poller.AsChannelReader().ReadAllAsync();

    /// <summary>What comes behind the pipeline's last stages, in batches: as many items as are there, up to 256.</summary>
    /// <remarks>
    /// A batch is valid until the next is asked for, and counts as read when it has been given. One enumerates at a time, and
    /// nothing else reads the poller meanwhile: <see cref="InvalidOperationException"/>. Otherwise as
    /// <see cref="AsAsyncEnumerable{T}(Pipeline{T})"/>, at a small part of the cost an item.
    /// </remarks>
    /// <inheritdoc cref="ChannelBridge.AsChannelReader{T}(Pipeline{T}, bool)" path="/exception"/>
    public static IAsyncEnumerable<ReadOnlyMemory<T>> AsAsyncBatches<T>(this Pipeline<T> pipeline)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return BatchesOf(pipeline.AttachPoller().Outlet());
    }

    /// <summary>What the poller gives, in batches.</summary>
    /// <inheritdoc cref="AsAsyncBatches{T}(Pipeline{T})" path="/remarks"/>
    public static IAsyncEnumerable<ReadOnlyMemory<T>> AsAsyncBatches<T>(this Poller<T> poller) => BatchesOf(poller.Outlet());

    /// <summary>Publishes what the sequence yields, until its end.</summary>
    /// <remarks>
    /// The sequence is asked for an item when there is room for it: cancelled in between, it has yielded nothing that was not
    /// published. An item that it yields while the pipeline is being halted is refused, and the task says so.
    /// <inheritdoc cref="ChannelBridge.PumpInto{T}(ChannelReader{T}, Pipeline{T}, bool, CancellationToken)" path="/remarks"/>
    /// </remarks>
    /// <param name="source">What to read; it is given the token too.</param>
    /// <param name="pipeline">Where to.</param>
    /// <param name="complete">Whether the sequence's end, or error, is the pipeline's. Default: yes.</param>
    /// <param name="cancellation">Ends the pump between two items.</param>
    public static Task PumpInto<T>(
        this IAsyncEnumerable<T> source, Pipeline<T> pipeline, bool complete = true, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(pipeline);
        return Pumps.WithInletAsync(pipeline, inlet => Pumps.IntoAsync(source, inlet, complete, cancellation));
    }

    /// <summary>Publishes the batches that the sequence yields, each in as few claims as fit.</summary>
    /// <remarks>
    /// A batch that has been yielded is published to its end before cancellation is looked at again.
    /// <inheritdoc cref="PumpInto{T}(IAsyncEnumerable{T}, Pipeline{T}, bool, CancellationToken)" path="/remarks"/>
    /// </remarks>
    /// <inheritdoc cref="PumpInto{T}(IAsyncEnumerable{T}, Pipeline{T}, bool, CancellationToken)"/>
    public static Task PumpBatchesInto<T>(
        this IAsyncEnumerable<ReadOnlyMemory<T>> source, Pipeline<T> pipeline, bool complete = true,
        CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(pipeline);
        return Pumps.WithInletAsync(pipeline, inlet => Pumps.BatchesIntoAsync(source, inlet, complete, cancellation));
    }

    private static async IAsyncEnumerable<ReadOnlyMemory<T>> BatchesOf<T>(
        Outlet<T> outlet, [EnumeratorCancellation] CancellationToken cancellation = default)
    {
        await outlet.Shared.TakeAsync().ConfigureAwait(false);
        try
        {
            while (await outlet.WaitToReadAsync(cancellation).ConfigureAwait(false)) yield return outlet.TakeBatch();
        }
        finally
        {
            outlet.Shared.GiveBack();
        }
    }
}
