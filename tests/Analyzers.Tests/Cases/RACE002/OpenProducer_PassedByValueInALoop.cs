// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, int[] values)
    {
        using OpenProducer<int> open = producer.Open();
        foreach (int value in values) One(open, value); // RACE002
        open.Publish(0);
    }

    private static void One(OpenProducer<int> open, int value) => open.Publish(value);
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer, int[] values)
    {
        OpenProducer<int> open = producer.Open();
        foreach (int value in values) One(ref open, value);
        open.Publish(0);
        open.Dispose();
    }

    private static void One(ref OpenProducer<int> open, int value) => open.Publish(value);
}
