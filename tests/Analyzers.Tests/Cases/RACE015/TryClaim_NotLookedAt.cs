// wrong
static class Feed
{
    public static void Send(MultiProducer<int> producer, int value)
    {
        producer.TryClaim(1, out Claim<int> claim); // RACE015
        claim.Slot = value;
        claim.Commit();
    }
}

// right
static class Feed
{
    public static void Send(MultiProducer<int> producer, DroppingProducer<int> dropping, int value)
    {
        // Known, and meant: what finds no room is stale.
        _ = producer.TryPublish(value);
        dropping.Publish(value);
    }
}
