using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.MainJob;

/// <summary>The main job on Raceway's defaults: what prints the result and writes the manifest.</summary>
/// <param name="capacity">Lines that the ring holds.</param>
/// <param name="recordsTimeline">Whether it records where the stages' time goes.</param>
public sealed class RacewayLineEngine(int capacity, bool recordsTimeline = false) : ILineEngine, IDisposable
{
    /// <inheritdoc/>
    public string Name => "raceway";

    /// <summary>What it has recorded of the last run; null where it was not asked to.</summary>
    public TimelineRecorder? Timeline { get; private set; }

    /// <inheritdoc/>
    public void Run<TItem>(LineReader reader, LineTotals totals, CancellationToken cancellation)
        where TItem : struct, ILineItem<TItem>
    {
        Pipeline<TItem> pipeline = LinePipeline.Of<TItem>(capacity, totals, Dispatch.Batch(), Plan.Auto).Run();

        // A stage that fails gives no chunks back, so a reader that waits for them must be woken.
        Task woken = pipeline.Completion.ContinueWith(
            _ => reader.Abort(), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        Timeline = recordsTimeline ? TimelineRecorder.Start(pipeline.GetStatistics) : null;
        try
        {
            Publish(reader, pipeline, cancellation);
            pipeline.DrainAsync(Timeout.InfiniteTimeSpan, cancellation).GetAwaiter().GetResult();
        }
        catch (Exception error) when (error is RingFaultedException || pipeline.State == RingState.Faulted)
        {
            // The stage's own error, thrown below, is the cause of this one.
        }
        finally
        {
            Timeline?.Stop();
            pipeline.HaltAsync().GetAwaiter().GetResult();
            woken.GetAwaiter().GetResult();
        }

        pipeline.Completion.GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    public void Dispose() => Timeline?.Dispose();

    private static void Publish<TItem>(LineReader reader, Pipeline<TItem> pipeline, CancellationToken cancellation)
        where TItem : struct, ILineItem<TItem>
    {
        var lines = new Line[256];
        SingleProducer<TItem> producer = pipeline.CreateProducer();
        for (int read; (read = reader.Read(lines)) > 0;)
        {
            using Claim<TItem> claim = producer.Claim(read, cancellation);
            for (int i = 0; i < read; i++) TItem.LineOf(ref claim[i]) = lines[i];
            claim.Commit();
        }
    }
}
