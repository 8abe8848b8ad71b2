// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, int value)
    {
        producer.TryPublish(value); // RACE015
    }
}

// fixed
static class Feed
{
    public static void Send(SingleProducer<int> producer, int value)
    {
        producer.Publish(value);
    }
}
