// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, int value) => producer.Claim().Slot = value; // RACE001
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer, int value) => producer.Publish(value);
}
