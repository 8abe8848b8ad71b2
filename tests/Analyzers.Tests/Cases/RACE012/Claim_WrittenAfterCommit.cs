// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim();
        claim.Commit();
        claim.Slot = 1; // RACE012
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim();
        claim.Slot = 1;
        claim.Commit();
        Console.WriteLine(claim.Sequence);
    }
}
