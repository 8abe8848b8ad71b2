// wrong
static class Sink
{
    public static void Take(Poller<int> poller, int command)
    {
        switch (command)
        {
            case 1:
                PolledBatch<int> polled = poller.Poll(); // RACE014
                Console.WriteLine(polled.Count);
                break;
        }
    }
}

// right, without a fix
static class Sink
{
    public static void Take(Poller<int> poller, int command)
    {
        switch (command)
        {
            case 1:
                using (PolledBatch<int> polled = poller.Poll()) Console.WriteLine(polled.Count);
                break;
        }
    }
}
