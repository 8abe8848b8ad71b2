namespace Raceway.Suites.RingSuite;

/// <summary>A chain of stages that has next to nothing to do: a message now and then. What counts is the processor time.</summary>
/// <param name="name">The name in the rows.</param>
/// <param name="shape">The stages.</param>
/// <param name="gap">The time before each message; the producer sleeps for it, the same for everyone.</param>
/// <param name="messages">Messages of a round.</param>
internal abstract class TrickleContestant(string name, RingShape shape, TimeSpan gap, int messages)
    : RingContestant(name, shape)
{
    public override long MaxOperations => messages;

    // Asleep but for moments: nothing competes for the cores.
    public override int BusyThreads => 1;

    protected void Publish(RingLoad load, Action<long> send)
    {
        Feed feed = load.FeedOf();
        while (feed.MoveNext())
        {
            Thread.Sleep(gap);
            send(feed.Current);
        }
    }
}
