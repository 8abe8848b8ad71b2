// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        using Claim<int> claim = producer.Claim(8);
        claim[0] = 1;
        claim.Commit(1);
        claim[1] = 2; // RACE012
        claim.Commit(1);
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim(8);
        claim[0] = 1;
        claim.Commit(1);
        claim = producer.Claim();
        claim.Slot = 2;
        claim.Commit();
    }
}
