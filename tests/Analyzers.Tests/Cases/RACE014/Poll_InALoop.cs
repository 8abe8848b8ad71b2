// wrong
static class Sink
{
    public static async Task TakeAsync(Poller<int> poller)
    {
        while (true)
        {
            var polled = poller.Poll(64); // RACE014
            if (polled.Status == PollStatus.Ended) return;
            for (int i = 0; i < polled.Count; i++) Console.WriteLine(polled.Items[i]);
        }
    }
}

// fixed
static class Sink
{
    public static async Task TakeAsync(Poller<int> poller)
    {
        while (true)
        {
            using var polled = poller.Poll(64);
            if (polled.Status == PollStatus.Ended) return;
            for (int i = 0; i < polled.Count; i++) Console.WriteLine(polled.Items[i]);
        }
    }
}
