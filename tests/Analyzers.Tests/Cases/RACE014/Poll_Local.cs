// wrong
static class Sink
{
    public static void Take(Poller<int> poller)
    {
        PolledBatch<int> polled = poller.Poll(); // RACE014
        foreach (ref int item in polled) Console.WriteLine(item);
    }
}

// fixed
static class Sink
{
    public static void Take(Poller<int> poller)
    {
        using PolledBatch<int> polled = poller.Poll();
        foreach (ref int item in polled) Console.WriteLine(item);
    }
}
