// wrong
static class Sink
{
    public static async Task TakeAsync(Poller<int> poller, Stream log)
    {
        PolledBatch<int> polled = poller.Poll(); // RACE014
        Console.WriteLine(polled.Count);
        await log.FlushAsync();
    }
}

// right, without a fix
static class Sink
{
    public static async Task TakeAsync(Poller<int> poller, Stream log)
    {
        using (PolledBatch<int> polled = poller.Poll()) Console.WriteLine(polled.Count);
        await log.FlushAsync();
    }
}
