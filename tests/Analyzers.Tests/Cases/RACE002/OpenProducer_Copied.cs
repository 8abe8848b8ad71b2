// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        OpenProducer<int> open = producer.Open();
        OpenProducer<int> second = open; // RACE002
        second.Publish(1);
        open.Publish(2);
        open.Dispose();
    }
}

// fixed
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        OpenProducer<int> open = producer.Open();
        ref OpenProducer<int> second = ref open;
        second.Publish(1);
        open.Publish(2);
        open.Dispose();
    }
}
