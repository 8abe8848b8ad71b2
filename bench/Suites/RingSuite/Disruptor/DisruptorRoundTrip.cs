#if PEER_DISRUPTOR
using Disruptor;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>There and back over two value rings of Disruptor-net, each handler publishing to the other ring.</summary>
internal static class DisruptorRoundTrip
{
    /// <summary>The rings of a round, each with a wait strategy of its own.</summary>
    public static void Open(RingLoad load, RoundThreads threads, Func<IWaitStrategy> wait)
    {
        DisruptorValueRing<Number> there = new(load.Shape, wait());
        DisruptorValueRing<Number> back = new(load.Shape, wait());
        var asker = new DisruptorAsker(there.Slots, load);
        there.Add(1, new DisruptorAnswerer(back.Slots, load.Shape.Increments));
        back.Add(1, asker);
        there.Start(threads);
        back.Start(threads);
        threads.AddAsync(async () =>
        {
            load.StartLaps();
            asker.AskNext();
            await asker.Finished.Task;
        });
        threads.OnCancel(() => asker.Finished.TrySetCanceled());
    }
}

/// <summary>Sends what comes back to the asker.</summary>
/// <remarks>Public for the same reason as <see cref="DisruptorHandler{TSlot,TWork}"/>.</remarks>
public sealed class DisruptorAnswerer : IValueEventHandler<Number>
{
    private readonly DisruptorValues<Number> _back;
    private readonly int _increments;

    internal DisruptorAnswerer(DisruptorValues<Number> back, int increments)
    {
        _back = back;
        _increments = increments;
    }

    /// <summary>Called on the handler's thread.</summary>
    public void OnStart() => Placement.StartApart(1);

    /// <inheritdoc/>
    public void OnEvent(ref Number data, long sequence, bool endOfBatch)
    {
        Number.Work(ref data, _increments);
        DisruptorPublishing.One<Number, DisruptorValues<Number>>(_back, Number.Read(ref data));
    }
}

/// <summary>Takes the answer, and asks anew.</summary>
/// <remarks>Public for the same reason as <see cref="DisruptorHandler{TSlot,TWork}"/>.</remarks>
public sealed class DisruptorAsker : IValueEventHandler<Number>
{
    private readonly DisruptorValues<Number> _there;
    private readonly RingLoad _load;
    private Feed _feed;
    private Check _check;

    internal DisruptorAsker(DisruptorValues<Number> there, RingLoad load)
    {
        _there = there;
        _load = load;
        _feed = load.FeedOf();
        _check = load.NewCheck();
    }

    /// <summary>Completes when the last answer was taken.</summary>
    internal TaskCompletionSource Finished { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Called on the handler's thread.</summary>
    public void OnStart() => Placement.StartApart(0);

    /// <inheritdoc/>
    public void OnEvent(ref Number data, long sequence, bool endOfBatch)
    {
        _check.Take(Number.Read(ref data));
        _load.Lap();
        AskNext();
    }

    /// <summary>Asks, unless that was the last time.</summary>
    internal void AskNext()
    {
        if (_feed.MoveNext())
        {
            DisruptorPublishing.One<Number, DisruptorValues<Number>>(_there, _feed.Current);
            return;
        }

        _load.Report(_check);
        Finished.TrySetResult();
    }
}
#endif
