// wrong
static class Sink
{
    public static void Take(Poller<int> poller)
    {
        PolledBatch<int> polled = poller.Poll(); // RACE014
        Console.WriteLine(polled.Count);
        polled = default;
        Console.WriteLine(polled.Count);
    }
}

// right, without a fix
static class Sink
{
    public static void Take(Poller<int> poller)
    {
        PolledBatch<int> polled = poller.Poll();
        Console.WriteLine(polled.Count);
        polled.Dispose();
        polled = default;
        Console.WriteLine(polled.Count);
    }
}
