// wrong
static class Sink
{
    public static int Take(Poller<int> poller) => poller.Poll().Count; // RACE014
}

// right
static class Sink
{
    public static int Take(Poller<int> poller)
    {
        PolledBatch<int> polled = poller.Poll();
        int count = polled.Count;
        polled.Dispose();
        return count;
    }
}
