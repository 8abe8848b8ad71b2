using System.Runtime.ExceptionServices;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.Batching;

/// <summary>Raceway: one stage, with the default plan and waiting, and the dispatch given.</summary>
/// <param name="name">The name in the rows.</param>
/// <param name="one">The case.</param>
/// <param name="arrival">How jobs come.</param>
/// <param name="dispatch">The dispatch.</param>
internal sealed class RacewayBatching(string name, BatchingCase one, Arrival arrival, Dispatch dispatch)
    : BatchingContestant(name, one, arrival)
{
    /// <summary>Jobs that each ring or channel of the suite holds.</summary>
    public const int Capacity = 16_384;

    // Kept from round to round, so that a round allocates nothing for it.
    private readonly WorkHandler _handler = new(one.Width);

    /// <inheritdoc/>
    protected override void Drive(JobFeed feed, WorkStage stage)
    {
        _handler.Stage = stage;
        Pipeline<Job> pipeline = Pipeline.Of<Job>(Capacity).Stage("work", _handler, dispatch).Run();
        SingleProducer<Job> producer = pipeline.CreateProducer();
        try
        {
            feed.Start();
            while (feed.Next(out Job job)) producer.Publish(job);
            DrainResult drained = pipeline.DrainAsync(feed.Left, feed.Cancellation).GetAwaiter().GetResult();
            if (drained.Fault is { } fault) ExceptionDispatchInfo.Throw(fault);
        }
        finally
        {
            pipeline.HaltAsync().GetAwaiter().GetResult();
        }
    }
}
