// wrong
static class Sink
{
    public static async Task TakeAsync(Poller<int> poller, IAsyncEnumerable<(int Key, int Value)> source)
    {
        PolledBatch<int> polled = poller.Poll(); // RACE014
        Console.WriteLine(polled.Count);
        await foreach (var (key, value) in source) Console.WriteLine(key + value);
    }
}

// right, without a fix
static class Sink
{
    public static async Task TakeAsync(Poller<int> poller, IAsyncEnumerable<(int Key, int Value)> source)
    {
        using (PolledBatch<int> polled = poller.Poll()) Console.WriteLine(polled.Count);
        await foreach (var (key, value) in source) Console.WriteLine(key + value);
    }
}
