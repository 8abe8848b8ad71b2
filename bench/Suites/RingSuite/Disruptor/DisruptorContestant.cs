#if PEER_DISRUPTOR
namespace Raceway.Suites.RingSuite;

/// <summary>Disruptor-net with one handler a stage, each on a thread of its own.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
internal abstract class DisruptorContestant<TSlot>(string name, RingShape shape) : StagedContestant<TSlot>(name, shape)
    where TSlot : struct, ISlot<TSlot>
{
    private bool _started;

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        _started = false;
        Ending = new DisruptorEnding(load);
        Create();
        AddStages(load, roundThreads);
        Start();
        _started = true;
        for (int p = 0; p < Shape.Producers; p++)
        {
            Feed feed = load.FeedOf(p);
            long items = load.ShareOf(p);
            roundThreads.Add(() => Publish(feed, items, roundThreads.Cancellation));
        }

        roundThreads.AddAsync(() => Ending.Task);
        roundThreads.OnCancel(() => Ending.Cancel());
    }

    protected override void Finish(RingLoad load)
    {
        if (_started) End();
    }

    /// <summary>Where the handlers report to in this round.</summary>
    protected DisruptorEnding Ending { get; private set; } = null!;

    /// <summary>Builds the ring, without handlers.</summary>
    protected abstract void Create();

    /// <summary>Starts the handlers.</summary>
    protected abstract void Start();

    /// <summary>Ends the handlers.</summary>
    protected abstract void End();

    /// <summary>Publishes all of a producer's items.</summary>
    protected abstract void Publish(Feed feed, long items, CancellationToken cancellation);

    /// <summary>The place of a stage's thread.</summary>
    protected int PlaceOf(int stage) => Shape.Producers + stage - 1;

    /// <summary>Publishes to a ring in the groups that the case asks for.</summary>
    protected void Publish<TRing>(TRing ring, Feed feed, long items, CancellationToken cancellation)
        where TRing : struct, IDisruptorRing<TSlot>
    {
        if (Shape.PublishGroup > 1)
            DisruptorPublishing.Groups<TSlot, TRing>(ring, feed, items, Shape.PublishGroup, cancellation);
        else
            DisruptorPublishing.Each<TSlot, TRing>(ring, feed, cancellation);
    }
}
#endif
