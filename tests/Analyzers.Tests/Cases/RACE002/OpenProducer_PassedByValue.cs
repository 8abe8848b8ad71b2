// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        OpenProducer<int> open = producer.Open();
        First(open); // RACE002
        open.Publish(2);
        open.Dispose();
    }

    private static void First(OpenProducer<int> open) => open.Publish(1);
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        OpenProducer<int> open = producer.Open();
        First(ref open);
        open.Publish(2);
        open.Dispose();
    }

    private static void First(ref OpenProducer<int> open) => open.Publish(1);
}
