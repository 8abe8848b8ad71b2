// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, int[] values)
    {
        using OpenProducer<int> open = producer.Open();
        foreach (int value in values) open.Claim() = value; // RACE001
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer, int[] values)
    {
        using OpenProducer<int> open = producer.Open();
        foreach (int value in values)
        {
            open.Claim() = value;
            open.Commit();
        }
    }
}
