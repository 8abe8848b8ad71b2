using System.Diagnostics;
using System.Threading.Channels;
using System.Threading.Tasks.Dataflow;
using Raceway.Pipelines;

namespace Raceway.Interop;

/// <summary>Pipelines as blocks of <see cref="System.Threading.Tasks.Dataflow"/>.</summary>
/// <example>
/// <code>
/// await using Pipeline&lt;Order> pipeline = definition.Run();
/// var print = new ActionBlock&lt;Order>(static order => Console.WriteLine(order.Id));
/// pipeline.AsSourceBlock().LinkTo(print, new DataflowLinkOptions { PropagateCompletion = true });
/// await pipeline.AsTargetBlock().SendAsync(order, cancellation);
/// </code>
/// </example>
public static class DataflowBridge
{
    private const int MostHeld = 256;

    /// <summary>The beginning of the pipeline as a target: link sources to it, post or send.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: any, at the same time; a lock an offer. <b>Blocking</b>: none.</para>
    /// <para><b>Back-pressure</b>: an offer is accepted where there is room, and published by then: the block holds nothing.
    /// Where there is none a source's offer is postponed, and consumed in the order of the offers when there is; one without a
    /// source (<c>Post</c>) is declined.</para>
    /// <para><b>Cost</b>: nothing allocated an offer that is accepted. <b>Order</b>: of the offers accepted, so each source's.</para>
    /// <para><b>Errors</b>: <c>Complete</c> lets the pipeline finish what it holds, <c>Fault</c> does and then it is faulted with
    /// that. From then on, and once the pipeline takes no more, offers are declined for good. <c>Completion</c> is the
    /// pipeline's. A message is consumed when there is a slot for it, and handled also where the pipeline is completed in that
    /// moment; where it is halted or faults in that moment, the message is lost with what the pipeline
    /// holds: an offer that is consumed at once throws <see cref="ChannelClosedException"/>, so that its source knows; of one
    /// that was postponed the completion tells alone.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">It has all its producers.</exception>
    public static ITargetBlock<T> AsTargetBlock<T>(this Pipeline<T> pipeline)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return new PublishingTarget<T>(pipeline.Ring.NewInlet(), pipeline.Completion);
    }

    /// <summary>What comes behind the pipeline's last stages as a source: link it to targets, or receive from it.</summary>
    /// <remarks>
    /// <para>It is a <see cref="BufferBlock{T}"/> of 256 items or fewer that is filled from the pipeline, so links, reservations,
    /// <c>PropagateCompletion</c> and <c>MaxMessages</c> are that block's.</para>
    /// <para><b>Back-pressure</b>: where no target takes what the block holds, the ring fills up. <b>Order</b>: of the sequences.
    /// <b>Cost</b>: the block's: a lock and some bytes an item.</para>
    /// <para><b>Errors</b>: it completes with the pipeline. The pipeline's fault is the block's, which then drops what it still
    /// holds, as blocks do. Completing the block ends it alone: the pipeline's items stay in the ring, and hold producers
    /// back.</para>
    /// </remarks>
    /// <inheritdoc cref="ChannelBridge.AsChannelReader{T}(Pipeline{T}, bool)" path="/exception"/>
    public static IReceivableSourceBlock<T> AsSourceBlock<T>(this Pipeline<T> pipeline) 
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return SourceOf(pipeline.AttachPoller().Outlet());
    }

    /// <summary>What the poller gives as a source.</summary>
    /// <inheritdoc cref="AsSourceBlock{T}(Pipeline{T})" path="/remarks"/>
    public static IReceivableSourceBlock<T> AsSourceBlock<T>(this Poller<T> poller) => SourceOf(poller.Outlet());

    private static BufferBlock<T> SourceOf<T>(Outlet<T> reader)
    {
        var block = new BufferBlock<T>(new DataflowBlockOptions { BoundedCapacity = MostHeld });
        _ = Task.Run(() => FillAsync(block, reader));
        return block;
    }

    private static async Task FillAsync<T>(BufferBlock<T> block, Outlet<T> reader)
    {
        try
        {
            // For good: it looks at an item before it takes it.
            await reader.Shared.TakeAsync().ConfigureAwait(false);
            while (await reader.WaitToReadAsync().ConfigureAwait(false))
            {
                while (reader.TryPeek(out T? item))
                {
                    // Completed from outside: the item stays where it is.
                    if (!await block.SendAsync(item).ConfigureAwait(false)) return;
                    bool taken = reader.TryRead(out _);
                    Debug.Assert(taken, "What has been looked at can be taken: there is one reader.");
                }
            }

            block.Complete();
        }
        catch (Exception failure)
        {
            ((IDataflowBlock)block).Fault(failure);
        }
    }
}
