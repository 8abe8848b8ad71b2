// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        using Claim<int> claim = producer.Claim();
        claim.Slot = 1;
        producer.Publish(2); // RACE013
        claim.Commit();
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        using Claim<int> claim = producer.Claim();
        claim.Slot = 1;
        claim.Commit();
        producer.Publish(2);
    }
}
