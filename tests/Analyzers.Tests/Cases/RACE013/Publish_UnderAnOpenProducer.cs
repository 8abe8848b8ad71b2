// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, int[] values)
    {
        using OpenProducer<int> open = producer.Open();
        foreach (int value in values) open.Publish(value);
        producer.Publish(-1); // RACE013
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer, int[] values)
    {
        OpenProducer<int> open = producer.Open();
        foreach (int value in values) open.Publish(value);
        open.Dispose();
        producer.Publish(-1);
    }
}
