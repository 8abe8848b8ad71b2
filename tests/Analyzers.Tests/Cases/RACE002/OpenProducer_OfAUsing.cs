// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        using OpenProducer<int> open = producer.Open();
        OpenProducer<int> second = open; // RACE002
        second.Publish(1);

        open.Publish(2);
    }
}

// right, without a fix
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        using OpenProducer<int> open = producer.Open();
        open.Publish(1);
        open.Publish(2);
    }
}
