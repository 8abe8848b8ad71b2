// wrong
static class Sink
{
    public static void Take(Poller<int> poller)
    {
        foreach (ref int item in poller.Poll()) Console.WriteLine(item); // RACE014
    }
}

// right
static class Sink
{
    public static void Take(Poller<int> poller)
    {
        using PolledBatch<int> polled = poller.Poll();
        foreach (ref int item in polled) Console.WriteLine(item);
    }
}
