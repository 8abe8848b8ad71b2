namespace Raceway.Suites.RingSuite;

/// <summary>One message goes to another thread and back, over two queues of a peer.</summary>
/// <param name="name">The name in the result rows.</param>
/// <param name="shape">One producer and one stage.</param>
/// <param name="open">Builds the queues of a round, and adds the side that asks and the side that answers.</param>
internal sealed class RoundTripContestant(string name, RingShape shape, Action<RingLoad, RoundThreads> open)
    : RingContestant(name, shape)
{
    protected override void Prepare(RingLoad load, RoundThreads roundThreads) => open(load, roundThreads);
}

/// <summary>One side's end of two queues: what it sends the other side receives. A struct, so that calls are direct.</summary>
internal interface IEnd
{
    /// <summary>Sends a message. One is under way at a time, so there is room.</summary>
    void Send(long item);

    /// <summary>Waits for a message.</summary>
    long Receive();
}

/// <summary>The two sides of a round trip, for peers that wait in the call that receives.</summary>
internal static class Trip
{
    /// <summary>Asks, and times each answer.</summary>
    public static void Ask<TEnd>(TEnd end, RingLoad load)
        where TEnd : struct, IEnd
    {
        Feed feed = load.FeedOf();
        Check check = load.NewCheck();
        load.StartLaps();
        while (feed.MoveNext())
        {
            end.Send(feed.Current);
            check.Take(end.Receive());
            load.Lap();
        }

        load.Report(check);
    }

    /// <summary>Answers.</summary>
    public static void Answer<TEnd>(TEnd end, RingLoad load)
        where TEnd : struct, IEnd
    {
        int increments = load.Shape.Increments;
        for (long i = 0; i < load.Operations; i++)
        {
            long item = end.Receive();
            Body.Work(ref item, increments);
            end.Send(item);
        }
    }
}
