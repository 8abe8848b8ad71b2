// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, int value)
    {
        Claim<int> claim = producer.Claim(); // RACE001
        claim.Slot = value;
    }
}

// fixed
static class Feed
{
    public static void Send(SingleProducer<int> producer, int value)
    {
        Claim<int> claim = producer.Claim();
        claim.Slot = value;
        claim.Commit();
    }
}
