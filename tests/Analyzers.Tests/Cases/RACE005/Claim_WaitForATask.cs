// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, Task<int> value)
    {
        using Claim<int> claim = producer.Claim();
        claim.Slot = value.Result; // RACE005
        claim.Commit();
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer, Task<int> value)
    {
        int known = value.Result;
        using Claim<int> claim = producer.Claim();
        claim.Slot = known;
        claim.Commit();
    }
}
